"""When a window is painted first: what the user need not wait for comes after that."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

_UNPAINTED_MS = 300


class FirstPaint(QObject):
    """Watches `window` until its first paint."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._has_happened = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        window.installEventFilter(self)

    def call_after(self, begin: Callable[[], None]) -> None:
        """Call `begin` once, when that paint is over; or soon, when the window is shown minimised and not painted."""
        self._timer.timeout.connect(begin)
        self._timer.start(0 if self._has_happened else _UNPAINTED_MS)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint:
            watched.removeEventFilter(self)
            self._has_happened = True
            if self._timer.isActive():
                self._timer.start(0)
        return False
