"""The supervisor between the window (or the API) and the workers."""
