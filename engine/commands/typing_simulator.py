"""Simulates somebody who types into the window: the commands that it sends, at the times when it does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from engine.protocol.prewarm_timing import reading_delay

KEY_SECONDS = 0.12
"""Between two keys of a fast typist: a hundred words a minute."""


class Typist:
    """Types behind a paste, and has each draft counted and then read as the window does."""

    def __init__(self, count: Callable[[str], None], read: Callable[[str], None]) -> None:
        """Both take the draft and return when they are done, in threads of their own."""
        self._count = count
        self._read = read
        self._newest = ""
        self._threads: list[threading.Thread] = []

    def type(self, paste: str, question: str) -> None:
        """Paste, then type; returns when the key after the last one is due."""
        self._change(paste)
        draft, unread, key = paste, time.monotonic(), time.monotonic() + KEY_SECONDS
        for letter in (*question, ""):
            due = time.monotonic() + reading_delay(draft, time.monotonic() - unread)
            if draft != self._newest and due < key:
                _wait(due)
                self._change(draft)
            _wait(key)
            if draft == self._newest:
                unread = time.monotonic()
            draft, key = draft + letter, key + KEY_SECONDS

    def wait(self) -> None:
        """Until everything that was asked for has ended."""
        for thread in self._threads:
            thread.join()

    def _change(self, draft: str) -> None:
        self._newest = draft
        self._threads.append(threading.Thread(target=self._prepare, args=(draft,)))
        self._threads[-1].start()

    def _prepare(self, draft: str) -> None:
        self._count(draft)
        if draft == self._newest:
            self._read(draft)


def _wait(moment: float) -> None:
    threading.Event().wait(max(0.0, moment - time.monotonic()))
