"""The settings dialog and its pages."""

from app.widgets.settings.dialog import SettingsDialog as SettingsDialog
