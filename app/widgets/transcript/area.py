"""The scrolling column of message cards: only cards near the screen exist, and what is read never jumps."""

from __future__ import annotations

from collections import OrderedDict

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.conversation_model import ConversationModel
from app.theme import Theme
from app.throttle import Throttle
from app.widgets.markdown.style import Typesetter
from app.widgets.transcript.card import Card
from app.widgets.transcript.estimate import estimated_height
from app.widgets.transcript.heights import Heights
from engine.protocol.values import Section

COLUMN_WIDTH = 720
TOP, BOTTOM, SIDE = 26, 18, 22
MAX_CARDS = 24
"""Cards kept; those seen longest ago take on other messages."""
PAINT_INTERVAL_MS = 33
_NEAR_END = 24


class Area(QAbstractScrollArea):
    """Places cards around an anchor: the point that must stay where the reader sees it.

    Signals:
        following_changed(is_following): the view began or ceased to follow the end of the chat.
        card_made(card): connect its signals.
    """

    following_changed = Signal(bool)
    card_made = Signal(object)

    def __init__(self, model: ConversationModel, theme: Theme, typesetter: Typesetter, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._theme = theme
        self._typesetter = typesetter
        self._heights = Heights()
        self._cards: OrderedDict[int, Card] = OrderedDict()
        self._spare: list[Card] = []
        self._pending: dict[int, list[tuple[str, Section]]] = {}
        self._top = 0.0
        self._is_following = True
        self._is_placing = False
        self._flush = Throttle(PAINT_INTERVAL_MS, self._take_pending, self)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.verticalScrollBar().setSingleStep(40)
        model.modelReset.connect(self._on_reset)
        model.rowsInserted.connect(self._on_inserted)
        model.rowsRemoved.connect(self._on_removed)
        model.dataChanged.connect(self._on_changed)
        model.text_appended.connect(self._on_text)
        self._on_reset()

    @property
    def is_following(self) -> bool:
        return self._is_following

    @property
    def column_width(self) -> int:
        return max(200, min(COLUMN_WIDTH, self.viewport().width() - 2 * SIDE))

    def scroll_to_end(self) -> None:
        """Go to the newest text and follow it."""
        self._set_following(True)
        self._place()

    def _on_reset(self) -> None:
        self._spare.extend(self._cards.values())
        for card in self._cards.values():
            card.hide()
        self._cards.clear()
        self._pending.clear()
        width = self.column_width
        self._heights = Heights(estimated_height(self._model.item(row), width) for row in range(self._model.rowCount()))
        self._set_following(True)
        self._place()

    def _on_inserted(self, parent: QModelIndex, first: int, last: int) -> None:
        self._heights.append(
            estimated_height(self._model.item(row), self.column_width) for row in range(first, last + 1)
        )
        self._place()

    def _on_removed(self, parent: QModelIndex, first: int, last: int) -> None:
        self._heights.remove(first, last)
        for row in [row for row in self._cards if row >= first]:
            card = self._cards.pop(row)
            card.hide()
            self._spare.append(card)
        self._place()

    def _on_changed(self, start: QModelIndex, end: QModelIndex) -> None:
        for row in range(start.row(), end.row() + 1):
            self._pending.pop(row, None)
            if row in self._cards:
                self._cards[row].bind(self._model.item(row))
        self._place()

    def _on_text(self, row: int, text: str, section: Section) -> None:
        if row in self._cards:
            self._pending.setdefault(row, []).append((text, section))
            self._flush.trigger()

    def _take_pending(self) -> None:
        for row, pieces in self._pending.items():
            for text, section in pieces:
                self._cards[row].append(text, section)
        self._pending.clear()
        self._place()

    def _on_scrolled(self, value: int) -> None:
        if not self._is_placing:
            self._set_following(value >= self.verticalScrollBar().maximum() - _NEAR_END)
            self._place(value)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def _set_following(self, is_following: bool) -> None:
        if is_following != self._is_following:
            self._is_following = is_following
            self.following_changed.emit(is_following)

    def _card(self, row: int) -> Card:
        card = self._cards.get(row)
        if card is None:
            if not self._spare and len(self._cards) >= MAX_CARDS:
                _, oldest = self._cards.popitem(last=False)
                self._spare.append(oldest)
            card = self._spare.pop() if self._spare else self._make_card()
            self._cards[row] = card
            card.set_column(self.column_width)
            card.bind(self._model.item(row))
        self._cards.move_to_end(row)
        card.set_column(self.column_width)
        return card

    def _make_card(self) -> Card:
        card = Card(self._theme, self._typesetter, self.viewport())
        card.hide()
        self.card_made.emit(card)
        return card

    def _place(self, value: int | None = None) -> None:
        """Lay out and move the cards so that `value`, or what was at the top, is at the top of the viewport."""
        if self._is_placing:
            return
        self._is_placing = True
        try:
            self._top = self._arrange(self._top if value is None else float(value))
        finally:
            self._is_placing = False

    def _arrange(self, top: float) -> float:
        height, n_rows = self.viewport().height(), len(self._heights)
        placed: list[tuple[int, float]] = []
        if n_rows:
            if self._is_following:
                top = max(0.0, TOP + self._heights.total + BOTTOM - height)
            held = max(self._top, top) if abs(self._top - top) < height else top
            if self._is_following:
                self._fill_up(n_rows, height - BOTTOM, placed)
            else:
                row = self._heights.row_at(held - TOP)
                offset = held - TOP - self._heights.top(row)
                card = self._card(row)
                y = held - top - offset
                y -= card.ensure(-y, height - y, offset)
                self._note(row, card, y, placed)
                self._fill_up(row, y, placed)
                self._fill_down(row + 1, y + card.height(), placed)
            first_row, first_y = min(placed)
            top = TOP + self._heights.top(first_row) - first_y
            limit = max(0.0, TOP + self._heights.total + BOTTOM - height)
            shift = 0.0
            if top > limit or top < 0 or (self._is_following and limit == 0):
                wanted = min(max(0.0, top), limit)
                shift, top = top - wanted, wanted
            left = (self.viewport().width() - self.column_width) // 2
            for row, y in placed:
                self._cards[row].move(left, round(y + shift))
                self._cards[row].show()
        shown = {row for row, _ in placed}
        for row, card in self._cards.items():
            if row not in shown:
                card.hide()
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, round(TOP + self._heights.total + BOTTOM - height)))
        bar.setPageStep(height)
        bar.setValue(round(top))
        return top

    def _fill_up(self, row: int, y: float, placed: list[tuple[int, float]]) -> None:
        """Place the rows before `row`, whose top is at `y`, until the viewport's top is covered."""
        while y > 0 and row > 0:
            row -= 1
            card = self._card(row)
            card.ensure(card.height() - y, card.height(), card.height())
            y -= card.height()
            self._note(row, card, y, placed)

    def _fill_down(self, row: int, y: float, placed: list[tuple[int, float]]) -> None:
        """Place the rows from `row`, whose top is at `y`, until the viewport's bottom is covered."""
        height = self.viewport().height()
        while y < height and row < len(self._heights):
            card = self._card(row)
            card.ensure(0, height - y, 0)
            self._note(row, card, y, placed)
            y += card.height()
            row += 1

    def _note(self, row: int, card: Card, y: float, placed: list[tuple[int, float]]) -> None:
        self._heights.set(row, card.height())
        placed.append((row, y))
