"""Dialogs for files and folders; each begins where something was chosen last."""

from __future__ import annotations

from PySide6.QtCore import QFileInfo, Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

_LAST = "last_folder"


def file_dialog(parent: QWidget, title: str) -> QFileDialog:
    """A dialog that goes away when it is closed. The first one of a session begins where the system puts it."""
    dialog = QFileDialog(parent, title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if folder := QApplication.instance().property(_LAST):  # type: ignore[union-attr]
        dialog.setDirectory(folder)
    dialog.accepted.connect(lambda: _remember(dialog.selectedFiles()))
    return dialog


def _remember(names: list[str]) -> None:
    if names:
        QApplication.instance().setProperty(_LAST, QFileInfo(names[0]).absolutePath())  # type: ignore[union-attr]
