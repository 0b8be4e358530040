"""One text as a column of laid-out blocks: parts are parsed and laid out when they come into view, and only once."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from app.markdown.block_layouts import BlockLayout, FormulaLayout, RuleLayout, TextLayout
from app.markdown.blocks import (
    Block,
    CodeBlock,
    Formula,
    Heading,
    Paragraph,
    Picture,
    Table,
    block_text,
    lead,
    separator,
)
from app.markdown.code_layout import CodeLayout
from app.markdown.frame_budget import FrameBudget
from app.markdown.indents import inset, paint_indents
from app.markdown.message_style import Typesetter
from app.markdown.picture_layout import PictureLayout
from app.markdown.table_layout import TableLayout

Position = tuple[int, int, int]
"""Part, block and offset: positions compare as they follow each other in the text."""
MAX_LAID_OUT = 400
"""Parts that keep their layouts; those seen longest ago give them up, but keep their height."""


class TextSource(Protocol):
    """Text in parts that can be parsed one by one; parts before the last never change."""

    @property
    def parts(self) -> list[str]: ...

    def append(self, text: str) -> int: ...

    def finish(self) -> int: ...

    def parse(self, index: int) -> list[Block]: ...


@dataclass(slots=True)
class _Part:
    """One part of the text, as far as it has been laid out."""

    height: float
    is_exact: bool = False
    layouts: list[BlockLayout] = field(default_factory=list)
    tops: list[float] = field(default_factory=list)


class Document:
    """Laid-out text. Coordinates are pixels from its top left corner.

    Attributes:
        width, height: pixels; the height is an estimate as far as parts have not been seen.
        stale_top: what lies below has changed since `take_stale_top` was last asked; infinite when nothing has.
    """

    def __init__(self, source: TextSource, typesetter: Typesetter, width: float) -> None:
        self.width = width
        self._source = source
        self._typesetter = typesetter
        self._parts: list[_Part] = []
        self._tops: list[float] = [0.0]
        self._seen: dict[int, None] = {}
        self.stale_top = 0.0
        self._add_parts(0)

    @property
    def height(self) -> float:
        return self._tops[-1]

    @property
    def is_waiting(self) -> bool:
        """A formula that is laid out here is still being typeset."""
        return any(layout.is_waiting for part in self._seen for layout in self._parts[part].layouts)

    # Changing.

    def append(self, text: str) -> None:
        """Add text at the end: only the last part is parsed and laid out again."""
        self._changed(self._source.append(text))

    def finish(self) -> None:
        """The text is complete: what was left open is closed."""
        self._changed(self._source.finish())

    def take_stale_top(self) -> float:
        """Where what changed since the last call begins; infinite when nothing did."""
        taken, self.stale_top = self.stale_top, math.inf
        return taken

    def set_width(self, width: float) -> None:
        if width != self.width:
            self.width = width
            self._forget_all(keep_layouts=True)

    def set_typesetter(self, typesetter: Typesetter) -> None:
        """Take on other fonts and colours."""
        self._typesetter = typesetter
        self._forget_all(keep_layouts=False)

    def renew_waiting(self) -> bool:
        """Lay out again what showed a formula's source; returns whether anything changed."""
        waiting = [i for i in self._seen if any(layout.is_waiting for layout in self._parts[i].layouts)]
        for index in waiting:
            self._parts[index].layouts = []
            self._lay_out(index)
        if waiting:
            self._sum_heights(min(waiting))
        return bool(waiting)

    def ensure(self, top: float, bottom: float, anchor: float, budget: FrameBudget) -> float:
        """Lay out what lies between `top` and `bottom`; returns by how much what was at `anchor` has moved.

        What the budget does not cover keeps its estimated height and is left blank.
        """
        if not self._parts:
            return 0.0
        held = self.part_at(anchor)
        offset = anchor - self._tops[held]
        first = last = held
        self._lay_out(held)
        below = bottom - anchor - (self._parts[held].height - offset)
        while below > 0 and last + 1 < len(self._parts):
            last += 1
            if not self._parts[last].is_exact and budget.is_spent():
                break
            below -= self._lay_out(last)
        above = anchor - top - offset
        while above > 0 and first > 0:
            first -= 1
            if not self._parts[first].is_exact and budget.is_spent():
                break
            above -= self._lay_out(first)
        self._sum_heights(first)
        self._give_up(first, last)
        return self._tops[held] + min(offset, self._parts[held].height) - anchor

    # Drawing and pointing.

    def paint(self, painter: QPainter, clip: QRectF, selected: tuple[Position, Position] | None = None) -> None:
        """Draw what lies in `clip` and is laid out; the painter's origin is the top left corner."""
        for index in range(self.part_at(clip.top()), len(self._parts)):
            top = self._tops[index]
            if top >= clip.bottom():
                break
            part = self._parts[index]
            for number, (layout, y) in enumerate(zip(part.layouts, part.tops, strict=True)):
                if top + y < clip.bottom() and top + y + layout.height > clip.top():
                    at = QPointF(self._x(layout), top + y)
                    paint_indents(painter, layout, at, self.width, self._typesetter.style)
                    layout.paint(painter, at, clip, _share(selected, index, number, layout.length))

    def part_at(self, y: float) -> int:
        """The index of the part at `y`, or of the nearest one."""
        return min(max(0, bisect.bisect_right(self._tops, y) - 1), max(0, len(self._parts) - 1))

    def block_at(self, point: QPointF) -> tuple[int, int, BlockLayout, QPointF] | None:
        """The laid-out block nearest to `point`: part, block, layout, and the point inside it."""
        if not self._parts:
            return None
        index = self.part_at(point.y())
        part = self._parts[index]
        if not part.layouts:
            return None
        y = point.y() - self._tops[index]
        number = max(0, bisect.bisect_right(part.tops, y) - 1)
        layout = part.layouts[number]
        return index, number, layout, QPointF(point.x() - self._x(layout), y - part.tops[number])

    def position_at(self, point: QPointF) -> Position:
        """The text position nearest to `point`."""
        found = self.block_at(point)
        if found is None:
            return 0, 0, 0
        index, number, layout, inside = found
        return index, number, layout.offset_at(inside)

    def rect_of(self, position: Position) -> QRectF:
        """Where a cursor at `position` stands; the part must have been laid out."""
        layout = self.layout_at(position)
        part = self._parts[position[0]]
        y = self._tops[position[0]] + part.tops[position[1]]
        return layout.cursor_rect(position[2]).translated(self._x(layout), y)

    def has_blocks(self, index: int) -> bool:
        """Whether the part exists and shows anything: link targets and blank lines are parts without blocks."""
        if index >= len(self._parts):
            return False
        if not self._parts[index].layouts:
            self._lay_out(index)
            self._sum_heights(index)
        return bool(self._parts[index].layouts)

    def layout_at(self, position: Position) -> BlockLayout:
        """The block that holds `position`; its part must have blocks."""
        if not self._parts[position[0]].layouts:
            self._lay_out(position[0])
            self._sum_heights(position[0])
        return self._parts[position[0]].layouts[position[1]]

    def fit(self) -> None:
        """Shrink to the width that a short text really needs; texts of several parts keep theirs."""
        if len(self._parts) != 1:
            return
        self._lay_out(0)
        insets = (inset(layout.block, self._typesetter.style) for layout in self._parts[0].layouts)
        widths = (layout.natural_width for layout in self._parts[0].layouts)
        self.set_width(max(map(sum, zip(insets, widths, strict=True)), default=0.0) // 1 + 2)
        self._lay_out(0)
        self._sum_heights(0)

    def recoloured(self) -> Iterator[QRectF]:
        """Where code stands that was painted plain and has its colours by now."""
        for index in self._seen:
            part = self._parts[index]
            for layout, y in zip(part.layouts, part.tops, strict=True):
                if layout.has_new_colours():
                    yield QRectF(0, self._tops[index] + y, self.width, layout.height)

    # Text.

    def start(self) -> Position:
        return 0, 0, 0

    def end(self) -> Position:
        """The position after the last character."""
        for index in range(len(self._parts) - 1, -1, -1):
            if self.has_blocks(index):
                layouts = self._parts[index].layouts
                return index, len(layouts) - 1, layouts[-1].length
        return 0, 0, 0

    def neighbour(self, position: Position, step: int) -> Position:
        """The end of the block before `position` (step -1) or the start of the one after it (step 1)."""
        index, number = position[0], position[1] + step
        if not 0 <= number < len(self._parts[index].layouts):
            index += step
            while 0 <= index < len(self._parts) and not self.has_blocks(index):
                index += step
            if not 0 <= index < len(self._parts):
                return self.start() if step < 0 else self.end()
            number = 0 if step > 0 else len(self._parts[index].layouts) - 1
        return index, number, 0 if step > 0 else self._parts[index].layouts[number].length

    def text(self, start: Position | None = None, end: Position | None = None) -> str:
        """The text between two positions as it is copied: code and formulas verbatim, list markers kept."""
        start, end = start or self.start(), end or self.end()
        pieces: list[str] = []
        for index in range(start[0], min(end[0] + 1, len(self._parts))):
            for number, block in enumerate(self._blocks(index)):
                place = (index, number)
                if not start[:2] <= place <= end[:2]:
                    continue
                at_start, at_end = place == start[:2] and start[2] > 0, place == end[:2]
                whole = block_text(block)
                if at_start or at_end:
                    layout = self.layout_at((index, number, 0))
                    whole = layout.text(start[2] if at_start else 0, end[2] if at_end else None)
                before = self._before(place, block, pieces[-1]) if pieces else lead(block)
                pieces += "" if at_start else before, whole
        return "".join(pieces)

    def _before(self, place: tuple[int, int], block: Block, text: str) -> str:
        """What stands before a block in a copy, after the `text` of the block above."""
        if not block.is_joined:
            return separator(block) + lead(block)
        part = self._source.parts[place[0] - 1]
        if place[1] or part.endswith("\n"):
            return "\n" + lead(block)
        return part[-1:] if part[-1:].isspace() and not text.endswith(part[-1:]) else ""  # Cut within a line.

    def written(self) -> Iterator[tuple[Position, str, str]]:
        """The blocks in order: where each starts, what stands before it, and what it says. Together they are text()."""
        before: str | None = None
        for index in range(len(self._parts)):
            for number, block in enumerate(self._blocks(index)):
                lead_in = lead(block) if before is None else self._before((index, number), block, before)
                before = block_text(block)
                yield (index, number, 0), lead_in, before

    def blocks(self) -> Iterator[Block]:
        """All blocks in order."""
        for index in range(len(self._parts)):
            yield from self._blocks(index)

    # Layout.

    def _blocks(self, index: int) -> list[Block]:
        layouts = self._parts[index].layouts
        return [layout.block for layout in layouts] if layouts else self._source.parse(index)

    def _changed(self, first: int) -> None:
        for index in range(first, len(self._parts)):
            if index > first:
                self._seen.pop(index, None)
        del self._parts[first + 1 :]
        if first < len(self._parts):
            was_laid_out = bool(self._parts[first].layouts)
            self._parts[first].is_exact = False
            if was_laid_out or first == len(self._source.parts) - 1:
                self._lay_out(first)
        self._add_parts(first)

    def _add_parts(self, first: int) -> None:
        for index in range(len(self._parts), len(self._source.parts)):
            self._stale_from(index)
            self._parts.append(_Part(self._estimate(self._source.parts[index])))
        self._sum_heights(first)

    def _lay_out(self, index: int) -> float:
        """Make the part's layouts where they are missing or stale; returns its height."""
        part = self._parts[index]
        self._seen.pop(index, None)
        self._seen[index] = None
        if part.is_exact and part.layouts:
            return part.height
        # Parsing goes first: a part of nothing but link targets has no layouts, and is exact all the same.
        blocks = self._source.parse(index)
        old, part.layouts = part.layouts, []
        for number, block in enumerate(blocks):
            reused = update_layout(old[number], block) if number < len(old) else False
            part.layouts.append(old[number] if reused else make_layout(block, self._typesetter))
        y, old_tops, part.tops = 0.0, part.tops, []
        stale = old_tops[len(blocks)] if len(blocks) < len(old_tops) else part.height
        is_top = index == 0 or (index == 1 and self._source.parts[0].isspace())  # Nothing is seen of blank lines.
        for number, layout in enumerate(part.layouts):
            if number or not is_top:
                y += layout.space_before()
            part.tops.append(y)
            y += layout.arrange(max(40.0, self.width - inset(layout.block, self._typesetter.style)))
            is_in_place = number < len(old) and layout is old[number] and old_tops[number] == part.tops[-1]
            change = layout.take_stale_top()
            stale = min(stale, part.tops[-1] + (change if is_in_place else 0.0))
        part.height, part.is_exact = y, True
        self._stale_from(index, stale)
        return y

    def _stale_from(self, index: int, y: float = 0.0) -> None:
        """What lies below `y` in the part `index` is to be painted again."""
        self.stale_top = min(self.stale_top, self._tops[min(index, len(self._tops) - 1)] + y)

    def _x(self, layout: BlockLayout) -> float:
        return 0.0 if layout.is_right_to_left else inset(layout.block, self._typesetter.style)

    def _estimate(self, text: str) -> float:
        style = self._typesetter.style
        per_line = max(10.0, self.width / (style.size * 0.5))
        lines = text.count("\n") * 0.7 + len(text) / per_line + 0.5
        return round(lines) * style.line_height + style.paragraph_gap

    def _sum_heights(self, first: int) -> None:
        del self._tops[first + 1 :]
        total = self._tops[first] if first < len(self._tops) else 0.0
        for part in self._parts[first:]:
            total += part.height
            self._tops.append(total)

    def _forget_all(self, *, keep_layouts: bool) -> None:
        for part, text in zip(self._parts, self._source.parts, strict=True):
            part.is_exact = False
            if not keep_layouts:
                part.layouts, part.tops = [], []
            if not part.layouts:
                part.height = self._estimate(text)
        self._sum_heights(0)

    def _give_up(self, first: int, last: int) -> None:
        for index in list(self._seen)[: max(0, len(self._seen) - MAX_LAID_OUT)]:
            if not first <= index <= last:
                del self._seen[index]
                self._parts[index].layouts, self._parts[index].tops = [], []


def _share(selected: tuple[Position, Position] | None, part: int, block: int, length: int) -> tuple[int, int] | None:
    """What of a selection falls into one block, as offsets."""
    if selected is None or not selected[0][:2] <= (part, block) <= selected[1][:2]:
        return None
    start = selected[0][2] if selected[0][:2] == (part, block) else 0
    end = selected[1][2] if selected[1][:2] == (part, block) else length
    return start, end


def make_layout(block: Block, typesetter: Typesetter) -> BlockLayout:
    """A fresh layout for `block`."""
    match block:
        case Paragraph() | Heading():
            return TextLayout(block, typesetter)
        case CodeBlock():
            return CodeLayout(block, typesetter)
        case Table():
            return TableLayout(block, typesetter)
        case Formula():
            return FormulaLayout(block, typesetter)
        case Picture():
            return PictureLayout(block, typesetter)
        case _:
            return RuleLayout(block, typesetter)


def update_layout(layout: BlockLayout, block: Block) -> bool:
    """Make `layout` show `block`, where that is cheaper than a fresh one; returns False where it is not."""
    if layout.is_waiting:
        return False
    if layout.block == block:
        return True
    if type(layout.block) is not type(block) or layout.block.indents != block.indents:
        return False
    if isinstance(layout, CodeLayout) and isinstance(block, CodeBlock):
        return layout.update(block)
    if isinstance(layout, TableLayout) and isinstance(block, Table):
        return layout.update(block)
    return False
