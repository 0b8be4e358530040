"""A table as laid out: columns as wide as they need, wrapped when the width is short, else scrolled sideways."""

from __future__ import annotations

import bisect
import math
from itertools import accumulate

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPen

from app.markdown.block_layouts import BlockLayout
from app.markdown.blocks import Inline, Span, Table
from app.markdown.message_style import Typesetter
from app.markdown.text_flow import Flow, leads_right

_PAD_X, _PAD_Y, _RADIUS = 12.0, 6.0, 8.0
_UNWRAPPED = 1e6
_ALIGNMENTS = {
    "left": Qt.AlignmentFlag.AlignLeft,
    "right": Qt.AlignmentFlag.AlignRight,
    "center": Qt.AlignmentFlag.AlignHCenter,
}


class TableLayout(BlockLayout):
    """Cells in reading order; an offset counts characters of all cells, with one for the end of each cell."""

    def __init__(self, block: Table, typesetter: Typesetter) -> None:
        super().__init__(block, typesetter)
        self._cells: list[list[Flow]] = []
        self._widest: list[list[float]] = []
        """For each row what the columns need at most, from the first row to it."""
        self._columns: list[float] = []
        self._lefts: list[float] = []
        self._row_tops = [0.0]
        """Where rows begin, as far as they are arranged, and where the last of them ends."""
        self._starts: list[int] = []
        self._scroll_x = 0.0
        self._stale_top = 0.0
        self._fill(block, 0)

    def update(self, block: Table) -> bool:
        """Show `block`, keeping the rows at its front that are as they were."""
        before = self.block
        if not isinstance(before, Table) or before.alignments != block.alignments:
            return False
        kept = 0
        for old_row, new_row in zip(before.rows, block.rows, strict=False):
            if old_row is not new_row and old_row != new_row:
                break
            kept += 1
        self.block = block
        before_columns = self._columns
        self._fill(block, kept)
        self.height = self._arrange(self.width)
        is_same = self._columns == before_columns
        self._stale_top = min(self._stale_top, self._row_tops[kept] if is_same else 0.0)
        return True

    def take_stale_top(self) -> float:
        taken, self._stale_top = self._stale_top, math.inf
        return taken

    @property
    def natural_width(self) -> float:
        return min(self.width, sum(self._columns))

    def paint(self, painter: QPainter, at: QPointF, clip: QRectF, selected: tuple[int, int] | None) -> None:
        style = self.typesetter.style
        total = sum(self._columns)
        frame = QRectF(at.x() + self._left + 0.5, at.y() + 0.5, min(self.width, total) - 1, self.height - 1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(style.line, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(frame, _RADIUS, _RADIUS)
        painter.setClipRect(frame, Qt.ClipOperation.IntersectClip)
        header = QRectF(frame.left(), at.y(), frame.width(), self._row_tops[1] if len(self._row_tops) > 1 else 0)
        painter.fillRect(header.adjusted(0.5, 0.5, -0.5, 0), style.code_background)
        for row in range(max(0, bisect.bisect_left(self._row_tops, clip.top() - at.y()) - 1), len(self._cells)):
            cells, top = self._cells[row], at.y() + self._row_tops[row]
            if top > clip.bottom():
                break
            if row:
                painter.setPen(QPen(style.line, 1))
                painter.drawLine(QPointF(frame.left(), top + 0.5), QPointF(frame.right(), top + 0.5))
            for column, flow in enumerate(cells):
                place = QPointF(at.x() + self._lefts[column] - self._scroll_x + _PAD_X, top + _PAD_Y)
                flow.paint(painter, place, clip, self._share(selected, row, column))
        self._paint_scroll_bar(painter, frame, total)
        painter.restore()

    def offset_at(self, point: QPointF) -> int:
        row, column, inside = self._cell_at(point)
        return self._starts[row * self._n_columns + column] + self._cells[row][column].offset_at(inside)

    def span_at(self, point: QPointF) -> Span | None:
        if not 0 <= point.x() - self._left + self._scroll_x < sum(self._columns):
            return None
        row, column, inside = self._cell_at(point)
        return self._cells[row][column].span_at(inside)

    def text(self, start: int = 0, end: int | None = None) -> str:
        end = self.length if end is None else end
        lines = []
        for row, cells in enumerate(self._cells):
            pieces = []
            for column, flow in enumerate(cells):
                first = self._starts[row * self._n_columns + column]
                last = first + len(flow.inline.text)
                if start <= last and end >= first:
                    pieces.append(flow.inline.plain(max(0, start - first), min(end, last) - first))
            if pieces:
                lines.append("\t".join(pieces))
        return "\n".join(lines)

    def shown(self) -> str:
        return "".join(flow.inline.text + "\n" for cells in self._cells for flow in cells)

    def cursor_rect(self, offset: int) -> QRectF:
        row, column, first = self._cell_of(offset)
        rect = self._cells[row][column].cursor_rect(offset - first)
        return rect.translated(self._lefts[column] - self._scroll_x + _PAD_X, self._row_tops[row] + _PAD_Y)

    def line_bounds(self, offset: int) -> tuple[int, int]:
        row, column, first = self._cell_of(offset)
        start, end = self._cells[row][column].line_bounds(offset - first)
        return first + start, first + end

    def scroll_by(self, dx: float) -> bool:
        before = self._scroll_x
        self._scroll_x = min(max(0.0, before + dx), max(0.0, sum(self._columns) - self.width))
        return self._scroll_x != before

    @property
    def _left(self) -> float:
        return min(self._lefts, default=0.0)

    @property
    def _n_columns(self) -> int:
        return len(self._columns)

    def _fill(self, block: Table, kept: int) -> None:
        bold = QFont(self.typesetter.style.font)
        bold.setWeight(QFont.Weight.DemiBold)
        n_columns = max((len(row) for row in block.rows), default=0)
        self.is_right_to_left = bool(block.rows) and leads_right(" ".join(cell.text for cell in block.rows[0]))
        beginning = Qt.AlignmentFlag.AlignRight if self.is_right_to_left else None
        if len(self._columns) != n_columns:
            self._columns = [0.0] * n_columns
        del self._cells[kept:], self._widest[kept:], self._starts[kept * n_columns :], self._row_tops[kept + 1 :]
        at = self._starts[-1] + len(self._cells[-1][-1].inline.text) + 1 if self._starts else 0
        self.is_waiting = False
        for number, row in enumerate(block.rows[kept:], kept):
            flows = []
            for column in range(n_columns):
                cell = row[column] if column < len(row) else Inline("")
                name = block.alignments[column] if column < len(block.alignments) else ""
                alignment = _ALIGNMENTS.get(name, beginning)
                flow = Flow(cell, self.typesetter, bold if number == 0 else None, alignment)
                flow.wrap(_UNWRAPPED)
                flows.append(flow)
                self._starts.append(at)
                at += len(flow.inline.text) + 1
                self.is_waiting |= flow.is_waiting
            widest = self._widest[-1] if self._widest else [0.0] * n_columns
            self._widest.append([max(known, flow.natural_width) for known, flow in zip(widest, flows, strict=True)])
            self._cells.append(flows)
        self.length = max(0, at - 1)

    def _arrange(self, width: float) -> float:
        before = self._columns
        naturals = [natural + 2 * _PAD_X + 1 for natural in (self._widest[-1] if self._widest else ())]
        self._columns = fit_columns(naturals, width, smallest=self.typesetter.style.size * 6 + 2 * _PAD_X)
        self._lefts = list(accumulate(self._columns[:-1], initial=0.0))
        if self.is_right_to_left:
            end = max(width, sum(self._columns))
            self._lefts = [end - right for right in accumulate(self._columns)]
        if self._columns != before:
            self._row_tops = [0.0]
        y = self._row_tops[-1]
        for row in self._cells[len(self._row_tops) - 1 :]:
            y += max((flow.wrap(c - 2 * _PAD_X) for flow, c in zip(row, self._columns, strict=True)), default=0.0)
            y += 2 * _PAD_Y
            self._row_tops.append(y)
        self._scroll_x = min(self._scroll_x, max(0.0, sum(self._columns) - width))
        return y + (8 if sum(self._columns) > width + 1 else 1)

    def _cell_at(self, point: QPointF) -> tuple[int, int, QPointF]:
        row = min(max(0, bisect.bisect_right(self._row_tops, point.y()) - 1), len(self._cells) - 1)
        x = point.x() + self._scroll_x
        column = min(range(self._n_columns), key=lambda each: _distance(x, self._lefts[each], self._columns[each]))
        return row, column, QPointF(x - self._lefts[column] - _PAD_X, point.y() - self._row_tops[row] - _PAD_Y)

    def _cell_of(self, offset: int) -> tuple[int, int, int]:
        index = max(0, bisect.bisect_right(self._starts, offset) - 1)
        return index // self._n_columns, index % self._n_columns, self._starts[index]

    def _share(self, selected: tuple[int, int] | None, row: int, column: int) -> tuple[int, int] | None:
        if selected is None:
            return None
        first = self._starts[row * self._n_columns + column]
        start, end = max(0, selected[0] - first), min(len(self._cells[row][column].inline.text), selected[1] - first)
        return (start, end) if start < end else None

    def _paint_scroll_bar(self, painter: QPainter, frame: QRectF, total: float) -> None:
        overflow = total - self.width
        if overflow <= 1:
            return
        track = frame.width() - 2 * _PAD_X
        share = self.width / total
        x = frame.left() + _PAD_X + self._scroll_x / overflow * track * (1 - share)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.typesetter.style.faint)
        painter.drawRoundedRect(QRectF(x, frame.bottom() - 6, track * share, 3), 1.5, 1.5)


def _distance(x: float, left: float, width: float) -> float:
    return max(left - x, x - left - width, 0.0)


def fit_columns(naturals: list[float], width: float, smallest: float) -> list[float]:
    """Column widths for `width` pixels: what each needs, or a fair share, but none under `smallest`.

    Columns narrower than the fair share keep their natural width; the others divide what is left in proportion
    to the square root of their need, so that one long column does not starve the rest.
    """
    if sum(naturals) <= width:
        return naturals
    fixed: dict[int, float] = {}
    while True:
        open_columns = [i for i in range(len(naturals)) if i not in fixed]
        left = width - sum(fixed.values())
        weights = {i: naturals[i] ** 0.5 for i in open_columns}
        total = sum(weights.values())
        shares = {i: max(smallest, left * weights[i] / total) for i in open_columns}
        settled = {i: naturals[i] for i in open_columns if naturals[i] <= shares[i]}
        if not settled:
            return [fixed.get(i, shares.get(i, 0.0)) for i in range(len(naturals))]
        fixed.update(settled)
        if len(fixed) == len(naturals):
            return [fixed[i] for i in range(len(naturals))]
