"""The texts of one message, one below the other: reasoning, answer, tool calls, and the note on how it ended."""

from __future__ import annotations

import math
from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF

from app.core.conversation_model import MessageItem
from app.core.tool_markup import OPENING
from app.markdown.frame_budget import FrameBudget
from app.markdown.laid_out_document import Document
from app.markdown.literal_source import LiteralSource
from app.markdown.markdown_source import MarkdownSource
from app.markdown.picture_loader import PictureLoader
from app.transcript.text_styles import TextStyles
from engine.protocol.values import Role, Section


class PlacedDocument:
    """A document and where it stands in its card.

    Attributes:
        length: number of characters of its text.
        has_text: there is more in it than white space.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.left = 0.0
        self.top = 0.0
        self.is_shown = True
        self.length = 0
        self.has_text = False
        self._pieces: list[str] = []

    @property
    def source(self) -> str:
        """The text that the document shows."""
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    @property
    def bottom(self) -> float:
        return self.top + self.document.height

    def local(self, point: QPointF) -> QPointF:
        return QPointF(point.x() - self.left, point.y() - self.top)

    def rect(self) -> QRectF:
        return QRectF(self.left, self.top, self.document.width, self.document.height)

    def append(self, text: str) -> None:
        self._pieces.append(text)
        self.length += len(text)
        self.has_text = self.has_text or not (not text or text.isspace())
        self.document.append(text)


class MessageSections:
    """Documents of one message; those without text do not exist.

    Attributes:
        body: the message itself; always there.
    """

    def __init__(self, item: MessageItem, styles: TextStyles, width: float) -> None:
        self.item = item
        self._styles = styles
        self._width = width
        self._places: dict[Section, PlacedDocument] = {}
        self.note: PlacedDocument | None = None
        self.body = self._place(Section.ANSWER)
        self.update(item)

    @property
    def pictures(self) -> PictureLoader:
        return self._styles.answer.pictures

    @property
    def reasoning(self) -> PlacedDocument | None:
        return self._places.get(Section.REASONING)

    @property
    def tool_call(self) -> PlacedDocument | None:
        return self._places.get(Section.TOOL_CALL)

    @property
    def has_text(self) -> bool:
        """Something of the message itself can be read."""
        return any(place.has_text for place in self._places.values())

    def shown(self) -> Iterator[PlacedDocument]:
        """The places that are open, from top to bottom."""
        for place in (self.reasoning, self.body, self.tool_call, self.note):
            if place is not None and place.is_shown:
                yield place

    def update(self, item: MessageItem) -> None:
        """Show what `item` says now; text that only grew, or stayed, keeps its layout."""
        self.item = item
        for section, text in (
            (Section.ANSWER, item.content),
            (Section.REASONING, item.reasoning),
            (Section.TOOL_CALL, item.tool_call),
        ):
            held = self._places.get(section)
            if held is not None and text.startswith(held.source):
                self.append(text[held.length :], section)
            elif text or held is not None:
                self._places.pop(section, None)
                if text or section is Section.ANSWER:
                    self._place(section).append(text)
            if section in self._places and not item.is_streaming:
                self._places[section].document.finish()
        self.body = self._places[Section.ANSWER]
        self._fit()
        if self.note is None or self.note.source != item.note:
            self.note = self._make_note() if item.note else None

    def append(self, text: str, section: Section) -> None:
        """Add streamed text."""
        self._place(section).append(text)

    def take_stale_top(self) -> float:
        """Where what changed since the last call begins, in the card's coordinates; infinite when nothing did."""
        return min((place.top + place.document.take_stale_top() for place in self.shown()), default=math.inf)

    def set_width(self, width: float) -> None:
        self._width = width
        for place in self._all():
            place.document.set_width(self._width_of(place))
        self._fit()

    def set_styles(self, styles: TextStyles) -> None:
        is_math_changed, self._styles = styles.is_math_on != self._styles.is_math_on, styles
        if is_math_changed:
            self._parse_again()
        for section, place in self._places.items():
            place.document.set_typesetter(styles.reasoning if section is Section.REASONING else styles.answer)
        self.set_width(self._width)
        if self.note is not None:
            self.note.document.set_typesetter(styles.warning if self.item.note_is_warning else styles.note)

    def _parse_again(self) -> None:
        """Read the texts anew, with or without formulas."""
        old, self._places = self._places, {}
        for section, place in old.items():
            made = self._place(section)
            made.append(place.source)
            made.left, made.top, made.is_shown = place.left, place.top, place.is_shown
            if not self.item.is_streaming:
                made.document.finish()
        self.body = self._places[Section.ANSWER]
        self._fit()

    def renew_waiting(self) -> bool:
        """Lay out again what waited for a formula; returns whether anything changed."""
        return any([place.document.renew_waiting() for place in self._all()])

    def recoloured(self) -> Iterator[QRectF]:
        """Where in the card code stands that was painted plain and has its colours by now."""
        for place in self.shown():
            for rect in place.document.recoloured():
                yield rect.translated(place.left, place.top)

    def ensure(self, top: float, bottom: float, anchor: float, budget: FrameBudget) -> float:
        """Lay out what lies between `top` and `bottom`; returns by how much what was at `anchor` has moved."""
        moved = 0.0
        for place in self.shown():
            before, start, end = place.document.height, place.top, place.bottom
            if end < top or start > bottom:
                continue
            inside = min(max(0.0, anchor - start), before)
            shift = place.document.ensure(top - start, bottom - start, inside, budget)
            if anchor >= end:
                moved += place.document.height - before
            elif anchor > start:
                moved += shift
        return moved

    def place_at(self, y: float) -> PlacedDocument:
        """The open place at `y`, or the one nearest to it."""
        return min(self.shown(), key=lambda place: max(place.top - y, y - place.bottom, 0.0), default=self.body)

    def _all(self) -> Iterator[PlacedDocument]:
        yield from self._places.values()
        if self.note is not None:
            yield self.note

    def _place(self, section: Section) -> PlacedDocument:
        held = self._places.get(section)
        if held is None:
            is_literal = section is Section.ANSWER and self.item.role is Role.USER
            source = LiteralSource() if is_literal else MarkdownSource(is_math_on=self._styles.is_math_on)
            if section is Section.TOOL_CALL:
                source.append(OPENING)  # Shown as what it is, markup: a code block.
            typesetter = self._styles.reasoning if section is Section.REASONING else self._styles.answer
            held = self._places[section] = PlacedDocument(Document(source, typesetter, self._width))
            held.document.set_width(self._width_of(held))
        return held

    def _fit(self) -> None:
        """A bubble is no wider than its text."""
        if self.item.role is Role.USER:
            self.body.document.fit()

    def _width_of(self, place: PlacedDocument) -> float:
        return self._width - REASONING_INSET if place is self.reasoning else self._width

    def _make_note(self) -> PlacedDocument:
        typesetter = self._styles.warning if self.item.note_is_warning else self._styles.note
        made = PlacedDocument(Document(LiteralSource(), typesetter, self._width))
        made.append(self.item.note)
        return made


REASONING_INSET = 14.0
"""Pixels that the bar beside a reasoning section takes."""
