"""Text that an input method is still composing: the Enter that commits a candidate is the input method's alone."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QWidget


class Preedit(QObject):
    """Keeps Enter from `field` while its text is being composed. To be made after the field's other event filters."""

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
