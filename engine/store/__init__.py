"""Chats on disk, and their import and export."""
