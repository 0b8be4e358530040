"""Maintenance of the library as commands of the host: verify a model, clean up; and when each was last loaded."""

from __future__ import annotations

import asyncio
import logging
import threading
import time

from engine.errors import StorageError
from engine.host.host import Host
from engine.host.requests import Emit
from engine.host.services.library_service import LibraryService
from engine.library.orphaned_files import empty_trash, remove_parts
from engine.library.verification import verify
from engine.protocol.commands import CleanUp, Command, LoadModel, VerifyModel
from engine.protocol.events import Event, ModelLoaded, VerifyProgress
from engine.protocol.values import EffectiveSettings

_log = logging.getLogger(__name__)

PROGRESS_INTERVAL = 0.1
"""Seconds between two reports of one check."""


class LibraryMaintenance:
    """Registers VerifyModel and CleanUp with the host."""

    def __init__(self, host: Host, service: LibraryService) -> None:
        self._host, self._service = host, service
        host.serve(VerifyModel, self._verify)
        host.serve(CleanUp, self._clean_up)
        host.observe(self._on_end)

    async def _verify(self, command: VerifyModel, emit: Emit) -> None:
        library = self._service.library
        loop, stop = asyncio.get_running_loop(), threading.Event()
        reported = 0.0

        def progress(fraction: float) -> None:
            nonlocal reported
            if (now := time.monotonic()) - reported >= PROGRESS_INTERVAL:
                reported = now
                loop.call_soon_threadsafe(emit, VerifyProgress(fraction=fraction))

        try:
            files = await asyncio.to_thread(library.files_of, command.model_id)
            await asyncio.to_thread(verify, library.own_folder, files, progress, stop=stop)
        finally:
            stop.set()

    async def _clean_up(self, command: CleanUp, _emit: Emit) -> None:
        remove = {"parts": remove_parts, "trash": empty_trash}[command.what]
        await asyncio.to_thread(remove, self._service.library.own_folder)

    def _on_end(self, command: Command, event: Event, _effective: EffectiveSettings | None) -> None:
        if isinstance(command, LoadModel) and isinstance(event, ModelLoaded):
            self._host.run_in_background(self._remember(event.effective.model_path))

    async def _remember(self, path: str) -> None:
        try:
            await asyncio.to_thread(self._service.library.note_load, path, time.time())
        except StorageError as error:
            _log.warning("the last load of %s is not remembered: %s", path, error)
