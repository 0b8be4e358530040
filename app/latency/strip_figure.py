"""One figure of the latency strip: a few words and numbers with a level that shows in colour, in shape and in words."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.latency.strip_readings import Level
from app.ui.theme import Theme

_MARK_WIDTH = 13.0
_COLORS = {Level.PLAIN: "ink", Level.GOOD: "good", Level.NOTICE: "note", Level.WARNING: "warn"}


class FigurePart(NamedTuple):
    """A piece of a figure's text; strong pieces are the numbers."""

    text: str
    is_strong: bool = False
    level: Level = Level.PLAIN


class StripFigure(QWidget):
    """Paints parts in one line. A notice has a hollow triangle before it, a warning a filled one."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts: tuple[FigurePart, ...] = ()
        self._level = Level.PLAIN
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.hide()

    @property
    def text(self) -> str:
        """What is painted, as one string."""
        return "".join(part.text for part in self._parts)

    @property
    def level(self) -> Level:
        """The worst level of the parts."""
        return self._level

    def set_parts(self, *parts: FigurePart, spoken: str = "") -> None:
        """Show `parts`; none of them hides the figure. `spoken` names it for a screen reader."""
        if parts == self._parts:
            return
        before = self.sizeHint()
        self._parts = parts
        order = list(Level)
        self._level = max((part.level for part in parts), key=order.index, default=Level.PLAIN)
        words = {Level.NOTICE: self.tr("notice"), Level.WARNING: self.tr("warning")}
        said = spoken or self.text
        self.setAccessibleName(f"{said}, {words[self._level]}" if self._level in words else said)
        self.setVisible(bool(parts))
        if self.sizeHint() != before:
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(self._width() + 0.5), 20)

    minimumSizeHint = sizeHint

    def _font_metrics(self, part: FigurePart) -> QFontMetricsF:
        return QFontMetricsF(self._theme.font(-2, is_bold=part.is_strong), self)

    def _width(self) -> float:
        mark = _MARK_WIDTH if self._level in (Level.NOTICE, Level.WARNING) else 0.0
        return mark + sum(self._font_metrics(part).horizontalAdvance(part.text) for part in self._parts)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        x, middle = 0.0, self.height() / 2
        if self._level in (Level.NOTICE, Level.WARNING):
            self._paint_mark(painter, middle)
            x = _MARK_WIDTH
        for part in self._parts:
            font = self._theme.font(-2, is_bold=part.is_strong)
            metrics = QFontMetricsF(font, self)
            leveled = part.level is not Level.PLAIN
            painter.setFont(font)
            painter.setPen(self._theme.color(_COLORS[part.level] if leveled or part.is_strong else "dim"))
            painter.drawText(QPointF(x, middle + (metrics.ascent() - metrics.descent()) / 2), part.text)
            x += metrics.horizontalAdvance(part.text)

    def _paint_mark(self, painter: QPainter, middle: float) -> None:
        color = self._theme.color(_COLORS[self._level])
        painter.setPen(QPen(color, 1.3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
        painter.setBrush(color if self._level is Level.WARNING else Qt.BrushStyle.NoBrush)
        painter.drawPolygon(QPolygonF([QPointF(1, middle + 4), QPointF(9, middle + 4), QPointF(5, middle - 4)]))
