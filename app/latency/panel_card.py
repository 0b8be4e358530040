"""A card of the latency panel: a title, a headline figure, and a body."""

from __future__ import annotations

import re

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.ui.theme import Theme

RADIUS = 10.0
MARGIN_X, MARGIN_Y = 12, 11
SMALL = -1.5
"""Font size of the panel against the base size, in pixels."""
_FIGURE = re.compile(
    r"(?<=\d) (?=(?:%|°C|ms|s|min|[kMGT]?B|W|tok/s|MHz|毫秒|秒|分|个)(?![a-zA-Z]))|(?<=个) (?=token)| (?=→)|(?<=→) "
)
"""The space between a number and its unit, and those around an arrow."""
_GLUE = "\u2060"
"""Joins two characters that a line could be broken between."""


class PanelCard(QWidget):
    """Base of the panel's cards. Subclasses fill `body` and call `set_title` and `set_headline`."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._title = QLabel()
        self._headline = QLabel()
        self._headline.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(self._title)
        head.addStretch(1)
        head.addWidget(self._headline)
        self.body = QVBoxLayout()
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(6)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN_X, MARGIN_Y, MARGIN_X, MARGIN_Y)
        column.setSpacing(7)
        column.addLayout(head)
        column.addLayout(self.body)
        theme.changed.connect(self.restyle)
        self.restyle()

    def indent(self, pixels: int) -> None:
        """Keep the left free, for what a subclass paints there."""
        self.setContentsMargins(pixels, 0, 0, 0)

    def set_title(self, text: str) -> None:
        self._title.setText(text)
        self.setAccessibleName(text)

    def set_headline(self, text: str, tooltip: str = "") -> None:
        """The figure at the right of the title."""
        if text != self._headline.text():
            self._headline.setText(text)
            self.setAccessibleDescription(text)
        self._headline.setToolTip(tooltip)

    def restyle(self) -> None:
        """Take the theme's fonts and colours; subclasses extend it."""
        self._title.setFont(self.theme.font(SMALL - 0.5, is_bold=True))
        self._headline.setFont(self.theme.font(SMALL - 0.5, is_bold=True))
        for label in (self._title, self._headline):
            label.setStyleSheet(f".QLabel {{ color: {self.theme.tokens.ink}; background: transparent; }}")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.theme.color("line"), 1))
        painter.setBrush(self.theme.color("card"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)


class NoteLabel(QLabel):
    """A small wrapping text in the panel's size, in one of the theme's colours."""

    def __init__(self, theme: Theme, text: str, color: str) -> None:
        super().__init__()
        self._theme, self._color, self._text = theme, color, ""
        self.setText(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        theme.changed.connect(self._restyle)
        self._restyle()

    def text(self) -> str:
        return self._text

    def setText(self, text: str) -> None:
        """Show it without breaking a line between a number and its unit, or in `21 ms → 17 ms`."""
        self._text = text
        super().setText(_FIGURE.sub("\u00a0", text).replace("毫秒", f"毫{_GLUE}秒"))

    def set_color(self, color: str) -> None:
        """Another of the theme's colours."""
        self._color = color
        self._restyle()

    def _restyle(self) -> None:
        self.setFont(self._theme.font(SMALL - 0.5))
        self.setStyleSheet(f"color: {getattr(self._theme.tokens, self._color)}; background: transparent;")


def note_label(theme: Theme, text: str = "", *, color: str = "dim") -> NoteLabel:
    """A small wrapping text that follows the theme."""
    return NoteLabel(theme, text, color)
