"""Blocks as laid out: text, displayed formulas and rules. Code and tables have modules of their own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPen

from app.markdown.blocks import Block, Formula, Heading, Inline, Mark, Paragraph, Span
from app.markdown.message_style import Typesetter
from app.markdown.text_flow import Flow, leads_right

HEADING_SCALE = (1.5, 1.28, 1.12, 1.0, 1.0, 0.93)


@dataclass(frozen=True, slots=True)
class Control:
    """Something inside a block that reacts to a click."""

    name: str
    """copy or scroll."""
    rect: QRectF


class BlockLayout:
    """One block, laid out for a width. Offsets count the characters that it shows.

    Attributes:
        height, width: pixels.
        length: number of characters; offsets go from 0 to length.
        is_waiting: a formula in it is still being typeset.
        is_right_to_left: its first paragraph is written from right to left.
    """

    def __init__(self, block: Block, typesetter: Typesetter) -> None:
        self.block = block
        self.typesetter = typesetter
        self.height = 0.0
        self.width = -1.0
        self.length = 0
        self.is_waiting = False
        self.is_right_to_left = False

    def arrange(self, width: float) -> float:
        """Lay out for `width`; returns the height. Free when the width is what it was."""
        if width != self.width:
            self.width = width
            self.height = self._arrange(width)
        return self.height

    def take_stale_top(self) -> float:
        """From where on it looks different since it was last asked; infinite where it does not."""
        return math.inf

    def has_new_colours(self) -> bool:
        """It was painted without the colours that it has now."""
        return False

    def space_before(self) -> float:
        """Distance from the block above."""
        gap = self.typesetter.style.paragraph_gap
        if self.block.is_joined:
            return 0
        return round(gap * 0.4) if self.block.is_tight else gap

    @property
    def natural_width(self) -> float:
        """Width of what is drawn, at most `width`."""
        return self.width

    def paint(self, painter: QPainter, at: QPointF, clip: QRectF, selected: tuple[int, int] | None) -> None:
        raise NotImplementedError

    def offset_at(self, point: QPointF) -> int:
        return 0 if point.y() < self.height / 2 else self.length

    def text(self, start: int = 0, end: int | None = None) -> str:
        """The characters from `start` to `end` as they are copied and read aloud."""
        raise NotImplementedError

    def shown(self) -> str:
        """All characters as they are shown, for finding words and offsets."""
        return self.text()

    def span_at(self, point: QPointF) -> Span | None:
        return None

    def control_at(self, point: QPointF) -> Control | None:
        return None

    def cursor_rect(self, offset: int) -> QRectF:
        return QRectF(0, 0, 1, self.height)

    def line_bounds(self, offset: int) -> tuple[int, int]:
        return 0, self.length

    def scroll_by(self, dx: float) -> bool:
        """Scroll wide content sideways; returns whether it moved."""
        return False

    def spans(self) -> Iterator[Span]:
        """Links and images, in order."""
        return iter(())

    def _arrange(self, width: float) -> float:
        raise NotImplementedError


class TextLayout(BlockLayout):
    """A paragraph or a heading."""

    def __init__(self, block: Paragraph | Heading, typesetter: Typesetter) -> None:
        super().__init__(block, typesetter)
        self._flow = Flow(block.inline, typesetter, self._font())
        self.length = len(self._flow.inline.text)
        self.is_waiting = self._flow.is_waiting
        self.is_right_to_left = leads_right(block.inline.text)

    def space_before(self) -> float:
        style = self.typesetter.style
        return round(style.size * 1.25) if isinstance(self.block, Heading) else super().space_before()

    @property
    def natural_width(self) -> float:
        return self._flow.natural_width

    def paint(self, painter: QPainter, at: QPointF, clip: QRectF, selected: tuple[int, int] | None) -> None:
        self._flow.paint(painter, at, clip, selected)

    def offset_at(self, point: QPointF) -> int:
        return self._flow.offset_at(point)

    def text(self, start: int = 0, end: int | None = None) -> str:
        return self._flow.inline.plain(start, end)

    def shown(self) -> str:
        return self._flow.inline.text

    def span_at(self, point: QPointF) -> Span | None:
        return self._flow.span_at(point)

    def cursor_rect(self, offset: int) -> QRectF:
        return self._flow.cursor_rect(offset)

    def line_bounds(self, offset: int) -> tuple[int, int]:
        return self._flow.line_bounds(offset)

    def spans(self) -> Iterator[Span]:
        return (span for span in self._flow.inline.spans if span.marks & (Mark.LINK | Mark.IMAGE))

    def _arrange(self, width: float) -> float:
        return self._flow.wrap(width)

    def _font(self) -> QFont:
        if not isinstance(self.block, Heading):
            return self.typesetter.style.font
        font = QFont(self.typesetter.style.font)
        font.setPixelSize(round(font.pixelSize() * HEADING_SCALE[self.block.level - 1]))
        font.setWeight(QFont.Weight.DemiBold)
        return font


class FormulaLayout(BlockLayout):
    """A displayed formula in the middle of its line; shrunk when it is too wide, its source when it cannot be set."""

    SCALE = 1.15

    def __init__(self, block: Formula, typesetter: Typesetter) -> None:
        super().__init__(block, typesetter)
        self._source = block.source
        self.length = 1
        # One that is still being written has no LaTeX yet.
        self._outline = typesetter.formulas.outline(block.latex, is_display=True) if block.latex else None
        self.is_waiting = self._outline is None and typesetter.formulas.is_waiting(block.latex, is_display=True)
        self._fallback = (
            Flow(Inline(block.source), typesetter, typesetter.style.mono) if self._outline is None else None
        )
        self._size = typesetter.style.size * self.SCALE

    def paint(self, painter: QPainter, at: QPointF, clip: QRectF, selected: tuple[int, int] | None) -> None:
        style = self.typesetter.style
        is_selected = selected is not None and selected[0] < selected[1]
        if is_selected:
            painter.fillRect(QRectF(at.x(), at.y(), self.width, self.height), style.selection)
        if self._fallback is not None:
            self._fallback.paint(painter, at, clip, None)
        elif self._outline is not None:
            x = at.x() + max(0.0, (self.width - self._outline.width * self._size) / 2)
            y = at.y() + self._margin + self._outline.ascent * self._size
            self._outline.paint(painter, QPointF(x, y), self._size, style.ink)

    def text(self, start: int = 0, end: int | None = None) -> str:
        return self._source if start < (self.length if end is None else end) else ""

    def shown(self) -> str:
        return "x"

    def cursor_rect(self, offset: int) -> QRectF:
        if self._fallback is None:
            return super().cursor_rect(offset)
        return self._fallback.cursor_rect(len(self._fallback.inline.text) if offset else 0)

    @property
    def _margin(self) -> float:
        return round(self.typesetter.style.size * 0.35)

    def _arrange(self, width: float) -> float:
        if self._fallback is not None:
            return self._fallback.wrap(width)
        if self._outline is None:
            return self.typesetter.style.line_height
        self._size = self.typesetter.style.size * self.SCALE
        if self._outline.width * self._size > width > 0:
            self._size = max(self.typesetter.style.size * 0.6, width / self._outline.width)
        return round((self._outline.ascent + self._outline.descent) * self._size + 2 * self._margin)


class RuleLayout(BlockLayout):
    """A thematic break."""

    def paint(self, painter: QPainter, at: QPointF, clip: QRectF, selected: tuple[int, int] | None) -> None:
        painter.setPen(QPen(self.typesetter.style.line, 1, Qt.PenStyle.SolidLine))
        y = at.y() + self.height / 2
        painter.drawLine(QPointF(at.x(), y), QPointF(at.x() + self.width, y))

    def text(self, start: int = 0, end: int | None = None) -> str:
        return ""

    def _arrange(self, width: float) -> float:
        return round(self.typesetter.style.size * 0.6)
