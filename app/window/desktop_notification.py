"""A quiet notification of the desktop: by notify-send where there is one, else by a tray icon that goes again."""

from __future__ import annotations

import shutil

from PySide6.QtCore import QObject, QProcess, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSystemTrayIcon

from app.window.main_window import MainWindow

_SHOWN_MS = 10_000


class DesktopNotification(QObject):
    """A click on it brings the window, where the desktop tells of clicks."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._tray: QSystemTrayIcon | None = None
        self._end = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self._end.timeout.connect(self._hide)

    def show(self, title: str, text: str) -> None:
        """Show a title and a sentence; nothing where there is no desktop."""
        if QGuiApplication.platformName() in ("offscreen", "minimal"):
            return
        if program := shutil.which("notify-send"):
            options = ["--app-name=Firstlight", "--icon=firstlight", "--urgency=low"]
            QProcess.startDetached(program, [*options, "--", title, text])
        elif QSystemTrayIcon.isSystemTrayAvailable():
            if self._tray is None:
                self._tray = QSystemTrayIcon(self._window.windowIcon(), self)
                self._tray.messageClicked.connect(self._bring_window)
            self._tray.show()
            self._tray.showMessage(title, text, self._window.windowIcon(), _SHOWN_MS)
            self._end.start()

    def _hide(self) -> None:
        if self._tray is not None:
            self._tray.hide()

    def _bring_window(self) -> None:
        self._window.show()
        self._window.raise_()
        self._window.activateWindow()
