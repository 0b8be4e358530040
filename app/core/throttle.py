"""Coalesces calls: the first at once, later ones at most every interval, the last one never lost."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, QTimer


class Throttle(QObject):
    """Calls `callback` at most once every `interval_ms`."""

    def __init__(self, interval_ms: int, callback: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._interval_ms = interval_ms
        self._callback = callback
        self._since = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._fire)

    def trigger(self) -> None:
        """Ask for a call: now if the interval has passed, else when it has."""
        if self._timer.isActive():
            return
        waited = self._since.elapsed() if self._since.isValid() else self._interval_ms
        if waited >= self._interval_ms:
            self._fire()
        else:
            self._timer.start(self._interval_ms - waited)

    def flush(self) -> None:
        """Make a waiting call now."""
        if self._timer.isActive():
            self._timer.stop()
            self._fire()

    def _fire(self) -> None:
        self._since.start()
        self._callback()
