"""The Qt window: it draws, listens, and decides nothing about inference."""
