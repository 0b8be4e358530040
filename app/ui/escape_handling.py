"""Keeps Escape for a widget that means something by it; the window's own would stop an answer instead."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget


class EscapeHandling(QObject):
    """The widget, and what lies in it, gets Escape as a key while `is_wanted()`."""

    def __init__(self, widget: QWidget, is_wanted: Callable[[], bool] = lambda: True) -> None:
        super().__init__(widget)
        self._is_wanted = is_wanted
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            is_own = event.key() == Qt.Key.Key_Escape and self._is_wanted()
            if is_own:
                event.accept()
            return is_own
        return super().eventFilter(watched, event)
