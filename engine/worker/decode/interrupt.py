"""Ends a running llama_decode from the reader thread, but only the one that is meant."""

from __future__ import annotations

import threading

from engine.protocol.commands import Command, Generate, Prewarm
from engine.worker.decode.prewarm import serves
from engine.worker.llama.context import AbortFlag


class Interrupt:
    """Guards a context's abort flag: without it a cancel that comes a moment late would hit somebody else's step."""

    def __init__(self, flag: AbortFlag) -> None:
        self._lock = threading.Lock()
        self._flag = flag
        self._owner: str | None = None
        self._prewarm: Prewarm | None = None
        self._arrived: Command | None = None
        """The last that came while no prewarm's step ran: the loop may not have seen it before it begins the next."""
        self._is_closing = False
        self._is_raised = False

    def begin(self, owner: str | None, prewarm: Prewarm | None = None) -> None:
        """A step starts; `owner` is the only request in it, None when there are several.

        `prewarm` is what it is read for where that is a prewarm that may be ended.
        """
        with self._lock:
            self._owner, self._prewarm = owner, prewarm
            arrived, self._arrived = self._arrived, None
            if prewarm is not None and arrived is not None and not _is_served(prewarm, arrived):
                self._raise()

    def end(self) -> None:
        with self._lock:
            self._owner = self._prewarm = None
            if self._is_raised and not self._is_closing:
                self._is_raised = False
                self._flag.clear()

    def cancel(self, request_id: str) -> None:
        """End the step if it is this request's alone; one that is shared ends by itself soon."""
        with self._lock:
            if self._owner == request_id:
                self._raise()

    def yield_prewarm(self, command: Command) -> None:
        """This came and must not wait behind a prewarm, unless that reads what it needs.

        To be called when the loop can see the command: a step that begins between the two is ended, too.
        """
        with self._lock:
            if self._prewarm is None:
                self._arrived = command
            elif not _is_served(self._prewarm, command):
                self._raise()

    def close(self) -> None:
        """The process ends: no step may run on."""
        with self._lock:
            self._is_closing = True
            self._raise()

    def _raise(self) -> None:
        self._is_raised = True
        self._flag.set()


def _is_served(prewarm: Prewarm, command: Command) -> bool:
    return isinstance(command, Generate | Prewarm) and serves(prewarm, command)
