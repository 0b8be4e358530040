"""A host for a command: it runs in a thread of its own, so that the command can simply read and print."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import itertools
import queue
import signal
import threading
from collections.abc import Coroutine, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec

from engine.errors import EngineError
from engine.host.host import Host
from engine.protocol.commands import Command
from engine.protocol.events import Event, RequestFailed, Terminal
from engine.settings import Folders, Settings

if TYPE_CHECKING:
    from engine.host.services import Services

_T = TypeVar("_T")
_E = TypeVar("_E", bound=Terminal)


class Session:
    """Use as a context manager; at its end every worker has ended.

    With `has_services` the host also answers for the library, the hub, hardware and the metrics log, which takes a
    while to import.
    """

    def __init__(self, settings: Settings, folders: Folders, *, has_services: bool = False) -> None:
        self._has_services = has_services
        self._services: Services | None = None
        self._settings = settings
        self._folders = folders
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="host", daemon=True)
        self._ids = itertools.count(1)

    def __enter__(self) -> Self:
        self._thread.start()
        self._host = self._call(self._start())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._call(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def new_request_id(self) -> str:
        return f"cli-{next(self._ids)}"

    def events(self, command: Command) -> Iterator[Event]:
        """The command's events up to its terminal one. Ctrl+C cancels it; a second Ctrl+C leaves at once.

        A command without a request_id gets one.
        """
        if not command.request_id:
            command = msgspec.structs.replace(command, request_id=self.new_request_id())
        events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._loop.call_soon_threadsafe(self._host.handle, command, events.put)
        with self._interrupts_cancel(command.request_id):
            while True:
                event = events.get()
                yield event
                if isinstance(event, Terminal):
                    return

    def cancel(self, request_id: str) -> None:
        """Cancel a request, whose events still end as they must."""
        self._loop.call_soon_threadsafe(self._host.cancel, request_id)

    def request(self, command: Command, kind: type[_E]) -> _E:
        """The command's terminal event, of this kind. Raises EngineError where it is RequestFailed."""
        *_, event = self.events(command)
        return ended(event, kind)

    @contextlib.contextmanager
    def _interrupts_cancel(self, request_id: str) -> Iterator[None]:
        """A handler instead of KeyboardInterrupt, which could strike in the middle of a print."""
        is_cancelled = False

        def on_interrupt(*_: object) -> None:
            nonlocal is_cancelled
            if is_cancelled:
                raise KeyboardInterrupt
            is_cancelled = True
            self.cancel(request_id)

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        previous = signal.signal(signal.SIGINT, on_interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous)

    async def _start(self) -> Host:
        host = Host(self._settings, self._folders)
        await host.start()
        if self._has_services:
            self._services = importlib.import_module("engine.host.services").Services(host)
        return host

    async def _stop(self) -> None:
        if self._services is not None:
            await self._services.stop()
        await self._host.stop()

    def _call(self, work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def ended(event: Event, kind: type[_E]) -> _E:
    """A terminal event as the one of its command. Raises EngineError where it is RequestFailed."""
    if isinstance(event, RequestFailed):
        raise EngineError.of(event.failure)
    assert isinstance(event, kind)
    return event
