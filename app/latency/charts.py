"""Small painted charts: a timeline with threshold lines and marks, and a histogram.

Painted here instead of with a plotting library: each paint touches at most one value a pixel column, and the app
neither imports numpy nor waits for it at the start.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.latency.latency_accessibility import Chart
from app.latency.panel_card import SMALL
from app.ui.quantities import format_count
from app.ui.theme import Theme
from engine.metrics import GAP_FLOOR, GAP_RATIO

CAPACITY = 4096
USUAL_SIZE = 14
"""The text that heights are made for, in pixels; charts grow with it."""
TEXT_HEIGHT = 13.0
"""Pixels of a line of text; more with larger text, and in a script that needs it."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A dashed line across a timeline."""

    value: float
    text: str
    color: str = "faint"


class Timeline(Chart):
    """The latest values of one reading; marked spans are shaded and named below.

    With a `window` that many values fill the width and the latest are at the right edge; without, all that are there
    do.
    """

    def __init__(
        self,
        theme: Theme,
        *,
        height: int = 100,
        window: int = 0,
        format_value: Callable[[float], str] = str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._height = height
        self._format = format_value
        self._window = window
        self._values: deque[float] = deque(maxlen=window or CAPACITY)
        self._marks: deque[bool] = deque(maxlen=window or CAPACITY)
        self._thresholds: tuple[Threshold, ...] = ()
        self._mark_text = ""
        self._beginning = self._end = ""
        self._ceiling: float | None = None
        self._below: set[float] = set()
        """Thresholds whose words were last below their lines: words do not hop while they can stay."""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._line = 0.0
        theme.changed.connect(self._read_theme)
        self._read_theme()

    def append(self, value: float, *, is_marked: bool = False, n_times: int = 1) -> None:
        """Add a value without repainting; the panel repaints at its own pace."""
        for _ in range(min(n_times, CAPACITY)):
            self._values.append(value)
            self._marks.append(is_marked)

    def clear(self) -> None:
        self._values.clear()
        self._marks.clear()
        self._below.clear()

    def set_thresholds(self, *thresholds: Threshold) -> None:
        self._thresholds = thresholds
        self.update()

    def set_mark_text(self, text: str) -> None:
        """What a shaded span means."""
        self._mark_text = text

    def set_ceiling(self, ceiling: float | None) -> None:
        """A fixed top of the scale, such as 1 for a utilisation, which is written there; None follows the values."""
        self._ceiling = ceiling

    def set_span(self, beginning: str, end: str) -> None:
        """What the left edge and the right one stand for, below them."""
        self._beginning, self._end = beginning, end

    @property
    def values(self) -> tuple[float, ...]:
        return tuple(self._values)

    def spoken(self) -> str:
        if not self._values:
            return self.tr("no values yet")
        low, high, last = map(self._format, (min(self._values), max(self._values), self._values[-1]))
        text = self.tr("{n} values from {low} to {high}, the latest {last}", None, len(self._values))
        return text.format(n=format_count(len(self._values)), low=low, high=high, last=last)

    def sizeHint(self) -> QSize:
        n_lines, scale = 1 + (self._ceiling is not None), max(1.0, self._theme.font_size / USUAL_SIZE)
        return QSize(200, round(self._height * scale + n_lines * (self._line - TEXT_HEIGHT * scale)))

    def _read_theme(self) -> None:
        self._line = _line_height(self._theme)
        self.updateGeometry()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._theme.font(SMALL - 2.5))
        area, top = self._area(), self._top()
        columns = self._columns(int(self._filled(area).width()))
        notes = self._notes(area, columns)
        painter.setPen(QPen(self._theme.color("faint", 120), 1, Qt.PenStyle.DashLine))
        for line, _ in notes:
            y = self._y(line.value, area, top)
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        painter.setPen(QPen(self._theme.color("line"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        if columns:
            self._paint_marks(painter, area, columns)
            self._paint_line(painter, area, top, columns)
        for line, box in notes:
            _paint_note(painter, self._theme, box, line.text, line.color)
        self._paint_scale(painter, area)

    def event(self, event: QEvent) -> bool:
        filled = self._filled(self._area())
        if isinstance(event, QHelpEvent) and (columns := self._columns(int(filled.width()))):
            index = round((event.pos().x() - filled.left()) / max(1.0, filled.width()) * (len(columns) - 1))
            low, high, _ = columns[min(max(index, 0), len(columns) - 1)]
            text = self._format(high) if low == high else f"{self._format(low)} – {self._format(high)}"
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def _area(self) -> QRectF:
        below = self._line + 3 if self._beginning or (self._mark_text and any(self._marks)) else 2
        above = 4 if self._ceiling is None else self._line + 2
        return QRectF(0, above, self.width(), self.height() - above - below)

    def _filled(self, area: QRectF) -> QRectF:
        """The part of the width that the values take."""
        if not self._window:
            return area
        width = area.width() * max(0, len(self._values) - 1) / (self._window - 1)
        return QRectF(area.right() - width, area.top(), width, area.height())

    def _top(self) -> float:
        if self._ceiling is not None:
            return self._ceiling
        highest = max(self._values, default=0.0)
        near = max((line.value for line in self._thresholds if line.value <= 3.5 * highest), default=0.0)
        room = 1 - (_note_height(self._theme) + 3) / max(1.0, self._area().height())  # The words above the top line.
        return max(highest * 1.15, near / max(room, 0.5), 1e-9)

    def _columns(self, n_columns: int) -> list[tuple[float, float, bool]]:
        """(lowest, highest, is any marked) of each pixel column, so that no spike is lost."""
        values, marks = list(self._values), list(self._marks)
        if not values or n_columns < 2:
            return []
        n_columns = min(n_columns, len(values))
        edges = [round(index * len(values) / n_columns) for index in range(n_columns + 1)]
        return [
            (min(values[start:end]), max(values[start:end]), any(marks[start:end]))
            for start, end in itertools.pairwise(edges)
        ]

    def _y(self, value: float, area: QRectF, top: float) -> float:
        return area.bottom() - min(value / top, 1.0) * area.height()

    def _paint_line(
        self, painter: QPainter, area: QRectF, top: float, columns: list[tuple[float, float, bool]]
    ) -> None:
        filled, line = self._filled(area), QPolygonF()
        for index, (low, high, _) in enumerate(columns):
            left = filled.left() + index * filled.width() / max(1, len(columns) - 1)
            line.append(QPointF(left, self._y(low, area, top)))
            if high != low:
                line.append(QPointF(left, self._y(high, area, top)))
        painter.setPen(QPen(self._theme.color("accent"), 1.4))
        painter.drawPolyline(line)

    def _notes(self, area: QRectF, columns: list[tuple[float, float, bool]]) -> list[tuple[Threshold, QRectF]]:
        """The thresholds' words and their places: above the line or below it, where no curve and no other word is.

        One without a place for its words, since others are too near, is left out: its line would say nothing.
        """
        metrics, height = QFontMetricsF(self._theme.font(SMALL - 2.5), self), _note_height(self._theme)
        placed: list[tuple[Threshold, QRectF]] = []
        top = self._top()
        for line in reversed(self._thresholds):
            if line.value > top:
                continue
            width, y = metrics.horizontalAdvance(line.text) + 4, self._y(line.value, area, top)
            places = [QRectF(area.right() - width, edge, width, height) for edge in (y - height - 2, y + 1)]
            order = (1, 0) if line.value in self._below else (0, 1)
            free = [
                side for side in order
                if places[side].top() >= 0 and places[side].bottom() <= area.bottom()
                and not any(places[side].intersects(other) for _, other in placed)
            ]  # fmt: skip
            clear = [side for side in free if not self._is_crossed(places[side], area, top, columns)]
            if not free:
                continue
            side = (clear or free)[0]
            (self._below.add if side else self._below.discard)(line.value)
            placed.append((line, places[side]))
        return placed

    def _is_crossed(self, box: QRectF, area: QRectF, top: float, columns: list[tuple[float, float, bool]]) -> bool:
        """Whether the curve runs through `box`, which lies at the right edge."""
        filled = self._filled(area)
        first = math.floor((box.left() - filled.left()) / max(1e-9, filled.width()) * (len(columns) - 1))
        under = columns[max(0, first) :]
        return any(
            self._y(max(a[1], b[1]), area, top) <= box.bottom() and self._y(min(a[0], b[0]), area, top) >= box.top()
            for a, b in itertools.pairwise(under)
        )

    def _paint_scale(self, painter: QPainter, area: QRectF) -> None:
        """The top of the scale above its place, and the ends of the time below theirs."""
        painter.setPen(self._theme.color("faint"))
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        if self._ceiling is not None:
            painter.drawText(QRectF(area.left(), 0, area.width(), self._line), left, self._format(self._ceiling))
        below = QRectF(area.left(), area.bottom() + 2, area.width(), self._line + 1)
        painter.drawText(below, left | Qt.AlignmentFlag.AlignVCenter, self._beginning)
        painter.drawText(below, right | Qt.AlignmentFlag.AlignVCenter, self._end)

    def _paint_marks(self, painter: QPainter, area: QRectF, columns: list[tuple[float, float, bool]]) -> None:
        filled = self._filled(area)
        step = filled.width() / max(1, len(columns) - 1)
        start: int | None = None
        for index, marked in enumerate([*(column[2] for column in columns), False]):
            if marked and start is None:
                start = index
            elif not marked and start is not None:
                span = QRectF(filled.left() + (start - 0.5) * step, area.top(), (index - start) * step, area.height())
                painter.fillRect(span, self._theme.color("note", 38))
                start = None
        if self._mark_text and any(self._marks):
            painter.setPen(self._theme.color("faint"))
            box = QRectF(area.left(), area.bottom() + 2, area.width(), self._line + 1)
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter, self._mark_text)


class Histogram(Chart):
    """Counts over logarithmic buckets of engine.metrics, a few buckets to a bar."""

    BUCKETS_PER_BAR = 2

    def __init__(self, theme: Theme, *, format_value: Callable[[float], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._format = format_value
        self._bars: dict[int, int] = {}
        self._warning, self._limit = math.inf, ""
        self._name = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._line = 0.0
        theme.changed.connect(self._read_theme)
        self._read_theme()

    def set_counts(self, histogram: Mapping[int, int], warning: float = math.inf, limit: str = "") -> None:
        """Show a gap histogram; `warning` seconds are a line named `limit`, and bars from there on take its colour."""
        had_limit = self._has_limit
        bars: dict[int, int] = {}
        for bucket, count in histogram.items():
            bars[bucket // self.BUCKETS_PER_BAR] = bars.get(bucket // self.BUCKETS_PER_BAR, 0) + count
        self._bars, self._warning, self._limit = bars, warning, limit
        if self._has_limit != had_limit:
            self.updateGeometry()

    def set_name(self, name: str) -> None:
        """What is counted, in the middle below the bars."""
        self._name = name

    def spoken(self) -> str:
        if not self._bars:
            return self._name
        most = self._format(_bar_start(max(self._bars, key=self._bars.__getitem__)))
        n_slow = sum(count for bar, count in self._bars.items() if _bar_start(bar) >= self._warning)
        text = self.tr("{name}: {n} in all, most of them about {most}, {slow} of them slow")
        counts = format_count(sum(self._bars.values())), format_count(n_slow)
        return text.format(name=self._name, n=counts[0], most=most, slow=counts[1])

    def sizeHint(self) -> QSize:
        scale = max(1.0, self._theme.font_size / USUAL_SIZE)
        height = 64 * scale + self._line - TEXT_HEIGHT * scale
        return QSize(200, round(height + self._has_limit * _note_height(self._theme)))

    @property
    def _span(self) -> tuple[int, int]:
        """The first bar and how many there is room for."""
        first = min(self._bars, default=0)
        return first, max(max(self._bars, default=0) - first + 1, 16)

    @property
    def _has_limit(self) -> bool:
        """Whether the warning is in view; its name then stands above the bars."""
        first, n_bars = self._span
        return bool(self._bars and self._limit) and first <= _bar_of(self._warning) <= first + n_bars

    def _read_theme(self) -> None:
        self._line = _line_height(self._theme)
        self.updateGeometry()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._bars:
            return
        painter = QPainter(self)
        painter.setFont(self._theme.font(SMALL - 2.5))
        first, n_bars = self._span
        above = 2 + self._has_limit * _note_height(self._theme)
        area = QRectF(0, above, self.width(), self.height() - self._line - 3 - above)
        step, most = area.width() / n_bars, max(self._bars.values())
        for bar, count in self._bars.items():
            height = max(1.5, math.log1p(count) / math.log1p(most) * area.height())
            left = area.left() + (bar - first) * step
            color = "warn" if _bar_start(bar) >= self._warning else "accent"
            painter.fillRect(QRectF(left, area.bottom() - height, max(1.0, step - 1), height), self._theme.color(color))
        painter.setPen(QPen(self._theme.color("line"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        if self._has_limit:
            limit = area.left() + (_bar_of(self._warning) - first) * step
            painter.setPen(QPen(self._theme.color("warn"), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(limit, area.top()), QPointF(limit, area.bottom()))
            width = painter.fontMetrics().horizontalAdvance(self._limit) + 4
            left = min(max(limit - width / 2, area.left() - 2), area.right() - width)
            _paint_note(painter, self._theme, QRectF(left, 0, width, above), self._limit, "warn")
        painter.setPen(self._theme.color("faint"))
        box = QRectF(0, area.bottom() + 2, self.width(), self._line + 1)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft, self._format(_bar_start(first)))
        painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, self._name)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight, self._format(_bar_start(first + n_bars)))


def _line_height(theme: Theme) -> float:
    return max(TEXT_HEIGHT, float(math.ceil(QFontMetricsF(theme.font(SMALL - 2.5)).height())))


def _bar_start(bar: int) -> float:
    return GAP_FLOOR * GAP_RATIO ** (bar * Histogram.BUCKETS_PER_BAR)


def _bar_of(seconds: float) -> float:
    """The inverse of `_bar_start`, with the part of the bar."""
    return math.log(seconds / GAP_FLOOR) / math.log(GAP_RATIO) / Histogram.BUCKETS_PER_BAR


def _note_height(theme: Theme) -> float:
    """Of a word beside a line: the letters alone, since the spacing of Chinese fonts would part it from its line."""
    return float(theme.font(SMALL - 2.5).pixelSize() + 2)


def _paint_note(painter: QPainter, theme: Theme, box: QRectF, text: str, color: str) -> None:
    """A word on a piece of the card: it can be read also where there is no place without a curve."""
    painter.fillRect(box, theme.color("card", 215))
    painter.setPen(theme.color(color))
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(box, int(flags) | int(Qt.TextFlag.TextDontClip), text)
