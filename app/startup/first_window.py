"""The first half second: Qt, the theme, and the whole window, before anything else of the app is imported.

What this module imports decides how soon the window is there: no asyncio, no messages, no database. The look of the
last time lies in window.ini for that reason; the settings stay the truth and are read a moment later.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import traceback
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QEventLoop, QMetaObject, QSettings, QSize, Qt
from PySide6.QtWidgets import QApplication

from app.core.i18n import install_language
from app.ui.theme import Theme
from app.window.main_window import MainWindow
from engine.folders import Folders


class Look(NamedTuple):
    """What the command line asks for instead of what was chosen; empty for nothing."""

    theme: str = ""
    language: str = ""
    size: QSize | None = None


def make_application() -> QApplication:
    """The QApplication; offscreen where Linux has no display."""
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication([sys.argv[0], "-style", "Fusion"])  # setStyle() would make Python classes of all styles.
    app.setApplicationName("Firstlight")
    app.setDesktopFileName("firstlight")
    app.setQuitOnLastWindowClosed(False)
    return app


def show_window(app: QApplication, folders: Folders, look: Look) -> MainWindow:
    """Show the window as it was left the last time."""
    state = QSettings(str(folders.window_file), QSettings.Format.IniFormat)
    size, family = state.value("look/font_size", 14, int), state.value("look/font_family", "", str)
    install_language(app, look.language or str(state.value("look/language", "")))
    theme = Theme(look.theme or str(state.value("look/theme", "system")), int(str(size)), str(family))
    # What a style sheet touches has the application's font, not its parent's.
    theme.changed.connect(lambda: app.setFont(theme.font()))
    app.setFont(theme.font())
    window = MainWindow(theme, state)
    window.restore_state()
    if look.size is not None:
        window.resize(look.size)
    window.composer.edit.paste_limit = sys.maxsize  # Until there is somebody who takes a long paste as a file.
    window.show()
    window.composer.setFocus()
    return window


def import_meanwhile(window: MainWindow, name: str) -> None:
    """Once the window is painted, finish it, and import a module in a thread while the user may write.

    Raises what the import raises.
    """
    loop = QEventLoop()
    failures: list[BaseException] = []

    def work() -> None:
        try:
            importlib.import_module(name)
        except BaseException as error:  # noqa: BLE001 - raised again below
            failures.append(error)
        finally:
            QMetaObject.invokeMethod(loop, "quit", Qt.ConnectionType.QueuedConnection)

    def begin() -> None:
        try:
            _ = window.sidebar, window.strip
        except Exception as error:  # noqa: BLE001 - raised again below
            failures.append(error)
            loop.quit()
        else:
            thread.start()

    thread = threading.Thread(target=work, name=f"import {name}")
    window.first_paint.call_after(begin)
    loop.exec()
    if thread.ident is not None:
        thread.join()
    if failures:
        raise failures[0]


def tell_failure(app: QApplication, window: MainWindow, error: Exception) -> None:
    """The rest of the app cannot be imported: say so in the window, until it is closed."""
    traceback.print_exception(error)
    text = QCoreApplication.translate(
        "first window",
        "Firstlight cannot start, because files of it are missing or damaged ({reason}). "
        "Set it up again: python3 packaging/bootstrap.py run. Your chats are kept.",
    )
    window.notices.show_notice(text.format(reason=error), is_warning=True)
    window.close_requested.connect(app.quit)
    if not window.is_close_wanted:
        app.exec()
