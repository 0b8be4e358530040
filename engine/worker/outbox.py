"""Events on their way to the host: written in order, each request closed exactly once."""

from __future__ import annotations

import os
import threading

from engine.protocol.codec import encode
from engine.protocol.events import Event, Terminal


class Outbox:
    """Collects events and writes them as lines. Safe from every thread.

    What is sent for a request that is not open is dropped: it has had its terminal event already.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self._open: set[str] = set()
        self._pending: list[bytes] = []
        self.is_broken = False
        """The reader of our events is gone."""

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
        """Queue an event until the next flush."""
        with self._lock:
            if event.request_id:
                if event.request_id not in self._open:
                    return
                if isinstance(event, Terminal):
                    self._open.discard(event.request_id)
            self._pending.append(encode(event))

    def send(self, event: Event) -> None:
        """Queue an event and write it at once."""
        self.put(event)
        self.flush()

    def flush(self) -> None:
        """Write everything that is queued, in one call."""
        with self._lock:
            if not self._pending:
                return
            data = memoryview(b"".join(self._pending))
            self._pending.clear()
            try:
                while data:
                    data = data[os.write(self._descriptor, data) :]
            except OSError:
                self.is_broken = True
