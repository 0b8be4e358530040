"""A share of a frame's time: work that would take longer goes on in the next one."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer

LAYOUT_MS = 5
"""What laying out may take of one frame; painting it takes as much again."""
_BREATH_MS = 2
PAGE_MS = 20
"""The same where a whole page is shown at once: another chat."""


class FrameBudget:
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


class Pace:
    """Hands out budgets that leave other events their turn: right after one was spent, the next is empty."""

    def __init__(self) -> None:
        self._since = QElapsedTimer()

    def budget(self) -> FrameBudget:
        is_rested = not self._since.isValid() or self._since.elapsed() >= _BREATH_MS
        return FrameBudget(LAYOUT_MS if is_rested else 0)

    def spent(self) -> None:
        """Some budget has just been spent."""
        self._since.start()


def unlimited() -> FrameBudget:
    """For pictures and tests, which need everything at once."""
    return FrameBudget(float("inf"))
