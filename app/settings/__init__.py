"""The settings: the dialog, its pages, and their controller."""
