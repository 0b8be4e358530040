"""The main window: bars, menus, commands, notices and what opens over it."""
