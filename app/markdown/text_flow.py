"""One flow of styled text, wrapped to a width: QTextLayout with even line distances and formulas inside the lines."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QTextCharFormat, QTextLayout, QTextLine, QTextOption

from app.markdown.blocks import Inline, Mark, Span
from app.markdown.formula_cache import Outline
from app.markdown.message_style import LINE_HEIGHT, Typesetter
from app.markdown.utf16 import Units

LINE_SEPARATOR = "\u2028"
FORMULA_SCALE = 1.1
"""The formula font's letters are smaller than the text's at the same size."""
PLACE_HOLDER = "x"
"""Stands for a drawn formula: a letter, so that lines break around it as around a word."""
_ON_CHARACTER = QTextLine.CursorPosition.CursorOnCharacter


@dataclass(frozen=True, slots=True)
class _Set:
    """An outline that is drawn in the place of one character."""

    at: int
    outline: Outline


def marked_range(start: int, length: int, look: QTextCharFormat) -> QTextLayout.FormatRange:
    """`look` for `length` characters from `start`."""
    made = QTextLayout.FormatRange()
    made.start, made.length, made.format = start, length, look
    return made


def selection_ranges(
    selected: tuple[int, int] | None, units: Units, typesetter: Typesetter
) -> list[QTextLayout.FormatRange]:
    """What QTextLayout.draw takes to show `selected`, a range of offsets, as selected."""
    if selected is None or selected[0] >= selected[1]:
        return []
    look = QTextCharFormat()
    look.setBackground(typesetter.style.selection)
    start, end = units.of(selected[0]), units.of(selected[1])
    return [marked_range(start, end - start, look)]


class Flow:
    """Text laid out once for a width. Offsets are those of `inline.text`.

    Attributes:
        is_waiting: it shows the source of a formula that is still being typeset, and should be made again.
    """

    def __init__(
        self,
        inline: Inline,
        typesetter: Typesetter,
        font: QFont | None = None,
        alignment: Qt.AlignmentFlag | None = None,
    ) -> None:
        self.height = 0.0
        self.natural_width = 0.0
        self.is_waiting = False
        self._typesetter = typesetter
        self._font = font or typesetter.style.font
        self._line_height = round(self._font.pixelSize() * LINE_HEIGHT)
        self._set: list[_Set] = []
        self._width = -1.0
        self.inline, looks = self._resolve(inline)
        self._units = Units(self.inline.text)
        self._layout = QTextLayout(self.inline.text.replace("\n", LINE_SEPARATOR), self._font)
        is_right = leads_right(inline.text)
        option = QTextOption(alignment or (Qt.AlignmentFlag.AlignRight if is_right else Qt.AlignmentFlag.AlignLeft))
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTextDirection(Qt.LayoutDirection.RightToLeft if is_right else Qt.LayoutDirection.LeftToRight)
        self._layout.setTextOption(option)
        self._layout.setCacheEnabled(True)
        if looks:
            self._layout.setFormats(
                [self._range(span, look) for span, look in zip(self.inline.spans, looks, strict=True)]
            )

    @property
    def _formula_size(self) -> float:
        return self._font.pixelSize() * FORMULA_SCALE

    def wrap(self, width: float) -> float:
        """Lay out for `width` pixels; returns the height."""
        if width == self._width:
            return self.height
        self._width = width
        y = natural = 0.0
        layout = self._layout
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            above = below = (self._line_height - line.height()) / 2
            if self._set:
                above, below = self._room(line, above, below)
            line.setPosition(QPointF(0, y + above))
            y += above + line.height() + below
            natural = max(natural, line.naturalTextWidth())
        layout.endLayout()
        self.height, self.natural_width = round(y), natural
        return self.height

    def paint(self, painter: QPainter, at: QPointF, clip: QRectF, selected: tuple[int, int] | None) -> None:
        """Draw what lies in `clip` with the top left at `at`; `selected` is a range of offsets."""
        ink = self._typesetter.style.ink
        painter.setPen(ink)
        self._layout.draw(painter, at, selection_ranges(selected, self._units, self._typesetter), clip)
        for item in self._set:
            position = self._units.of(item.at)
            line = self._layout.lineForTextPosition(position)
            baseline = at.y() + line.y() + line.ascent()
            if baseline - 200 < clip.bottom() and baseline + 200 > clip.top():
                x = min(x_of(line, position), x_of(line, position + 1))
                item.outline.paint(painter, QPointF(at.x() + x, baseline), self._formula_size, ink)

    def offset_at(self, point: QPointF) -> int:
        """The offset nearest to `point`."""
        last = self._layout.lineCount() - 1
        for index in range(last + 1):
            line = self._layout.lineAt(index)
            if index == last or point.y() < line.y() + line.height():
                position = line.xToCursor(point.x())
                end = line.textStart() + line.textLength()
                # A wrapped line's end is the next line's start: stay on the line that was pointed at.
                is_past = index < last and position == end and position > line.textStart()
                return self._units.offset(position) - is_past
        return 0

    def span_at(self, point: QPointF) -> Span | None:
        """The link, formula or image under `point`."""
        for index in range(self._layout.lineCount()):
            line = self._layout.lineAt(index)
            if line.y() <= point.y() < line.y() + line.height():
                if not line.naturalTextRect().left() <= point.x() <= line.naturalTextRect().right():
                    return None
                offset = self._units.offset(line.xToCursor(point.x(), _ON_CHARACTER))
                return next((span for span in self.inline.spans if span.start <= offset < span.end), None)
        return None

    def cursor_rect(self, offset: int) -> QRectF:
        """Where a cursor before `offset` stands."""
        position = self._units.of(min(offset, len(self.inline.text)))
        line = self._layout.lineForTextPosition(position)
        if not line.isValid():
            return QRectF(0, 0, 1, self._line_height)
        return QRectF(x_of(line, position), line.y(), 1, line.height())

    def line_bounds(self, offset: int) -> tuple[int, int]:
        """The offsets where the line around `offset` starts and ends."""
        line = self._layout.lineForTextPosition(self._units.of(min(offset, len(self.inline.text))))
        if not line.isValid():
            return 0, 0
        return self._units.offset(line.textStart()), self._units.offset(line.textStart() + line.textLength())

    def _range(self, span: Span, look: QTextCharFormat) -> QTextLayout.FormatRange:
        start, end = self._units.of(span.start), self._units.of(span.end)
        return marked_range(start, end - start, look)

    def _resolve(self, inline: Inline) -> tuple[Inline, list[QTextCharFormat]]:
        """Replace each formula that can be drawn by one character as wide; all others stay as their source."""
        pieces: list[str] = []
        spans: list[Span] = []
        looks: list[QTextCharFormat] = []
        at = length = 0
        for span in inline.spans:
            shown = inline.text[span.start : span.end]
            look = self._look(span.marks)
            start = length + span.start - at
            if span.marks & Mark.MATH:
                shown = self._place_formula(span, start, look) or shown
            pieces += inline.text[at : span.start], shown
            at, length = span.end, start + len(shown)
            spans.append(replace(span, start=start, end=length))
            looks.append(look)
        return Inline("".join([*pieces, inline.text[at:]]), tuple(spans)), looks

    def _place_formula(self, span: Span, start: int, look: QTextCharFormat) -> str:
        """The character that stands for a formula, made as wide as its outline; empty to show the source."""
        formulas = self._typesetter.formulas
        outline = formulas.outline(span.target, is_display=False)
        if outline is None:
            self.is_waiting |= formulas.is_waiting(span.target, is_display=False)
            look.setForeground(self._typesetter.style.dim)
            return ""
        font = look.font()
        width = outline.width * self._formula_size
        own = QFontMetricsF(font).horizontalAdvance(PLACE_HOLDER)
        font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, width - own)
        look.setFont(font)
        look.setForeground(Qt.GlobalColor.transparent)
        self._set.append(_Set(start, outline))
        return PLACE_HOLDER

    def _room(self, line: QTextLine, above: float, below: float) -> tuple[float, float]:
        """More room over and under a line that holds a tall formula."""
        size = self._formula_size
        for item in self._set:
            if line.textStart() <= self._units.of(item.at) < line.textStart() + line.textLength():
                above = max(above, item.outline.ascent * size - line.ascent() + 3)
                below = max(below, item.outline.descent * size - line.descent() + 3)
        return above, below

    def _look(self, marks: Mark) -> QTextCharFormat:
        style = self._typesetter.style
        look = QTextCharFormat()
        font = QFont(self._font)
        if marks & Mark.CODE:
            font = QFont(style.mono)
            font.setPixelSize(max(8, round(self._font.pixelSize() * style.mono.pixelSize() / style.font.pixelSize())))
            look.setBackground(style.code_ground)  # Letters that no fixed-pitch font has are told apart by it alone.
        if marks & Mark.BOLD:
            font.setWeight(QFont.Weight.DemiBold)
        if marks & Mark.ITALIC:
            font.setItalic(True)
        if marks & Mark.STRIKE:
            font.setStrikeOut(True)
        if marks & Mark.LINK:
            look.setForeground(style.accent)
        look.setFont(font)
        return look


def x_of(line: QTextLine, offset: int) -> float:
    """Where a cursor before `offset` stands on its line."""
    place: Any = line.cursorToX(offset)  # The stubs say object; it is the x and the offset that it belongs to.
    return float(place[0] if isinstance(place, tuple) else place)


def leads_right(text: str) -> bool:
    """True when the first strong character of `text` is written from right to left."""
    return not text.isascii() and next(
        (kind != "L" for kind in map(unicodedata.bidirectional, text) if kind in ("L", "R", "AL")), False
    )
