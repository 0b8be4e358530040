"""Opens a link in the browser, after a question where its text says something else than its address."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QGridLayout, QMessageBox, QSpacerItem, QWidget


def open_link(url: str, text: str, window: QWidget) -> None:
    """Open `url`, at once where `text`, which the link shows, is that address."""
    if text.strip().rstrip("/") == url.rstrip("/"):
        QDesktopServices.openUrl(QUrl(url))
        return
    question = LinkQuestion(url, window)
    question.accepted.connect(lambda: QDesktopServices.openUrl(QUrl(url)))
    question.open()


class LinkQuestion(QMessageBox):
    """`accepted` when the address, which it shows, is to be opened."""

    def __init__(self, url: str, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setIcon(QMessageBox.Icon.NoIcon)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWindowTitle(self.tr("Open a link"))
        self.setText(self.tr("Open this address in the browser?"))
        self.setInformativeText(url)
        # Without it the address is broken after some 25 letters.
        self.setStyleSheet("#qt_msgbox_informativelabel { min-width: 380px; }")
        self.setStandardButtons(QMessageBox.StandardButton.Open | QMessageBox.StandardButton.Cancel)
        grid = self.layout()
        if isinstance(grid, QGridLayout) and isinstance(indent := grid.itemAtPosition(0, 0), QSpacerItem):
            indent.changeSize(0, 0)  # Qt indents the words of a box without an icon.
            grid.setHorizontalSpacing(0)
