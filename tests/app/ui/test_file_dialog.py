"""Qt's own dialog for files, where the system has none: where it begins, and that it has the window's look."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QAbstractItemView, QApplication, QFileDialog, QToolButton
from pytestqt.qtbot import QtBot

from app.ui.file_dialog import ask_for_files, ask_for_folder, ask_where_to_save, file_dialog
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


def shown(window: MainWindow) -> QFileDialog:
    dialog = window.findChildren(QFileDialog)[-1]
    assert dialog.isVisible()
    return dialog


def test_a_file_to_save_has_a_proposal_and_the_suffix_of_the_kind_that_is_chosen(window: MainWindow) -> None:
    chosen: list[Path] = []
    kinds = {"Markdown (*.md)": "md", "PDF (*.pdf)": "pdf"}
    ask_where_to_save(window.theme, window, "Export", "Chat.md", chosen.append, kinds=kinds)
    dialog = shown(window)
    assert dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave
    assert (Path(dialog.selectedFiles()[0]).name, dialog.defaultSuffix()) == ("Chat.md", "md")
    dialog.filterSelected.emit("PDF (*.pdf)")
    assert dialog.defaultSuffix() == "pdf"
    dialog.fileSelected.emit("/somewhere/Chat.pdf")
    assert chosen == [Path("/somewhere/Chat.pdf")]


def test_several_files_or_a_folder_are_asked_for(window: MainWindow) -> None:
    files: list[list[Path]] = []
    ask_for_files(window.theme, window, "Import", files.append, filters=("Chats (*.json)", "All files (*)"))
    dialog = shown(window)
    assert (dialog.fileMode(), dialog.nameFilters()[0]) == (QFileDialog.FileMode.ExistingFiles, "Chats (*.json)")
    dialog.filesSelected.emit(["/a.json", "/b.json"])
    assert files == [[Path("/a.json"), Path("/b.json")]]
    folders: list[Path] = []
    ask_for_folder(window.theme, window, "Export", folders.append, is_without_files=True)
    dialog = shown(window)
    assert dialog.fileMode() is QFileDialog.FileMode.Directory
    assert dialog.testOption(QFileDialog.Option.ShowDirsOnly)
    dialog.fileSelected.emit("/chats")
    assert folders == [Path("/chats")]
