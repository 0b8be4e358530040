"""A share of a frame's time: work that would take longer goes on in the next one."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer

LAYOUT_MS = 8
"""What laying out may take of one frame."""


class Budget:
    """Runs out after some milliseconds; `was_short` tells whether anything had to be put off."""

    def __init__(self, duration_ms: float = LAYOUT_MS) -> None:
        self.was_short = False
        self._duration_ms = duration_ms
        self._clock = QElapsedTimer()
        self._clock.start()

    def is_spent(self) -> bool:
        """Ask before each piece of work; a piece that is put off is remembered."""
        if self._clock.nsecsElapsed() < self._duration_ms * 1e6:
            return False
        self.was_short = True
        return True


def unlimited() -> Budget:
    """For pictures and tests, which need everything at once."""
    return Budget(float("inf"))
