"""A line of text that ends in dots where there is no room for it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QStyleOption


class ElidedLabel(QLabel):
    """Asks for the room of its whole text, and is content with none."""

    @property
    def shown(self) -> str:
        """What can be read of the text."""
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
