"""Events on their way to the host: written in order, each request closed exactly once."""

from __future__ import annotations

import os
import queue
import threading

from engine.protocol.codec import encode
from engine.protocol.events import Event, Terminal


class Outbox:
    """Takes events from every thread; one of its own encodes and writes them.

    So a token is written while the next one is computed, and a slow reader never holds a step up. What is put for a
    request that is not open is dropped: it has had its terminal event already.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self._open: set[str] = set()
        self._pending: queue.SimpleQueue[Event | threading.Event | None] = queue.SimpleQueue()
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
        """Hand an event over."""
        with self._lock:
            if event.request_id:
                if event.request_id not in self._open:
                    return
                if isinstance(event, Terminal):
                    self._open.discard(event.request_id)
            self._pending.put(event)

    def flush(self) -> None:
        """Wait until everything that was put before has been written."""
        written = threading.Event()
        self._pending.put(written)
        written.wait()

    def close(self) -> None:
        """Write what is left and end; later events are lost."""
        self._pending.put(None)
        self._writer.join()

    def _write_all(self) -> None:
        lines: list[bytes] = []
        while (item := self._pending.get()) is not None:
            if isinstance(item, Event):
                lines.append(encode(item))
            if lines and (self._pending.empty() or not isinstance(item, Event)):
                self._write(memoryview(b"".join(lines)))
                lines.clear()
            if isinstance(item, threading.Event):
                item.set()
        self._write(memoryview(b"".join(lines)))

    def _write(self, data: memoryview) -> None:
        try:
            while data and not self.is_broken:
                data = data[os.write(self._descriptor, data) :]
        except OSError:
            self.is_broken = True
