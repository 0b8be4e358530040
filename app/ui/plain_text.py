"""Plain text in widgets: tips that show what others wrote as it is, lines that are cut, and how high a text is."""

from __future__ import annotations

from PySide6 import QtGui
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QStyleOption, QWidget


def plain_tip(text: str) -> str:
    """`text` as a tool tip that shows it as it is: Qt takes what looks like HTML for a page, and would fetch the
    pictures that it names.
    """
    return QtGui.Qt.convertFromPlainText(text) if QtGui.Qt.mightBeRichText(text) else text


def text_height(edit: QPlainTextEdit, limit: float) -> float:
    """The height in pixels of all lines, or of the first ones that reach `limit`: what is longer is not measured.

    Lines differ where a font lacks letters, as with Chinese.
    """
    layout, block, height = edit.document().documentLayout(), edit.document().firstBlock(), 0.0
    while block.isValid() and height < limit:
        height += layout.blockBoundingRect(block).height()
        block = block.next()
    return min(height, limit)


class ElidedLabel(QLabel):
    """Asks for the room of its whole text, and is content with none. It ends in dots where it is cut, or with the last
    whole fact where a separator parts its facts: half a figure would be another figure.
    """

    def __init__(self, parent: QWidget | None = None, *, separator: str = "") -> None:
        super().__init__(parent)
        self._separator = separator

    @property
    def shown(self) -> str:
        """What can be read of the text."""
        if self._separator:
            text = self.text()
            while self.fontMetrics().horizontalAdvance(text) > self.width():
                text = text.rpartition(self._separator)[0]
            return text
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOption()
        option.initFrom(self)
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
        self.style().drawItemText(
            QPainter(self), self.rect(), int(align), option.palette, self.isEnabled(), self.shown, self.foregroundRole()
        )
