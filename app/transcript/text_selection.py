"""What is selected in one document, and how mouse and keyboard change it."""

from __future__ import annotations

import re

from PySide6.QtCore import QPointF, Qt

from app.markdown.frame_budget import FrameBudget
from app.markdown.laid_out_document import Document, Position


class Selection:
    """An anchor and a cursor in a document; nothing is selected while they are the same."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.anchor: Position = document.start()
        self.cursor: Position = self.anchor

    @property
    def range(self) -> tuple[Position, Position] | None:
        """Start and end, or None when nothing is selected."""
        if self.anchor == self.cursor:
            return None
        return min(self.anchor, self.cursor), max(self.anchor, self.cursor)

    def text(self) -> str:
        return self.document.text(*self.range) if self.range else ""

    def clear(self) -> None:
        self.anchor = self.cursor

    def start(self, point: QPointF) -> None:
        """Put anchor and cursor at `point`."""
        self.anchor = self.cursor = self.document.position_at(point)

    def extend(self, point: QPointF) -> None:
        """Move the cursor to `point`; the anchor stays."""
        self.cursor = self.document.position_at(point)

    def select_word(self, point: QPointF) -> None:
        """Select the word at `point`."""
        position = self.document.position_at(point)
        if not self.document.has_blocks(position[0]):
            return
        shown = self.document.layout_at(position).shown()
        start, end = word_bounds(shown, position[2])
        self.anchor, self.cursor = (*position[:2], start), (*position[:2], end)

    def select_block(self, point: QPointF) -> None:
        """Select the paragraph, or the line of code, at `point`."""
        position = self.document.position_at(point)
        if not self.document.has_blocks(position[0]):
            return
        shown = self.document.layout_at(position).shown()
        start = shown.rfind("\n", 0, position[2]) + 1
        end = shown.find("\n", position[2])
        self.anchor = (*position[:2], start)
        self.cursor = (*position[:2], end if end >= 0 else len(shown))

    def select_all(self) -> None:
        self.anchor, self.cursor = self.document.start(), self.document.end()

    def select_match(self, text: str, number: int) -> bool:
        """Select the match `number`, counted from 0, as it is shown; returns False where there is none.

        Of fewer it is the last one: what is shown has fewer than the source where markup stands inside a word.
        """
        wanted, document = re.compile(re.escape(text), re.IGNORECASE), self.document
        position = document.start()
        if not document.has_blocks(position[0]):
            position = document.neighbour(position, 1)
        is_found = False
        while document.has_blocks(position[0]):
            block = position[:2]
            for match in wanted.finditer(document.layout_at(position).shown()):
                self.anchor, self.cursor, is_found = (*block, match.start()), (*block, match.end()), True
                if number == 0:
                    return True
                number -= 1
            position = document.neighbour(position, 1)
            if position[:2] <= block:
                break
        return is_found

    def move(self, key: Qt.Key, *, by_word: bool) -> bool:
        """Move the cursor as `key` says, keeping the anchor; returns whether the key means anything here."""
        if not self.document.has_blocks(self.cursor[0]):
            return False
        match key:
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                self.cursor = self._beside(self.cursor, 1 if key == Qt.Key.Key_Right else -1, by_word=by_word)
            case Qt.Key.Key_Up | Qt.Key.Key_Down:
                rect = self.document.rect_of(self.cursor)
                y = rect.bottom() + 4 if key == Qt.Key.Key_Down else rect.top() - 4
                self.document.ensure(y - 100, y + 100, max(0.0, y), FrameBudget())
                if y < 0 or y > self.document.height:
                    self.cursor = self.document.start() if y < 0 else self.document.end()
                else:
                    self.cursor = self.document.position_at(QPointF(rect.x(), y))
            case Qt.Key.Key_Home | Qt.Key.Key_End:
                start, end = self.document.layout_at(self.cursor).line_bounds(self.cursor[2])
                self.cursor = (*self.cursor[:2], start if key == Qt.Key.Key_Home else end)
            case _:
                return False
        return True

    def _beside(self, position: Position, step: int, *, by_word: bool) -> Position:
        layout = self.document.layout_at(position)
        offset = position[2] + step
        if by_word:
            shown = layout.shown()
            while 0 < offset < len(shown) and shown[offset - (step < 0)].isalnum():
                offset += step
        if 0 <= offset <= layout.length:
            return (*position[:2], offset)
        return self.document.neighbour(position, step)


def word_bounds(text: str, offset: int) -> tuple[int, int]:
    """Start and end of the word that `offset` is in or beside; of one character between words."""

    def is_word(index: int) -> bool:
        return 0 <= index < len(text) and (text[index].isalnum() or text[index] == "_")

    if not is_word(offset):
        if not is_word(offset - 1):
            return offset, min(len(text), offset + 1)
        offset -= 1
    start = end = offset
    while is_word(start - 1):
        start -= 1
    while is_word(end):
        end += 1
    return start, end
