"""A controller that asks the host: one piece of work of each kind at a time, failures told unless they are shown."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.core.host_client import HostClient
from app.core.tasks import is_possible, spawn
from engine.errors import FirstlightError
from engine.protocol import Command, RequestFailed, Terminal


class RequestRunner(QObject):
    """`failed(Failure)` for what was asked and not quiet, and for a FirstlightError that its work raised."""

    failed = Signal(object)

    def __init__(self, client: HostClient, parent: QObject) -> None:
        super().__init__(parent)
        self._client = client
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def request(self, command: Command, *, quiet: bool = False) -> Terminal:
        """The command's terminal event."""
        event = await self._client.request(command)
        if isinstance(event, RequestFailed) and not quiet:
            self.failed.emit(event.failure)
        return event

    def tell(self, command: Command) -> None:
        """Send a command of which only a failure matters."""

        async def ask() -> None:
            await self.request(command)

        spawn(ask(), owner=self, name=type(self).__name__)

    def run(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Run one piece of work of its kind at a time: a newer one replaces it. After the app's end nothing is run."""
        self.stop(name)
        if is_possible():
            self._tasks[name] = spawn(self._guarded(work), owner=self, name=name, inside=work)
        else:
            work.close()

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except FirstlightError as error:
            self.failed.emit(error.failure)

    def stop(self, name: str) -> None:
        if (running := self._tasks.get(name)) is not None:
            running.cancel()

    def is_running(self, name: str) -> bool:
        task = self._tasks.get(name)
        return task is not None and not task.done()
