"""A settings store for tests of what shows and edits settings: nothing runs that could save them or tell a host."""

from __future__ import annotations

from app.core.host_client import HostClient
from app.core.settings_store import SettingsStore
from engine.folders import folders
from engine.settings import Settings


def settings_store(settings: Settings = Settings()) -> SettingsStore:  # noqa: B008 - frozen
    """The file would lie in the test's own folder."""
    return SettingsStore(settings, folders().settings_file, HostClient())
