"""A line of text that is cut where there is no room for all of it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QStyleOption, QWidget


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
