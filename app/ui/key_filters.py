"""Event filters for keys that belong to one widget: its Escape, and the Enter of an input method."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QWidget


class EscapeFilter(QObject):
    """The widget, and what lies in it, gets Escape as a key while `is_wanted()`.

    The window's own Escape would stop an answer instead.
    """

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


class PreeditFilter(QObject):
    """Keeps Enter from `field` while an input method composes its text: the Enter that commits is the method's alone.

    To be made after the field's other event filters."""

    def __init__(self, field: QWidget) -> None:
        super().__init__(field)
        self.is_composing = False
        self._has_just_committed = False
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QInputMethodEvent):
            was_composing, self.is_composing = self.is_composing, bool(event.preeditString())
            if was_composing and not self.is_composing and event.commitString():
                # Some input methods pass on the very Enter that committed the candidate, in the same turn of the loop.
                self._has_just_committed = True
                QTimer.singleShot(0, self, self._forget_commit)
        elif isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            return is_enter and (self.is_composing or self._has_just_committed)
        return False

    def _forget_commit(self) -> None:
        self._has_just_committed = False
