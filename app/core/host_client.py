"""The host process as the app sees it: commands out, each request's events to who asked, a new host when it dies."""

from __future__ import annotations

import asyncio
import contextlib
import enum
import itertools
import logging
import os
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from PySide6.QtCore import QElapsedTimer, QIODevice, QObject, QProcess, QTimer, Signal

from app.core.engine_texts import translated
from engine.errors import Code, Failure, ProtocolError
from engine.process_exit import ending
from engine.protocol import Cancel, Command, Event, Hello, Ready, RequestFailed, Shutdown, Terminal
from engine.protocol.codec import PROTOCOL_VERSION, check_version, decode_event, encode, request_id_of

_log = logging.getLogger(__name__)

_STEADY_MS = 10_000
"""A host that lived this long is restarted without counting its death against it."""
_MAX_QUICK_DEATHS = 2
_ROOT = Path(__file__).resolve().parents[2]

_E = TypeVar("_E", bound=Event)
_C = TypeVar("_C", bound=Command)


class HostState(enum.Enum):
    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    STOPPING = "stopping"
    FAILED = "failed"
    """It died too often or cannot be started; start() tries again."""


class RequestStream:
    """The events of one request, in order; the last one is its terminal event.

    The command is sent when the first event is waited for. Closing early, or cancelling the task that waits, cancels
    the request.
    """

    def __init__(self, request_id: str, events: AsyncGenerator[Event, None], cancel: Callable[[], None]) -> None:
        self.request_id = request_id
        self.cancel = cancel
        """Ask the engine to end it: the stream goes on to the terminal event."""
        self._events = events

    def __aiter__(self) -> AsyncGenerator[Event, None]:
        return self._events

    async def aclose(self) -> None:
        await self._events.aclose()

    async def terminal(self) -> Terminal:
        """Pass over everything before the terminal event, RequestFailed included."""
        async for event in self:
            if isinstance(event, Terminal):
                return event
        raise AssertionError("a stream ended without its terminal event")


class _Subscribers(QObject):
    """Those who subscribed to one type of event; Qt forgets the ones that are deleted."""

    received = Signal(object)


class HostClient(QObject):
    """Owns the QProcess that runs the host. Every request ends exactly once, also when the host dies.

    An event goes to the request it belongs to, and to those who subscribed to its type.
    Signals: `state_changed(HostState)`, `restarted()` when a new host is ready after a death.
    """

    state_changed = Signal(object)
    restarted = Signal()

    def __init__(self, command: Sequence[str] = (), parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._command = tuple(command) or (sys.executable, "-m", "engine", "host")
        self._process: QProcess | None = None
        self._state = HostState.STOPPED
        self._failure = Failure(code=Code.ENGINE_MISSING, message=self.tr("The engine is not running."))
        self._queues: dict[str, asyncio.Queue[Event]] = {}
        """What has come for each open request."""
        self._subscribed: dict[type[Event], _Subscribers] = {}
        self._partial = b""
        self._ids = itertools.count(1)
        self._uptime = QElapsedTimer()
        self._quick_deaths = 0
        self._has_died = False
        self._stopped: asyncio.Future[None] | None = None

    @property
    def state(self) -> HostState:
        return self._state

    @property
    def failure(self) -> Failure:
        """Why the host is not there, when the state is FAILED."""
        return self._failure

    @property
    def process_id(self) -> int:
        """The host's process id; 0 when none runs."""
        return self._process.processId() if self._process is not None else 0

    def start(self) -> None:
        """Start the host unless it runs; returns at once."""
        if self._process is not None:
            return
        if self._state is HostState.FAILED:
            self._quick_deaths = 0
        process = QProcess(self)
        process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        process.setWorkingDirectory(str(_ROOT))
        process.readyReadStandardOutput.connect(self._on_output)
        process.finished.connect(self._on_finished)
        process.errorOccurred.connect(self._on_error)
        self._process, self._partial = process, b""
        self._set_state(HostState.STARTING)
        self._uptime.start()
        process.start(self._command[0], list(self._command[1:]), QIODevice.OpenModeFlag.ReadWrite)
        self.send(Hello(protocol_version=PROTOCOL_VERSION))

    def subscribe(self, kind: type[_E], handler: Callable[[_E], None]) -> None:
        """Call `handler` with every event of just this type, whoever asked for it; a QObject's method until it goes."""
        if kind not in self._subscribed:
            self._subscribed[kind] = _Subscribers(self)
        self._subscribed[kind].received.connect(handler)

    def send(self, command: Command) -> None:
        """Send without waiting for anything; a command to a host that is not there is dropped."""
        self._write(self._stamped(command))

    async def request(self, command: Command) -> Terminal:
        """Send, and return the terminal event, RequestFailed included. Cancelling the task cancels the request."""
        return await self.stream(command).terminal()

    def stream(self, command: Command) -> RequestStream:
        """A request with a new request_id, to be read event by event."""
        command = self._stamped(command)
        request_id = command.request_id
        return RequestStream(request_id, self._events(command), lambda: self.send(Cancel(target_id=request_id)))

    async def _events(self, command: Command) -> AsyncGenerator[Event, None]:
        request_id = command.request_id
        queue: asyncio.Queue[Event] = asyncio.Queue()
        self._queues[request_id] = queue
        if not self._write(command):
            self.deliver(RequestFailed(request_id=request_id, failure=self._failure))
        try:
            while True:
                event = await queue.get()
                yield event
                if isinstance(event, Terminal):
                    return
        finally:
            if self._queues.pop(request_id, None) is not None:
                self.send(Cancel(target_id=request_id))

    async def stop(self, *, patience: float = 15.0) -> None:
        """End the host in order: ask, close its stdin, terminate, kill; the event loop keeps running meanwhile."""
        process = self._process
        if process is None:
            self._set_state(HostState.STOPPED)
            return
        self._set_state(HostState.STOPPING)
        self._stopped = asyncio.get_running_loop().create_future()
        self.send(Shutdown())
        process.closeWriteChannel()
        for end, seconds in ((process.terminate, patience), (process.kill, 1.0)):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self._stopped), seconds)
                return
            _log.warning("the host did not end within %.1f s", seconds)
            end()
        await self._stopped

    def _stamped(self, command: _C) -> _C:
        return msgspec.structs.replace(command, request_id=f"app-{os.getpid()}-{next(self._ids)}")

    def _write(self, command: Command) -> bool:
        if self._process is None or self._state is HostState.FAILED:
            return False
        self._process.write(encode(command))
        return True

    def _on_output(self) -> None:
        if self._process is None:
            return
        *lines, self._partial = (self._partial + self._process.readAllStandardOutput().data()).split(b"\n")
        for line in lines:
            if not line:
                continue
            try:
                event = decode_event(line)
            except ProtocolError as error:
                _log.error("%s (%s)", error, line[:200])
                if request_id := request_id_of(line):
                    self.deliver(RequestFailed(request_id=request_id, failure=error.failure))
                continue
            self.deliver(event)

    def deliver(self, event: Event) -> None:
        """Hand an event to the request it belongs to and to its type's subscribers."""
        if isinstance(event, Ready):
            self._on_ready(event)
        if event.request_id and (queue := self._queues.get(event.request_id)) is not None:
            if isinstance(event, Terminal):
                del self._queues[event.request_id]
            queue.put_nowait(event)
        if (subscribed := self._subscribed.get(type(event))) is not None:
            subscribed.received.emit(event)

    def _on_ready(self, ready: Ready) -> None:
        try:
            check_version(ready.protocol_version)
        except ProtocolError as error:
            self._give_up(error.failure)
            return
        if self._state is HostState.STARTING:
            self._set_state(HostState.READY)
            if self._has_died:
                self._has_died = False
                self.restarted.emit()

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and self._process is not None:
            reason = self._process.errorString()
            self._forget_process()
            self._give_up(
                Failure(
                    code=Code.ENGINE_MISSING,
                    message=self.tr("The engine could not be started: {reason}.").format(reason=reason.rstrip(".")),
                    advice=self.tr("Run the set-up again, then choose Start again."),
                )
            )

    def _on_finished(self, exit_code: int, status: QProcess.ExitStatus) -> None:
        self._on_output()
        self._forget_process()
        if self._state is HostState.FAILED:
            return
        if self._state is HostState.STOPPING:
            self._failure = Failure(code=Code.ENGINE_MISSING, message=self.tr("Firstlight is closing."))
            self._end_requests()
            self._set_state(HostState.STOPPED)
            if self._stopped is not None and not self._stopped.done():
                self._stopped.set_result(None)
            return
        self._has_died = True
        self._quick_deaths = 0 if self._uptime.elapsed() > _STEADY_MS else self._quick_deaths + 1
        is_signal = status is QProcess.ExitStatus.CrashExit and os.name == "posix"
        how = ending(-exit_code if is_signal else exit_code)
        self._failure = Failure(
            code=Code.ENGINE_CRASHED,
            message=how,
            advice=self.tr("It is being started again; the text so far is kept."),
        )
        if (n := self._quick_deaths) > _MAX_QUICK_DEATHS:
            self._give_up(
                Failure(
                    code=Code.ENGINE_CRASHED,
                    message=self.tr("{how} That was {n} times in a row.", None, n).format(how=translated(how), n=n),
                    advice=self.tr("Choose Start again; if that fails too, run the doctor: python -m engine doctor."),
                )
            )
            return
        self._end_requests()
        self._set_state(HostState.STARTING)
        QTimer.singleShot(0, self, self.start)

    def _forget_process(self) -> None:
        if self._process is not None:
            self._process.deleteLater()
            self._process = None

    def _give_up(self, failure: Failure) -> None:
        self._failure = failure
        if self._process is not None:
            self._process.kill()
        self._end_requests()
        self._set_state(HostState.FAILED)

    def _end_requests(self) -> None:
        """End every open request here, since nobody else will."""
        for request_id in list(self._queues):
            self.deliver(RequestFailed(request_id=request_id, failure=self._failure))

    def _set_state(self, state: HostState) -> None:
        if state is not self._state:
            self._state = state
            self.state_changed.emit(state)
