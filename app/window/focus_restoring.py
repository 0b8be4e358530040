"""Brings the focus back to the message field once what was opened, chosen or stopped is done."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication, QWindow

from app.window.main_window import MainWindow

_PASSING = (Qt.WindowType.Popup, Qt.WindowType.ToolTip)


class FocusRestorer(QObject):
    """A menu that closes leaves the focus where it was; a dialog or the models' window gives it to the composer."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._before: QWindow | None = None
        QGuiApplication.instance().focusWindowChanged.connect(self._on_focus_window)  # type: ignore[union-attr]
        window.sidebar.chat_opened.connect(self.take)
        window.sidebar.hit_opened.connect(self._on_hit)

    def take(self) -> None:
        """Let the user write."""
        self._window.composer.setFocus()

    def _on_hit(self, _chat_id: str, message_id: str | None) -> None:
        """A message that was found takes the keys itself."""
        if message_id is None:
            self.take()

    def _on_focus_window(self, now: QWindow | None) -> None:
        if now is None or now.type() in _PASSING:
            return  # Some desktops give no window the focus between a dialog and what was below it.
        before, self._before = self._before, now
        if before is None or now is before or now is not self._window.windowHandle():
            return
        if not (shiboken6.isValid(before) and before.isVisible()):
            self.take()
