"""Has the engine read ahead what is written: one request at a time, each newer one in the place of the one before."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject, Signal

from app.core.host_client import HostClient
from app.core.tasks import spawn
from engine.protocol import Prewarm, PrewarmFinished


class PrewarmRequests(QObject):
    """Signal: prepared(n_tokens), of the newest draft that are in the cache."""

    prepared = Signal(int)

    def __init__(self, client: HostClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        self._running: asyncio.Task[None] | None = None

    def begin(self, command: Prewarm) -> None:
        """Read this. The engine ends the request before by itself, behind the step that both have in common."""
        self._running = spawn(self._read(command), owner=self, name="read ahead")

    def stop(self) -> None:
        """Read nothing: what was written is gone, or must not be read."""
        if self._running is not None:
            self._running.cancel()
            self._running = None

    async def _read(self, command: Prewarm) -> None:
        finished = await self._client.request(command)
        if isinstance(finished, PrewarmFinished) and self._running is asyncio.current_task():
            self.prepared.emit(finished.n_prepared)
