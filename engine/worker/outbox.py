"""Events on their way to the host: written in order, each request closed exactly once."""

from __future__ import annotations

import os
import queue
import select
import sys
import threading
import traceback
from collections.abc import Callable

from engine.errors import Code, EngineError, FirstlightError
from engine.metrics import RequestMetrics
from engine.protocol.codec import encode
from engine.protocol.events import Event, RequestFailed, Terminal

_AT_ONCE_BYTES = getattr(select, "PIPE_BUF", 512)
"""A pipe that is ready for writing takes this much without making the writer wait (POSIX, poll and write)."""


class Outbox:
    """Takes events from every thread and writes them in order; a slow reader never holds a step up.

    What the pipe takes at once is written on the spot: waking a thread for it costs a decode step on a machine whose
    cores all compute ten times as much. What it does not take is left to a thread. What is put for a request that is
    not open is dropped: it has had its terminal event already.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self._open: set[str] = set()
        self._pending: queue.SimpleQueue[bytes | threading.Event | None] = queue.SimpleQueue()
        self._n_pending = 0
        """Lines that the thread has not written yet: as long as there are any, all others queue up behind them."""
        self._ready = _writable(descriptor)
        self.is_broken = False
        """The reader of our events is gone."""
        self._writer = threading.Thread(target=self._write_all, name="outbox", daemon=True)
        self._writer.start()

    def open(self, request_id: str) -> bool:
        """Expect a terminal event for this id; False when it is open already."""
        with self._lock:
            if request_id in self._open:
                return False
            self._open.add(request_id)
            return True

    def is_open(self, request_id: str) -> bool:
        with self._lock:
            return request_id in self._open

    def open_ids(self) -> list[str]:
        with self._lock:
            return sorted(self._open)

    def put(self, event: Event) -> None:
        """Hand an event over. One that cannot be encoded raises, and leaves its request open for another end."""
        with self._lock:
            if event.request_id and event.request_id not in self._open:
                return
            line = encode(event)
            if isinstance(event, Terminal):
                self._open.discard(event.request_id)
            if self._n_pending or len(line) > _AT_ONCE_BYTES or not self._ready():
                self._n_pending += 1
                self._pending.put(line)
            else:
                self._write(line)

    def fail(self, request_id: str, error: Exception, metrics: RequestMetrics | None = None) -> None:
        """End a request with an error; of a bug of ours the details go to stderr."""
        if not isinstance(error, FirstlightError):
            traceback.print_exception(error, file=sys.stderr)
            error = internal_error(error)
        self.put(RequestFailed(request_id=request_id, failure=error.failure, metrics=metrics))

    def flush(self) -> None:
        """Wait until everything that was put before has been written."""
        written = threading.Event()
        self._pending.put(written)
        written.wait()

    def close(self) -> None:
        """Write what is left and end; what is put later may be lost."""
        self._pending.put(None)
        self._writer.join()

    def _write_all(self) -> None:
        while (item := self._pending.get()) is not None:
            if isinstance(item, threading.Event):
                item.set()
                continue
            self._write(item)
            with self._lock:
                self._n_pending -= 1

    def _write(self, line: bytes) -> None:
        data = memoryview(line)
        try:
            while data and not self.is_broken:
                data = data[os.write(self._descriptor, data) :]
        except OSError:
            self.is_broken = True


def _writable(descriptor: int) -> Callable[[], object]:
    """Asks whether the descriptor takes a short line at once; where the system cannot tell, the answer is no."""
    if not hasattr(select, "poll"):
        return lambda: False
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return lambda: poll.poll(0)


def internal_error(error: Exception) -> EngineError:
    """What the user reads about a bug of ours; the details are on stderr."""
    return EngineError(
        Code.INTERNAL,
        "Something went wrong inside Firstlight ({kind}).",
        "Try again; if it stays, load the model again and report it with the log.",
        kind=type(error).__name__,
    )
