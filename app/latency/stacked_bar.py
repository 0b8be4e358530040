"""A bar of parts with its legend: the TTFT waterfall and the memory stack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.latency.latency_accessibility import Chart
from app.latency.panel_card import SMALL
from app.ui.theme import Theme

BAR_HEIGHT = 16.0
SWATCH = 8.0
GAP = 12.0
DIVIDED = 3.0
"""Pixels of a part; of a narrower one the line at its end would leave nothing."""


@dataclass(frozen=True, slots=True)
class BarPart:
    """One part of a bar. `text` is its legend, empty for none; `color` a token of the theme."""

    text: str
    value: float
    color: str
    tooltip: str = ""


class StackedBar(Chart):
    """Parts side by side in proportion, and a legend that wraps below."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts: tuple[BarPart, ...] = ()
        self._total = 0.0
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self.update)

    def set_parts(self, parts: Sequence[BarPart], total: float = 0.0) -> None:
        """Show these parts; `total` leaves the rest of the bar empty when it is larger than their sum."""
        new = tuple(parts)
        if (new, total) == (self._parts, self._total):
            return
        rows_before = len(self._legend(self.width()))
        self._parts, self._total = new, total
        self.setAccessibleName(", ".join(part.text for part in new if part.text))
        if len(self._legend(self.width())) != rows_before:
            self.updateGeometry()
        self.update()

    @property
    def parts(self) -> tuple[BarPart, ...]:
        return self._parts

    def heightForWidth(self, width: int) -> int:
        rows = len(self._legend(width))
        return round(BAR_HEIGHT + (6 if rows else 0) + rows * self._row_height())

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(self.width(), 200)))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, round(BAR_HEIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar = QRectF(0, 0, self.width(), BAR_HEIGHT)
        clip = QPainterPath()
        clip.addRoundedRect(bar, 4, 4)
        painter.save()
        painter.setClipPath(clip)
        painter.fillRect(bar, self._theme.color("p6"))
        for part, left, right in self._spans():
            painter.fillRect(QRectF(left, 0, right - left, BAR_HEIGHT), self._theme.color(part.color))
            if right - left >= DIVIDED:  # Parts of like brightness stay apart for every eye.
                painter.fillRect(QRectF(right - 1, 0, 1, BAR_HEIGHT), self._theme.color("card"))
        painter.restore()
        painter.setFont(self._theme.font(SMALL - 1))
        top = BAR_HEIGHT + 6
        for row in self._legend(self.width()):
            for part, left in row:
                swatch = QRectF(left, top + (self._row_height() - SWATCH) / 2, SWATCH, SWATCH)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(self._theme.color(part.color))
                painter.drawRoundedRect(swatch, 2, 2)
                painter.setPen(QColor(self._theme.tokens.dim))
                painter.drawText(
                    QRectF(QPointF(left + SWATCH + 5, top), QPointF(self.width(), top + self._row_height())),
                    Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
                    part.text,
                )
            top += self._row_height()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            for part, left, right in self._spans():
                if left <= event.pos().x() <= right and event.pos().y() <= BAR_HEIGHT:
                    QToolTip.showText(event.globalPos(), part.tooltip or part.text, self)
                    return True
            QToolTip.hideText()
            return True
        return super().event(event)

    def _spans(self) -> list[tuple[BarPart, float, float]]:
        whole = max(self._total, sum(part.value for part in self._parts))
        if whole <= 0:
            return []
        spans, left = [], 0.0
        for part in self._parts:
            right = left + part.value / whole * self.width()
            spans.append((part, left, right))
            left = right
        return spans

    def _row_height(self) -> float:
        return QFontMetricsF(self._theme.font(SMALL - 1)).height() + 3

    def _legend(self, width: int) -> list[list[tuple[BarPart, float]]]:
        metrics = QFontMetricsF(self._theme.font(SMALL - 1))
        rows: list[list[tuple[BarPart, float]]] = []
        left = 0.0
        for part in self._parts:
            if not part.text:
                continue
            needed = SWATCH + 5 + metrics.horizontalAdvance(part.text)
            if not rows or left + needed > width:
                rows.append([])
                left = 0.0
            rows[-1].append((part, left))
            left += needed + GAP
        return rows
