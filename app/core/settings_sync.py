"""Tells the host of changed settings, and says when it goes by them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.core.host_client import HostClient
from app.core.preferences import Preferences
from app.core.tasks import spawn
from engine.protocol import ChangeSettings, RequestFailed


class SettingsSync(QObject):
    """`applied` when the host has taken what was saved."""

    applied = Signal()

    def __init__(self, client: HostClient, preferences: Preferences, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        preferences.saved.connect(lambda: spawn(self._apply(), owner=self, name="apply settings"))

    async def _apply(self) -> None:
        event = await self._client.request(ChangeSettings())
        if not isinstance(event, RequestFailed):
            self.applied.emit()
