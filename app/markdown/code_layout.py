"""A code block as laid out: header with language and Copy, then lines that are shaped only when they are seen.

A block without a language has no header: Copy stands in its corner.
"""

from __future__ import annotations

import bisect
import math
import unicodedata
from collections import OrderedDict

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen, QTextCharFormat, QTextLayout, QTextOption

from app.core.tool_markup import LANGUAGE, called_tool
from app.markdown.block_layouts import BlockLayout, Control
from app.markdown.blocks import CodeBlock
from app.markdown.helper_protocol import Snippet
from app.markdown.highlight_cache import runs_of
from app.markdown.message_style import Typesetter
from app.markdown.text_flow import marked_range, selection_ranges, x_of
from app.markdown.utf16 import Units

MAX_LINE = 1_500
"""Longer lines are broken for display, so that shaping one never takes long."""
MAX_SHAPED = 250
TAB_COLUMNS = 4
_UNWRAPPED = 1e6
_PAD_X, _PAD_Y, _RADIUS = 14.0, 10.0, 10.0
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class CodeLayout(BlockLayout):
    """Literal text in fixed-pitch lines that do not wrap but scroll sideways."""

    def __init__(self, block: CodeBlock, typesetter: Typesetter) -> None:
        super().__init__(block, typesetter)
        self._language = block.language
        self._lexer = "json" if block.language == LANGUAGE else block.language
        self._text = ""
        self._starts: list[int] = []
        self._shaped: OrderedDict[int, tuple[QTextLayout, bool]] = OrderedDict()
        self._n_columns = 0
        self._scroll_x = 0.0
        self.is_just_copied = False
        self._stale_top = math.inf
        self._awaits_colours = False
        self._set_text(block.text)

    def update(self, block: CodeBlock) -> bool:
        """Show `block`; when its text continues what is shown, only the new lines cost anything."""
        if block.language != self._language:
            return False
        if block.is_closed != self._is_closed:
            self._stale_top = 0.0
        self.block = block
        self._set_text(block.text)
        return True

    def _set_text(self, text: str) -> None:
        is_growing = bool(self._starts) and text.startswith(self._text)
        first = len(self._starts) - 1 if is_growing else 0
        at = self._starts[first] if is_growing else 0
        if not is_growing:
            self._shaped.clear()
            self._n_columns = 0
        self._stale_top = min(self._stale_top, self._line_top(first) if is_growing else 0.0)
        self._shaped.pop(first, None)
        del self._starts[first:]
        for line in text[at:].split("\n"):
            for offset in range(0, max(1, len(line)), MAX_LINE):
                self._starts.append(at + offset)
                self._n_columns = max(self._n_columns, _columns(line[offset : offset + MAX_LINE]))
            at += len(line) + 1
        self._text = text
        self.length = len(text)
        self.height = self._arrange(self.width)

    def paint(self, painter: QPainter, at: QPointF, clip: QRectF, selected: tuple[int, int] | None) -> None:
        style, header = self.typesetter.style, self._header_height
        frame = QRectF(at.x() + 0.5, at.y() + 0.5, self.width - 1, self.height - 1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(style.line, 1))
        painter.setBrush(style.code_background)
        painter.drawRoundedRect(frame, _RADIUS, _RADIUS)
        if header and clip.top() < at.y() + header:
            self._paint_title(painter, at)
        painter.save()
        body = frame.adjusted(1, header, -1, -1)
        painter.setClipRect(body, Qt.ClipOperation.IntersectClip)
        letters = self.typesetter.highlights.letters(self._lexer, self._text) if self._is_closed else None
        self._awaits_colours = self._is_closed and letters is None
        step, top = style.code_line_height, at.y() + self._line_top(0)
        first = max(0, int((clip.top() - top) // step))
        last = min(len(self._starts), int((clip.bottom() - top) // step) + 1)
        x = at.x() + _PAD_X - self._scroll_x
        painter.setPen(style.ink)
        for line in range(first, last):
            start, end = self._line(line)
            part = None
            if selected is not None and selected[0] <= end and selected[1] > start:
                part = (max(selected[0], start) - start, min(selected[1], end) - start)
            layout = self._shape(line, letters)
            layout.draw(
                painter, QPointF(x, top + line * step), selection_ranges(part, self._units(line), self.typesetter)
            )
        self._paint_scroll_bar(painter, at)
        painter.restore()
        if clip.top() < at.y() + self._copy_rect().bottom():
            self._paint_copy(painter, at)

    def take_stale_top(self) -> float:
        taken, self._stale_top = self._stale_top, math.inf
        return taken

    def has_new_colours(self) -> bool:
        return self._awaits_colours and self.typesetter.highlights.is_answered(Snippet(self._lexer, self._text))

    def offset_at(self, point: QPointF) -> int:
        top = self._line_top(0)
        line = int((point.y() - top) // self.typesetter.style.code_line_height)
        if line < 0:
            return 0
        if line >= len(self._starts):
            return self.length
        position = self._shape(line, None).lineAt(0).xToCursor(point.x() - _PAD_X + self._scroll_x)
        return self._starts[line] + self._units(line).offset(position)

    def text(self, start: int = 0, end: int | None = None) -> str:
        return self._text[start:end]

    def control_at(self, point: QPointF) -> Control | None:
        rect = self._copy_rect()
        return Control("copy", rect) if rect.contains(point) else None

    def cursor_rect(self, offset: int) -> QRectF:
        line = max(0, bisect.bisect_right(self._starts, offset) - 1)
        x = x_of(self._shape(line, None).lineAt(0), self._units(line).of(offset - self._starts[line]))
        step = self.typesetter.style.code_line_height
        y = self._line_top(line)
        return QRectF(x + _PAD_X - self._scroll_x, y, 1, step)

    def line_bounds(self, offset: int) -> tuple[int, int]:
        return self._line(max(0, bisect.bisect_right(self._starts, offset) - 1))

    def scroll_by(self, dx: float) -> bool:
        before = self._scroll_x
        self._scroll_x = min(max(0.0, before + dx), self._overflow)
        return self._scroll_x != before

    @property
    def _is_closed(self) -> bool:
        return isinstance(self.block, CodeBlock) and self.block.is_closed

    @property
    def _header_height(self) -> float:
        return self._band_height if self._language else 0.0

    @property
    def _band_height(self) -> float:
        return round(self.typesetter.style.size * 2.2)

    @property
    def _overflow(self) -> float:
        """How far the lines can be scrolled: until Copy covers none of them where it stands beside them."""
        right = _PAD_X if self._language else self._copy_rect().width()
        return max(0.0, self._n_columns * self.typesetter.style.mono_advance + _PAD_X + right - self.width)

    def _arrange(self, width: float) -> float:
        rows = max(1, len(self._starts))
        self._scroll_x = min(self._scroll_x, max(0.0, self._overflow))
        return self._header_height + 2 * _PAD_Y + rows * self.typesetter.style.code_line_height

    def _line_top(self, line: int) -> float:
        return self._header_height + _PAD_Y + line * self.typesetter.style.code_line_height

    def _units(self, line: int) -> Units:
        start, end = self._line(line)
        return Units(self._text[start:end])

    def _line(self, line: int) -> tuple[int, int]:
        end = self._starts[line + 1] if line + 1 < len(self._starts) else self.length + 1
        is_broken = end <= self.length and self._text[end - 1] != "\n"
        return self._starts[line], end if is_broken else end - 1

    def _shape(self, line: int, letters: str | None) -> QTextLayout:
        held = self._shaped.get(line)
        if held is not None and (held[1] or letters is None):
            self._shaped.move_to_end(line)
            return held[0]
        start, end = self._line(line)
        style = self.typesetter.style
        layout = QTextLayout(self._text[start:end], style.code_font)
        option = QTextOption(Qt.AlignmentFlag.AlignLeft)
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        option.setTabStopDistance(TAB_COLUMNS * style.mono_advance)
        layout.setTextOption(option)
        layout.setCacheEnabled(True)
        if letters:
            layout.setFormats(self._styles(line, letters))
        layout.beginLayout()
        created = layout.createLine()
        created.setLineWidth(_UNWRAPPED)
        created.setPosition(QPointF(0, (style.code_line_height - created.height()) / 2))
        layout.endLayout()
        self._shaped[line] = (layout, letters is not None)
        while len(self._shaped) > MAX_SHAPED:
            self._shaped.popitem(last=False)
        return layout

    def _styles(self, line: int, letters: str) -> list[QTextLayout.FormatRange]:
        (start, end), units = self._line(line), self._units(line)
        looks: list[QTextLayout.FormatRange] = []
        if self._language == LANGUAGE and self._text[start:end].lstrip().startswith("<"):
            return looks  # The marks around a call are no JSON.
        for at, length, kind in runs_of(letters[start:end]):
            look = QTextCharFormat()
            look.setForeground(self.typesetter.style.syntax[kind])
            looks.append(marked_range(units.of(at), units.of(at + length) - units.of(at), look))
        return looks

    def _paint_title(self, painter: QPainter, at: QPointF) -> None:
        style, height = self.typesetter.style, self._header_height
        painter.setPen(QPen(style.line, 1))
        y = at.y() + height + 0.5
        painter.drawLine(QPointF(at.x() + 1, y), QPointF(at.x() + self.width - 1, y))
        painter.setFont(self._header_font())
        painter.setPen(style.dim)
        box = QRectF(at.x() + _PAD_X, at.y(), self._copy_rect().left() - 2 * _PAD_X, height)
        title = painter.fontMetrics().elidedText(self._title(), Qt.TextElideMode.ElideRight, round(box.width()))
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)

    def _paint_copy(self, painter: QPainter, at: QPointF) -> None:
        rect = self._copy_rect().translated(at)
        if not self._language:  # The first line is scrolled away below it.
            style = self.typesetter.style
            line = QRectF(rect.left(), at.y() + self._line_top(0), rect.width() - 1, style.code_line_height)
            painter.fillRect(line, style.code_background)
        painter.setFont(self._header_font())
        painter.setPen(self.typesetter.style.dim)
        painter.drawText(rect.adjusted(0, 0, -_PAD_X, 0), _RIGHT, self._copy_label())

    def _title(self) -> str:
        """The language, or what a tool call is: markup that nobody acts on."""
        if self._language != LANGUAGE:
            return self._language
        if name := called_tool(self._text):
            return QCoreApplication.translate("CodeLayout", "Tool call: {name} · Firstlight runs no tools").format(
                name=name
            )
        return QCoreApplication.translate("CodeLayout", "Tool call · Firstlight runs no tools")

    def _paint_scroll_bar(self, painter: QPainter, at: QPointF) -> None:
        if self._overflow <= 0:
            return
        track = self.width - 2 * _PAD_X
        share = self.width / (self.width + self._overflow)
        x = at.x() + _PAD_X + (self._scroll_x / self._overflow) * track * (1 - share)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.typesetter.style.line)
        painter.drawRoundedRect(QRectF(x, at.y() + self.height - 7, track * share, 3), 1.5, 1.5)

    def _copy_rect(self) -> QRectF:
        width = QFontMetricsF(self._header_font()).horizontalAdvance(self._copy_label()) + 2 * _PAD_X
        beside = self._line_top(0) + (self.typesetter.style.code_line_height - self._band_height) / 2
        return QRectF(self.width - width, 0 if self._language else beside, width, self._band_height)

    def _copy_label(self) -> str:
        if self.is_just_copied:
            return QCoreApplication.translate("CodeLayout", "Copied")
        return QCoreApplication.translate("CodeLayout", "Copy")

    def _header_font(self) -> QFont:
        font = QFont(self.typesetter.style.font)
        font.setPixelSize(max(8, round(self.typesetter.style.size - 2)))
        return font


def _columns(line: str) -> int:
    """Width of a line in characters; East Asian wide characters take two and tabs four."""
    if line.isascii():
        return len(line) + (TAB_COLUMNS - 1) * line.count("\t")
    return sum(TAB_COLUMNS if c == "\t" else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
