"""Asks for files and folders: the system's own dialog, or Qt's with our look where there is none."""

from __future__ import annotations

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
