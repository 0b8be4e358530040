"""Keys that no widget wanted: Escape closes what is open over the chat, and what is typed goes into the message."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent

from app.chat.find_bar import FindBar
from app.window.main_window import MainWindow

_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)


class UnhandledKeys(QObject):
    """Whatever has the focus comes first, then an answer that Escape stops, then this."""

    def __init__(self, window: MainWindow, find_bar: FindBar) -> None:
        super().__init__(window)
        self._composer, self._find_bar = window.composer, find_bar
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self._find_bar.close_bar()
                self._composer.setFocus(Qt.FocusReason.ShortcutFocusReason)
                return True
            if event.text().isprintable() and event.text().strip() and event.modifiers() in _PLAIN:
                self._composer.edit.insertPlainText(event.text())
                self._composer.setFocus(Qt.FocusReason.ShortcutFocusReason)
                return True
        return super().eventFilter(watched, event)
