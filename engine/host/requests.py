"""The requests that the host has accepted: each gets exactly one terminal event."""

from __future__ import annotations

import asyncio
import bisect
import time
from collections.abc import Callable, Iterator

from engine.errors import Code, Failure
from engine.metrics import FinishReason, RequestMetrics
from engine.protocol.codec import decode_event
from engine.protocol.commands import Command, Generate, Prewarm
from engine.protocol.events import Event, GenerationFinished, PrewarmFinished, RequestFailed, Terminal
from engine.protocol.values import PREWARM_RANK, Role

Emit = Callable[[Event], None]
EmitLine = Callable[[bytes], None]


class HostRequest:
    """A command on its way, with the receiver of its events.

    `emit_line` takes an event as the worker wrote it, so that forwarding a token needs no decoding; without it every
    event goes to `emit`.
    """

    __slots__ = ("_emit", "_emit_line", "_on_end", "accepted", "cancel_timer", "command", "is_open", "load_wait")

    def __init__(
        self,
        command: Command,
        emit: Emit,
        emit_line: EmitLine | None,
        on_end: Callable[[HostRequest, Terminal], None],
        *,
        accepted: float = 0.0,
    ) -> None:
        self.command = command
        self.accepted = accepted or time.monotonic()
        self.load_wait = 0.0
        """Seconds of model loading that it has waited for."""
        self.is_open = True
        self.cancel_timer: asyncio.TimerHandle | None = None
        """Runs from a cancel that was passed on until the request has ended."""
        self._emit = emit
        self._emit_line = emit_line
        self._on_end = on_end

    @property
    def request_id(self) -> str:
        return self.command.request_id

    @property
    def rank(self) -> int:
        """0 goes first."""
        if isinstance(self.command, Generate):
            return self.command.priority.rank
        return PREWARM_RANK if isinstance(self.command, Prewarm) else 0

    @property
    def sort_key(self) -> tuple[int, float]:
        """The order in which requests are served, however long each took to get ready."""
        return self.rank, self.accepted

    def send(self, event: Event) -> None:
        """Pass an event on; after the terminal event everything is dropped."""
        if not self.is_open:
            return
        if isinstance(event, Terminal):
            self.is_open = False
            if self.cancel_timer is not None:
                self.cancel_timer.cancel()
            self._emit(event)
            self._on_end(self, event)
        else:
            self._emit(event)

    def forward(self, line: bytes) -> None:
        """Pass a worker's line on, which is no terminal event."""
        if not self.is_open:
            return
        if self._emit_line is not None:
            self._emit_line(line)
        else:
            self._emit(decode_event(line))

    def fail(self, failure: Failure, metrics: RequestMetrics | None = None) -> None:
        self.send(RequestFailed(request_id=self.request_id, failure=failure, metrics=metrics))

    def end_cancelled(self) -> None:
        """The terminal event of a request that the host itself cancels."""
        if isinstance(self.command, Generate):
            self.send(
                GenerationFinished(
                    request_id=self.request_id, finish_reason=FinishReason.CANCELLED, metrics=self.waiting_metrics()
                )
            )
        elif isinstance(self.command, Prewarm):
            self.send(PrewarmFinished(request_id=self.request_id))
        else:
            self.fail(Failure(code=Code.CANCELLED, message="Cancelled."))

    def waiting_metrics(self) -> RequestMetrics:
        """Metrics of a request that has only waited so far."""
        held = time.monotonic() - self.accepted
        load_time = min(self.load_wait, held)
        return RequestMetrics(queued_time=held - load_time, load_time=load_time, e2e_latency=held)


class RequestQueue:
    """Requests that wait for one model: higher priority first, then in order of arrival."""

    def __init__(self) -> None:
        self._waiting: list[HostRequest] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[HostRequest]:
        return iter(tuple(self._waiting))

    def push(self, request: HostRequest) -> int:
        """Add it; returns how many are ahead of it."""
        n_ahead = bisect.bisect_right(self._waiting, request.sort_key, key=lambda other: other.sort_key)
        self._waiting.insert(n_ahead, request)
        return n_ahead

    def remove(self, request: HostRequest) -> bool:
        """False when it was not waiting."""
        if request not in self._waiting:
            return False
        self._waiting.remove(request)
        return True

    def take_all(self) -> list[HostRequest]:
        taken, self._waiting = self._waiting, []
        return taken


def is_empty(command: Generate) -> bool:
    """Whether there is nothing to answer."""
    if command.prompt is not None:
        return not command.prompt
    return not command.messages or (command.messages[-1].role is Role.USER and not command.messages[-1].content.strip())
