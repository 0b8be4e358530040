"""Asks for files and folders: the system's own dialog, or Qt's with our look where there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QDir, QFileInfo, QStandardPaths, Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QSplitter, QToolButton, QWidget

from app.ui.style_sheet import icon
from app.ui.theme import Theme

_WIDTH, _HEIGHT, _PLACES_WIDTH = 760, 480, 150
_LAST = "last_folder"
_ICONS = {
    "backButton": "chevron_left",
    "forwardButton": "chevron_right",
    "toParentButton": "send",
    "newFolderButton": "folder_plus",
    "listModeButton": "tiles",
    "detailModeButton": "rows",
}
"""Qt's own are black, in the dark too."""


def ask_for_files(
    theme: Theme, parent: QWidget, title: str, accept: Callable[[list[Path]], object], *, filters: Sequence[str] = ()
) -> None:
    """Ask for files that are there; `filters` are Qt's, as in "Chats (*.json *.zip)"."""
    dialog = file_dialog(theme, parent, title)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    if filters:
        dialog.setNameFilters(filters)
    dialog.filesSelected.connect(lambda names: accept([Path(name) for name in names]))
    dialog.open()


def ask_for_folder(
    theme: Theme, parent: QWidget, title: str, accept: Callable[[Path], object], *, is_without_files: bool = False
) -> None:
    """Ask for a folder; its files are not shown where it is one to write into."""
    dialog = file_dialog(theme, parent, title)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly, is_without_files)
    dialog.fileSelected.connect(lambda name: accept(Path(name)))
    dialog.open()


def ask_where_to_save(
    theme: Theme, parent: QWidget, title: str, name: str, accept: Callable[[Path], object], *,
    kinds: Mapping[str, str] | None = None,
) -> None:  # fmt: skip
    """Ask for a file to write, with `name` as the proposal; `kinds` are suffixes by Qt's filters, for a choice."""
    dialog = file_dialog(theme, parent, title)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(name.rpartition(".")[2])
    if kinds:
        dialog.setNameFilters(list(kinds))
        dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(kinds[chosen]))
    dialog.selectFile(name)
    dialog.fileSelected.connect(lambda chosen: accept(Path(chosen)))
    dialog.open()


def file_dialog(theme: Theme, parent: QWidget, title: str) -> QFileDialog:
    """A dialog over `parent`, to be set up and opened. It goes when closed, and the next begins where it ended."""
    dialog = QFileDialog(parent, title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if folder := QApplication.instance().property(_LAST):  # type: ignore[union-attr]
        dialog.setDirectory(folder)
    elif dialog.directory() == QDir.current():  # Nothing was chosen yet, and where we were started says nothing.
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        dialog.setDirectory(documents if QDir(documents).exists() else QDir.homePath())
    dialog.accepted.connect(lambda: _remember(dialog.selectedFiles()))
    if (splitter := dialog.findChild(QSplitter)) is not None:
        dialog.resize(_WIDTH, _HEIGHT)
        splitter.setSizes([_PLACES_WIDTH, _WIDTH - _PLACES_WIDTH])
    for button in dialog.findChildren(QToolButton):
        if (name := _ICONS.get(button.objectName())) is not None:
            button.setIcon(icon(theme, name))
    return dialog


def _remember(names: list[str]) -> None:
    """Qt forgets a place that was typed."""
    if names:
        QApplication.instance().setProperty(_LAST, QFileInfo(names[0]).absolutePath())  # type: ignore[union-attr]
