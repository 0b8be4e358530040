"""The first half second: Qt, the theme, and the whole window, before anything else of the app is imported.

What this module imports decides how soon the window is there: no asyncio, no messages, no database. The look of the
last time lies in window.ini for that reason; the settings stay the truth and are read a moment later.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from dataclasses import dataclass

from PySide6.QtCore import QEventLoop, QMetaObject, QSettings, QSize, Qt
from PySide6.QtWidgets import QApplication

from app.chat_list_model import ChatListModel
from app.i18n import install_language
from app.style import app_icon
from app.theme import Theme
from app.widgets.main_window import MainWindow
from engine.folders import Folders


@dataclass(frozen=True, slots=True)
class Look:
    """What the command line asks for instead of what was chosen; empty for nothing."""

    theme: str = ""
    language: str = ""
    size: QSize | None = None


def make_application() -> QApplication:
    """The QApplication; offscreen where Linux has no display."""
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication([sys.argv[0]])
    app.setApplicationName("Firstlight")
    app.setDesktopFileName("firstlight")
    app.setStyle("Fusion")
    app.setQuitOnLastWindowClosed(False)
    return app


def show_window(app: QApplication, folders: Folders, look: Look) -> MainWindow:
    """Show the window as it was left the last time."""
    state = QSettings(str(folders.window_file), QSettings.Format.IniFormat)
    size, family = state.value("look/font_size", 14, int), state.value("look/font_family", "", str)
    install_language(app, look.language or str(state.value("look/language", "")))
    theme = Theme(look.theme or str(state.value("look/theme", "system")), int(str(size)), str(family))
    app.setFont(theme.font())
    app.setWindowIcon(app_icon())
    window = MainWindow(theme, state, ChatListModel())
    window.restore_state()
    if look.size is not None:
        window.resize(look.size)
    window.show()
    window.composer.setFocus()
    return window


def import_meanwhile(name: str) -> None:
    """Import a module in a thread, while the window paints and takes keys."""
    loop = QEventLoop()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            importlib.import_module(name)
        except BaseException as error:  # noqa: BLE001 - raised again below
            failures.append(error)
        finally:
            QMetaObject.invokeMethod(loop, "quit", Qt.ConnectionType.QueuedConnection)

    thread = threading.Thread(target=work, name=f"import {name}")
    thread.start()
    loop.exec()
    thread.join()
    if failures:
        raise failures[0]
