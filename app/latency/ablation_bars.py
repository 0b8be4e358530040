"""The ablation's chart: a row for each step, a small bar chart for each figure, and each step's gain or loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen

from app.latency.latency_accessibility import Chart
from app.latency.panel_card import SMALL
from app.ui.quantities import format_change, format_ms, format_rate, format_tenths
from app.ui.theme import Theme
from engine.latency.significance import Change, changes
from engine.protocol.records import AblationStep

ROW = 26.0
HEAD = 26.0
LABEL = 150.0
CHANGE = 110.0
GAP = 16.0
VALUE, VALUES = 46.0, 92.0
"""Pixels for one figure behind the longest bar, and for two."""
BAR = 13.0


class Column(NamedTuple):
    """One figure of all steps; `highs` are its P95 where there is one."""

    title: str
    values: list[float]
    highs: list[float] | None = None
    format_value: Callable[[float], str] = format_rate

    @property
    def n_pixels(self) -> float:
        """What its figures need."""
        return VALUE if self.highs is None else VALUES


class AblationBars(Chart):
    """The median dark, and light up to P95; both stand behind the bar."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._steps: tuple[AblationStep, ...] = ()
        self._names: dict[str, str] = {}
        theme.changed.connect(self.update)

    def set_steps(self, steps: tuple[AblationStep, ...], names: dict[str, str]) -> None:
        self._steps, self._names = steps, names
        said = self.tr(
            "{name}: TTFT {ttft} ms, P95 {ttft_p95} ms, reopened {reopened} ms, TPOT {tpot} ms, P95 {tpot_p95} ms, "
            "memory {memory} MB, whole chat {total} s {change}"
        )
        self.setAccessibleName(
            "; ".join(
                said.format(
                    name=names.get(r.name, r.name), ttft=format_ms(r.ttft_p50), reopened=format_ms(r.reopened_ttft),
                    tpot=format_ms(r.tpot_p50), memory=format_rate(r.memory_bytes / 1e6), total=format_tenths(r.total),
                    ttft_p95=format_ms(r.ttft_p95), tpot_p95=format_ms(r.tpot_p95), change=self._words(change),
                ).strip()
                for r, change in zip(steps, changes([each.runs for each in steps]), strict=True)
            )
        )  # fmt: skip
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(940, round(HEAD + ROW * len(self._steps) + 2))

    def minimumSizeHint(self) -> QSize:
        return QSize(760, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._theme.font(SMALL))
        steps = self._steps
        columns = (
            Column(
                self.tr("TTFT P50 · P95, ms"),
                [each.ttft_p50 * 1000 for each in steps], [each.ttft_p95 * 1000 for each in steps],
            ),
            Column(self.tr("Reopened, ms"), [each.reopened_ttft * 1000 for each in steps]),
            Column(
                self.tr("TPOT P50 · P95, ms"),
                [each.tpot_p50 * 1000 for each in steps], [each.tpot_p95 * 1000 for each in steps], format_tenths,
            ),
            Column(self.tr("Memory, MB"), [each.memory_bytes / 1e6 for each in steps]),
            Column(self.tr("Whole chat, s"), [each.total for each in steps], None, format_tenths),
        )  # fmt: skip
        metrics = QFontMetricsF(painter.font())
        for row, step in enumerate(self._steps):
            name = metrics.elidedText(self._names.get(step.name, step.name), Qt.TextElideMode.ElideRight, LABEL - 8)
            self._text(painter, 0, row, name, "ink")
            if row:
                painter.setPen(QPen(self._theme.color("line"), 1))
                y = HEAD + row * ROW - 0.5
                painter.drawLine(QLineF(0, y, self.width(), y))
        left = LABEL
        bar = (self.width() - LABEL - CHANGE - sum(each.n_pixels + GAP for each in columns)) / len(columns)
        for column in columns:
            self._paint_column(painter, left, bar, column)
            left += bar + column.n_pixels + GAP
        self._paint_changes(painter, self.width() - CHANGE)

    def _paint_column(self, painter: QPainter, left: float, bar: float, column: Column) -> None:
        self._text(painter, left, -1, column.title, "faint")
        highs = column.highs or column.values
        scale = bar / (max(highs, default=0.0) or 1.0)
        for row, (middle, high) in enumerate(zip(column.values, highs, strict=True)):
            top = HEAD + row * ROW + (ROW - BAR) / 2
            for value, alpha in ((high, 80), (middle, 255)):
                length = max(value * scale, 1.5)
                painter.fillRect(QRectF(left, top, length, BAR), self._theme.color("accent", alpha))
            texts = [column.format_value(value) for value in ((middle,) if column.highs is None else (middle, high))]
            self._text(painter, left + high * scale + 6, row, " · ".join(texts), "dim")

    def _paint_changes(self, painter: QPainter, left: float) -> None:
        self._text(painter, left, -1, self.tr("Change"), "faint")
        for row, change in enumerate(changes([each.runs for each in self._steps])):
            if change is not None:
                color = "dim" if change.is_noise else "warn" if change.is_loss else "good"
                self._text(painter, left, row, self._words(change), color)

    def _words(self, change: Change | None) -> str:
        """`-55 %`, `▲ +16 % slower` or `+1 % noise`; empty for the first step."""
        if change is None:
            return ""
        share = format_change(change.ratio)
        if change.is_noise:
            return self.tr("{share} noise").format(share=share)
        return self.tr("▲ {share} slower").format(share=share) if change.is_loss else share

    def _text(self, painter: QPainter, left: float, row: int, text: str, color: str) -> None:
        """Row -1 is the head."""
        painter.setPen(self._theme.color(color))
        top, height = (HEAD + row * ROW, ROW) if row >= 0 else (0.0, HEAD)
        box = QRectF(left, top, self.width() - left, height)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
