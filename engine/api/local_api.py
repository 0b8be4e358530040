"""The API beside a window: served while the settings say so, at the address that they name."""

from __future__ import annotations

import asyncio
import importlib
import logging
from typing import TYPE_CHECKING

from engine.errors import Failure, FirstlightError
from engine.host.host import Host
from engine.host.requests import Emit
from engine.protocol.commands import ChangeSettings, Command, ReadApi
from engine.protocol.events import ApiRead, Terminal
from engine.protocol.values import EffectiveSettings
from engine.settings import Api

if TYPE_CHECKING:
    from engine.api.http_server import Server

_log = logging.getLogger(__name__)


class LocalApi:
    """Follows the host's settings; a port that is taken is told to whoever asks with ReadApi, and logged."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._lock = asyncio.Lock()
        self._served: Api | None = None
        self._server: Server | None = None
        self._task: asyncio.Task[None] | None = None
        self._failure: Failure | None = None
        host.serve(ReadApi, self._read)
        host.observe(self._on_end)

    async def apply(self) -> None:
        """Serve, move or end, as the settings say now."""
        async with self._lock:
            wanted = self._host.settings.api
            if wanted == self._served:
                return
            await self._end()
            self._served, self._failure = wanted, None
            if wanted.is_on:
                await self._begin(wanted)

    async def stop(self) -> None:
        async with self._lock:
            await self._end()

    async def _begin(self, wanted: Api) -> None:
        # Imported here and in a thread: most windows are opened without the API, and none should wait for it.
        module = await asyncio.to_thread(importlib.import_module, "engine.api.http_server")
        try:
            server: Server = module.Server(self._host, bind=wanted.host, port=wanted.port, token=wanted.token)
        except FirstlightError as error:
            self._failure = error.failure
            _log.warning("the local API is not served: %s", error.failure.sentence())
            return
        self._server = server
        self._task = asyncio.create_task(server.run(), name="local API")
        await server.started()

    async def _end(self) -> None:
        server, task, self._server, self._task = self._server, self._task, None, None
        if server is not None and task is not None:
            server.stop()
            await task

    def _on_end(self, command: Command, event: Terminal, effective: EffectiveSettings | None) -> None:
        if isinstance(command, ChangeSettings):
            self._host.run_in_background(self.apply())

    async def _read(self, _command: ReadApi, _emit: Emit) -> ApiRead:
        await self.apply()
        address = self._server.address if self._server is not None else ""
        return ApiRead(address=address, failure=self._failure)
