"""Where the keyboard goes: keys that no widget wanted, and the focus when something over the chat is done."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QWindow

from app.chat.find_bar import FindBar
from app.window.main_window import MainWindow

_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
_PASSING = (Qt.WindowType.Popup, Qt.WindowType.ToolTip)


class KeyboardFocus(QObject):
    """Escape closes what is open over the chat, and what is typed goes into the message. Whatever has the focus comes
    first, then an answer that Escape stops, then this.

    A menu that closes leaves the focus where it was; a dialog or the models' window gives it to the composer.
    """

    def __init__(self, window: MainWindow, find_bar: FindBar) -> None:
        super().__init__(window)
        self._window, self._composer, self._find_bar = window, window.composer, find_bar
        self._before: QWindow | None = None
        window.installEventFilter(self)
        QGuiApplication.instance().focusWindowChanged.connect(self._on_focus_window)  # type: ignore[union-attr]
        window.sidebar.chat_opened.connect(lambda _chat_id: self._composer.setFocus())
        window.sidebar.hit_opened.connect(self._on_hit)

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

    def _on_hit(self, _chat_id: str, message_id: str | None) -> None:
        """A message that was found takes the keys itself."""
        if message_id is None:
            self._composer.setFocus()

    def _on_focus_window(self, now: QWindow | None) -> None:
        if now is None or now.type() in _PASSING:
            return  # Some desktops give no window the focus between a dialog and what was below it.
        before, self._before = self._before, now
        if before is None or now is before or now is not self._window.windowHandle():
            return
        if not (shiboken6.isValid(before) and before.isVisible()):
            self._composer.setFocus()
