"""From the first import to a window that takes keys."""
