"""A long text as a strip with its shape, and the chosen part of it between two handles."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleInterface, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAccessibleWidget, QWidget

from app.ui.theme import Theme

_N_BARS = 180
_TOP, _BOTTOM = 6.0, 16.0
_GRAB = 9.0
_MAX_TICKS = 60
_STEP = 0.01


class RangeMap(QWidget):
    """Places are characters. `range_dragged(start, end)` while the user moves a handle or the part as a whole.

    Left and Right move the part, with Shift its end.
    """

    range_dragged = Signal(int, int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _install()
        self._theme = theme
        self._length = 1
        self._bars: list[float] = []
        self._ticks: list[int] = []
        self._start, self._end, self._fits_to = 0, 1, 1
        self._held = ""
        self._grip = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setFixedHeight(72)
        self.setAccessibleName(self.tr("The part of the text that is attached"))
        theme.changed.connect(self.update)

    def set_text(self, text: str, pages: Sequence[int]) -> None:
        """Show the shape of `text`: how full its lines are, and where its pages begin."""
        self._length = max(1, len(text))
        edges = [self._length * number // _N_BARS for number in range(_N_BARS + 1)]
        fill = [(b - a) / (text.count("\n", a, b) + 1) for a, b in itertools.pairwise(edges)]
        most = max(*fill, 1.0)
        self._bars = [0.2 + 0.8 * min(1.0, each / most) for each in fill]
        step = next(step for step in (1, 5, 10, 50, 100, 500, 1000, 10**9) if len(pages) / step <= _MAX_TICKS)
        self._ticks = list(pages[step::step])
        self.update()

    def set_range(self, start: int, end: int, fits_to: int) -> None:
        """The chosen part, and up to where it fits."""
        self._start, self._end, self._fits_to = start, end, fits_to
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(560, 72)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, bed = self._theme, self._bed()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("code"))
        painter.drawRoundedRect(bed, 8, 8)
        left, right = self._x(self._start), self._x(self._end)
        painter.setBrush(theme.color("accent_soft"))
        painter.drawRect(QRectF(left, bed.top(), right - left, bed.height()))
        limit = self._x(self._fits_to)
        width = bed.width() / _N_BARS
        for number, fill in enumerate(self._bars):
            x = bed.left() + number * width
            middle = x + width / 2
            name = "p6" if not left <= middle <= right else "accent" if middle <= limit else "warn"
            painter.setBrush(theme.color(name))
            height = fill * (bed.height() - 12)
            painter.drawRoundedRect(QRectF(x + width * 0.2, bed.center().y() - height / 2, width * 0.6, height), 1, 1)
        painter.setPen(QPen(theme.color("faint"), 1))
        for tick in self._ticks:
            painter.drawLine(QPointF(self._x(tick), bed.bottom() + 3), QPointF(self._x(tick), bed.bottom() + 7))
        painter.setPen(QPen(theme.color("accent" if self.hasFocus() else "line"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(bed, 8, 8)
        for x in (left, right):
            self._paint_handle(painter, x, bed)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        x, place = event.position().x(), self._place(event.position().x())
        to_start, to_end = abs(x - self._x(self._start)), abs(x - self._x(self._end))
        if min(to_start, to_end) <= _GRAB:
            self._held = "start" if to_start < to_end else "end"
        elif self._start < place < self._end:
            self._held, self._grip = "part", place - self._start
        else:
            self._held = "start" if place < self._start else "end"
        self._drag(place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._held and event.buttons() & Qt.MouseButton.LeftButton:
            self._drag(self._place(x))
            return
        near = min(abs(x - self._x(self._start)), abs(x - self._x(self._end))) <= _GRAB
        is_inside = self._x(self._start) < x < self._x(self._end)
        shape = Qt.CursorShape
        self.setCursor(shape.SizeHorCursor if near else shape.OpenHandCursor if is_inside else shape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {int(Qt.Key.Key_Left): -1, int(Qt.Key.Key_Right): 1}
        if event.key() not in steps:
            super().keyPressEvent(event)
            return
        step = steps[event.key()] * max(1, round(self._length * _STEP))
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.range_dragged.emit(self._start, max(self._start + 1, min(self._length, self._end + step)))
        else:
            self._move_part(self._start + step)

    def _drag(self, place: int) -> None:
        if self._held == "part":
            self._move_part(place - self._grip)
        elif self._held == "start":
            self.range_dragged.emit(min(place, self._end - 1), self._end)
        else:
            self.range_dragged.emit(self._start, max(place, self._start + 1))

    def _move_part(self, start: int) -> None:
        size = self._end - self._start
        start = max(0, min(start, self._length - size))
        self.range_dragged.emit(start, start + size)

    def _bed(self) -> QRectF:
        return QRectF(self.rect()).adjusted(6.5, _TOP, -6.5, -_BOTTOM)

    def _x(self, place: int) -> float:
        bed = self._bed()
        return bed.left() + bed.width() * place / self._length

    def _place(self, x: float) -> int:
        bed = self._bed()
        return round(max(0.0, min(1.0, (x - bed.left()) / max(1.0, bed.width()))) * self._length)

    def _paint_handle(self, painter: QPainter, x: float, bed: QRectF) -> None:
        painter.setPen(QPen(self._theme.color("accent"), 2))
        painter.drawLine(QPointF(x, bed.top() - 3), QPointF(x, bed.bottom() + 3))
        painter.setPen(QPen(self._theme.color("accent"), 1.5))
        painter.setBrush(self._theme.color("card"))
        painter.drawRoundedRect(QRectF(x - 4, bed.center().y() - 9, 8, 18), 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def make_interface(class_name: str, target: QObject) -> QAccessibleInterface | None:
    """It is moved by the arrow keys, as a slider is."""
    return QAccessibleWidget(target, QAccessible.Role.Slider) if isinstance(target, RangeMap) else None


@functools.cache
def _install() -> None:
    QAccessible.installFactory(make_interface)
