"""A flat button of message cards: words that can be pressed, and that cost next to nothing to make, move and paint."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QEnterEvent, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.ui.theme import Theme

HEIGHT = 22


class TextButton(QAbstractButton):
    """Words that can be pressed."""

    PAD = 5

    def __init__(self, theme: Theme, text: str = "", parent: QWidget | None = None, color: str = "dim") -> None:
        super().__init__(parent)
        self._theme = theme
        self._color = color
        self._shown: tuple[str, QFont] | None = None
        self.setText(text)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFont(theme.font(-2))

    def set_label(self, text: str, accessible_name: str = "") -> None:
        """Show `text`; it is also the accessible name unless another is given."""
        if (text, self.font()) != self._shown:
            self._shown = (text, self.font())
            self.setText(text)
            self.resize(self.sizeHint())
        self.setAccessibleName(accessible_name or text)

    def sizeHint(self) -> QSize:
        width = QFontMetricsF(self.font()).horizontalAdvance(self.text())
        return QSize(round(width) + 2 * self.PAD, max(HEIGHT, round(QFontMetricsF(self.font()).height()) + 4))

    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()
        super().enterEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.font())
        is_lit = self.isEnabled() and (self.underMouse() or self.hasFocus())
        color = self._theme.color("ink" if is_lit else self._color)
        color.setAlphaF(1.0 if self.isEnabled() else 0.4)
        painter.setPen(color)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self._theme.color("accent"), 1.2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.6, 0.6, -0.6, -0.6), 5, 5)
        painter.end()
