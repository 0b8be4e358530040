"""Asks for files and folders: the system's own dialog, or Qt's with our look where there is none."""

from __future__ import annotations

from PySide6.QtCore import QDir, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QSplitter, QToolButton, QWidget

from app.style import icon
from app.theme import Theme

_WIDTH, _HEIGHT, _PLACES_WIDTH = 760, 480, 150
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
    """A dialog over `parent`, to be set up and opened. It goes when it is closed."""
    dialog = QFileDialog(parent, title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if dialog.directory() == QDir.current():  # Nothing was chosen yet, and where we were started says nothing.
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        dialog.setDirectory(documents if QDir(documents).exists() else QDir.homePath())
    if (splitter := dialog.findChild(QSplitter)) is not None:
        dialog.resize(_WIDTH, _HEIGHT)
        splitter.setSizes([_PLACES_WIDTH, _WIDTH - _PLACES_WIDTH])
    for button in dialog.findChildren(QToolButton):
        if (name := _ICONS.get(button.objectName())) is not None:
            button.setIcon(icon(theme, name))
    return dialog
