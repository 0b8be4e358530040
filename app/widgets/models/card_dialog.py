"""A repository's own words about its model. Nothing in them is fetched: pictures stay out until the page is opened."""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QDialog, QTextBrowser, QVBoxLayout, QWidget

from app.theme import Theme


class _Text(QTextBrowser):
    def loadResource(self, _kind: int, _name: QUrl | str) -> object:
        return None


class CardDialog(QDialog):
    """Shows Markdown; its links open in the browser."""

    def __init__(self, theme: Theme, title: str, card: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setPalette(theme.palette())
        self.resize(720, 640)
        self.text = _Text()
        self.text.setFont(theme.font(-1))
        self.text.setPalette(theme.palette())
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.setOpenExternalLinks(True)
        self.text.setAccessibleName(title)
        self.text.document().setDocumentMargin(20)
        self.text.setMarkdown(card)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.text)
