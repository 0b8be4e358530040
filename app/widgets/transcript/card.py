"""One message on screen: its texts, what is known about it, and its footer."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.conversation_model import MessageItem
from app.theme import Theme
from app.widgets.markdown.document import Document
from app.widgets.markdown.literal import LiteralText
from app.widgets.markdown.style import Typesetter
from app.widgets.transcript.controls import TextButton
from app.widgets.transcript.footer import Footer
from app.widgets.transcript.sections import Place
from engine.protocol.values import Role, Section

GAP = 20
"""Pixels between messages; the footer of a user's message appears inside it."""
_BUBBLE_X, _BUBBLE_Y, _BUBBLE_MAX = 16.0, 10.0, 560.0
_FOLD_INSET = 14.0


class Card(QWidget):
    """Paints one message. Coordinates are its own; its height includes the gap to the next message.

    Signals:
        height_changed(): a fold was opened or closed.
        first_glyph_painted(id): text of a streaming answer has been painted for the first time.
    """

    height_changed = Signal()
    first_glyph_painted = Signal(str)
    action_chosen = Signal(str, str)
    version_chosen = Signal(str, int)

    def __init__(self, theme: Theme, typesetter: Typesetter, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._typesetter = typesetter
        self.item = MessageItem(id="", role=Role.USER)
        self.body = Place(Document(LiteralText(), typesetter, 100))
        self._fold = TextButton(theme, "", self)
        self._footer = Footer(theme, self)
        self._footer.action_chosen.connect(lambda name: self.action_chosen.emit(name, self.item.id))
        self._footer.version_chosen.connect(lambda index: self.version_chosen.emit(self.item.id, index))
        self._marker = ""
        self._is_painted = False

    def bind(self, item: MessageItem, marker: str = "") -> None:
        """Show another message; `marker` is the context line above it."""
        self.item = item
        self._marker = marker
        self._is_painted = bool(item.content or item.reasoning)
        self.body = Place(Document(LiteralText(), self._typesetter, self._text_width()))
        self.body.document.append(item.content)
        self._footer.bind(item)
        self._stack()

    def append(self, text: str, section: Section) -> None:
        if section is Section.ANSWER:
            self.body.document.append(text)
            self._stack()
            self.update()

    def ensure(self, top: float, bottom: float, anchor: float) -> float:
        """Lay out what lies between `top` and `bottom`; returns by how much what was at `anchor` has moved."""
        moved = 0.0
        for place in (self.body,):
            if place.bottom < top or place.top > bottom:
                continue
            before, start = place.document.height, place.top
            shift = place.document.ensure(top - start, bottom - start, min(max(0.0, anchor - start), before))
            moved += place.document.height - before if anchor >= start + before else shift if anchor > start else 0.0
        self._stack()
        return moved

    def set_column(self, width: int) -> None:
        if width != self.width():
            self.resize(width, self.height())
            self.body.document.set_width(self._text_width())
            self._stack()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        clip = QRectF(event.rect())
        if self.item.role is Role.USER:
            rect = QRectF(self.body.left - _BUBBLE_X, self.body.top - _BUBBLE_Y, 0, 0)
            rect.setRight(self.width())
            rect.setBottom(self.body.bottom + _BUBBLE_Y)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.color("user"))
            painter.drawRoundedRect(rect, 14, 14)
        painter.translate(self.body.left, self.body.top)
        self.body.document.paint(painter, clip.translated(-self.body.left, -self.body.top), None)
        painter.end()
        if not self._is_painted and self.body.document.height > 0 and self.item.is_streaming:
            self._is_painted = True
            self.first_glyph_painted.emit(self.item.id)

    def _text_width(self) -> float:
        if self.item.role is Role.USER:
            return min(_BUBBLE_MAX, self.width() * 0.8) - 2 * _BUBBLE_X
        return self.width()

    def _stack(self) -> None:
        y = 0.0
        if self.item.role is Role.USER:
            y += _BUBBLE_Y
            self.body.left = self.width() - _BUBBLE_X - min(self.body.document.natural_width() + 1, self._text_width())
            self.body.top = y
            y = self.body.bottom + _BUBBLE_Y
        else:
            self.body.left, self.body.top = 0.0, y
            y = self.body.bottom + 8
        self._footer.setVisible(self.item.role is Role.ASSISTANT and not self.item.is_streaming)
        if self._footer.isVisibleTo(self):
            self._footer.setGeometry(0, round(y), self.width(), self._footer.height_hint())
            y += self._footer.height_hint()
        self.resize(self.width(), round(y) + GAP)
