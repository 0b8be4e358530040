"""A repository's own words about its model. Nothing in them is fetched: pictures stay out until the page is opened."""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QDialog, QTextBrowser, QVBoxLayout, QWidget

from app.theme import Theme


class _Text(QTextBrowser):
    def loadResource(self, _kind: int, _name: QUrl | str) -> object:
        return None


class CardDialog(QDialog):
    """Shows Markdown; its links to the web open in the browser, others lead nowhere."""

    def __init__(self, theme: Theme, title: str, card: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setPalette(theme.palette())
        self.resize(720, 640)
        self.text = _Text()
        self.text.setFont(theme.font(-1))
        self.text.setPalette(theme.palette())
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.setOpenLinks(False)
        self.text.anchorClicked.connect(_open)
        self.text.setAccessibleName(title)
        self.text.document().setDocumentMargin(20)
        self.text.setMarkdown(card)
        _lay_out(self.text.document(), theme)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.text)


def _open(link: QUrl) -> None:
    if link.scheme() in ("http", "https"):
        QDesktopServices.openUrl(link)


def _lay_out(document: QTextDocument, theme: Theme) -> None:
    """Markdown comes without distances, and with links in a colour of its own."""
    link = QTextCharFormat()
    link.setForeground(theme.color("accent"))
    block = document.begin()
    while block.isValid():
        cursor = QTextCursor(block)
        spaced = QTextBlockFormat()
        spaced.setTopMargin(14 if block.blockFormat().headingLevel() else 0)
        spaced.setBottomMargin(0 if cursor.currentTable() is not None else 6)
        cursor.mergeBlockFormat(spaced)
        links = [piece.fragment() for piece in block if piece.fragment().charFormat().isAnchor()]  # type: ignore[attr-defined]
        for found in links:
            cursor.setPosition(found.position())
            cursor.setPosition(found.position() + found.length(), QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(link)
        block = block.next()
