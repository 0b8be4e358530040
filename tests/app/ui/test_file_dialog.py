"""Qt's own dialog for files, where the system has none: where it begins, and that it has the window's look."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QAbstractItemView, QApplication, QFileDialog, QToolButton
from pytestqt.qtbot import QtBot

from app.ui.file_dialog import file_dialog
from app.ui.style_sheet import icon
from app.ui.theme import DARK, Theme
from app.window.main_window import MainWindow


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    QApplication.instance().setProperty("last_folder", None)  # Another test may have chosen a file.
    made = MainWindow(Theme("dark"), QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(made, before_close_func=MainWindow.close_now)
    return made


@pytest.mark.parametrize("name", ["Documents", ""])
def test_it_begins_with_the_user_s_documents_not_where_the_app_was_started(
    name: str, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / name).mkdir(exist_ok=True)
    monkeypatch.chdir(QFileDialog().directory().path())
    assert Path(file_dialog(window.theme, window, "Export").directory().path()) == tmp_path / name


def test_it_goes_on_where_a_file_was_chosen(window: MainWindow, tmp_path: Path) -> None:
    QFileDialog().setDirectory(str(tmp_path))
    assert Path(file_dialog(window.theme, window, "Export").directory().path()) == tmp_path


def test_it_is_dark_in_the_dark(window: MainWindow, qtbot: QtBot) -> None:
    dialog = file_dialog(window.theme, window, "Export")
    with qtbot.waitExposed(dialog):
        dialog.show()
    views = dialog.findChildren(QAbstractItemView)
    assert views
    for view in views:
        colors = view.palette()
        assert colors.color(QPalette.ColorRole.Base).name() in (DARK.card, DARK.side, DARK.bg)
        assert colors.color(QPalette.ColorRole.Text).name() == DARK.ink
    parent_button = dialog.findChild(QToolButton, "toParentButton")
    assert isinstance(parent_button, QToolButton)
    assert parent_button.icon().pixmap(16).toImage() == icon(window.theme, "send").pixmap(16).toImage()
