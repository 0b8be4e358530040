"""The way to one worker: start it, greet it, have it load its model, and pass its lines on."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Protocol

from engine.errors import Failure, ProtocolError
from engine.host.crash_policy import engine_missing
from engine.host.load_plan import LoadPlan
from engine.host.worker_process import WorkerExit, WorkerProcess, worker_command
from engine.protocol.codec import Stamp, check_version, decode_event, stamp_of
from engine.protocol.commands import Command
from engine.protocol.events import LoadProgress, ModelLoaded, Ready, RequestFailed
from engine.translatable import Translatable, reason_of, sentence

READY_TIMEOUT = 60.0
"""Seconds a worker may take to say that it is up: importing llama.cpp with a cold disk is slow."""

_LOAD_ID = "load"
_LOAD_EVENTS = frozenset({"LoadProgress", "ModelLoaded", "RequestFailed"})


class LinkListener(Protocol):
    """What a link reports; `worker_exited` comes last, and exactly once."""

    def load_progressed(self, event: LoadProgress) -> None: ...

    def model_loaded(self, event: ModelLoaded) -> None: ...

    def load_failed(self, failure: Failure) -> None: ...

    def line_received(self, stamp: Stamp, line: bytes) -> None:
        """A line of a request; may raise ProtocolError."""

    def worker_exited(self, outcome: WorkerExit) -> None: ...


class WorkerLink:
    """One worker process from its start to its end."""

    def __init__(self, plan: LoadPlan, listener: LinkListener) -> None:
        self._plan = plan
        self._listener = listener
        self._process = WorkerProcess(self._on_line, self._on_exit)
        self._is_stopping = False
        self._starting = asyncio.get_running_loop().create_task(self._start())
        self._ready_timer = asyncio.get_running_loop().call_later(READY_TIMEOUT, self._on_ready_timeout)

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, command: Command) -> None:
        self._process.send(command)

    def kill(self, reason: Translatable = "") -> None:
        """End the worker at once; a `reason` makes it a fault of the worker, told in its outcome."""
        self._is_stopping = True
        self._process.kill(reason)

    async def stop(self) -> None:
        """End the worker in order: close stdin, then terminate, then kill."""
        self._is_stopping = True
        with contextlib.suppress(asyncio.CancelledError):
            await self._starting
        await self._process.stop()

    async def _start(self) -> None:
        try:
            await self._process.start(worker_command())
        except OSError as error:
            self._fail_load(engine_missing(reason_of(error)))
            return
        if self._is_stopping:
            self._process.kill()

    def _on_ready_timeout(self) -> None:
        self.kill(sentence("did not start within {seconds:g} s", seconds=READY_TIMEOUT))

    def _on_line(self, line: bytes) -> None:
        if self._is_stopping:
            return
        try:
            stamp = stamp_of(line)
            if stamp.type == "Ready" or (stamp.request_id == _LOAD_ID and stamp.type in _LOAD_EVENTS):
                self._on_load_event(line)
            else:
                self._listener.line_received(stamp, line)
        except ProtocolError as error:
            self.kill(sentence("sent a message that could not be read ({error})", error=str(error)[:200]))

    def _on_load_event(self, line: bytes) -> None:
        match event := decode_event(line):
            case Ready():
                self._greet(event)
            case LoadProgress():
                self._listener.load_progressed(event)
            case ModelLoaded():
                self._listener.model_loaded(event)
            case RequestFailed():
                self._fail_load(event.failure)

    def _greet(self, event: Ready) -> None:
        self._ready_timer.cancel()
        try:
            check_version(event.protocol_version)
        except ProtocolError as error:
            self._fail_load(error.failure)
            return
        self.send(self._plan.command(_LOAD_ID))

    def _fail_load(self, failure: Failure) -> None:
        self._ready_timer.cancel()
        self.kill()
        self._listener.load_failed(failure)
        if not self._process.pid:
            self._listener.worker_exited(WorkerExit(returncode=0, was_asked=True))

    def _on_exit(self, outcome: WorkerExit) -> None:
        self._ready_timer.cancel()
        self._listener.worker_exited(outcome)
