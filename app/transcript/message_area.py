"""The scrolling column of message cards: only cards near the screen exist, and what is read never jumps."""

from __future__ import annotations

from collections import OrderedDict

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.core.conversation_model import ConversationModel
from app.core.throttle import Throttle
from app.markdown.frame_budget import PAGE_MS, FrameBudget, Pace
from app.transcript.message_card import MARGIN, MessageCard
from app.transcript.row_heights import RowHeights, estimated_height
from app.transcript.text_styles import TextStyles
from engine.protocol.values import Section

COLUMN_WIDTH = 720
TOP, SIDE = 26, 22
MAX_CARDS = 24
"""Cards kept; those seen longest ago take on other messages."""
PAINT_INTERVAL_MS = 33
LINE = 40
"""Pixels that an arrow key scrolls."""
_TURN_OVERLAP = 60
"""Pixels of a page that stay in view when it is turned."""
_TALLER_THAN_SCREENS = 1 << 14
_NEAR_END = 24
_RESIZED_MS = 120
"""Thousands of heights are estimated again when a window is no longer being dragged wider."""


class MessageArea(QAbstractScrollArea):
    """Places cards around an anchor: the point that must stay where the reader sees it.

    Signals:
        following_changed(is_following): the view began or ceased to follow the end of the chat.
        card_made(card): connect its signals.

    Attributes:
        cards: by their rows, also some that have left the screen.
    """

    following_changed = Signal(bool)
    card_made = Signal(object)

    def __init__(self, model: ConversationModel, styles: TextStyles, parent: QWidget) -> None:
        super().__init__(parent)
        self.model = model
        self._styles = styles
        self._heights = RowHeights()
        self.cards: OrderedDict[int, MessageCard] = OrderedDict()
        self._spare: list[MessageCard] = []
        self._pending = PendingText()
        self.is_following = True
        self._is_placing = False
        self._estimated_width = 0
        self._held: tuple[int, float] | None = None
        self._pace = Pace()
        self._rest = QTimer(self, singleShot=True, interval=0)
        self._rest.timeout.connect(self._take_pending)
        self._resized = QTimer(self, singleShot=True, interval=_RESIZED_MS)
        self._resized.timeout.connect(self._estimate_again)
        self._flush = Throttle(PAINT_INTERVAL_MS, self._take_pending, self)
        self.setViewport(Viewport(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Conversation"))
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.verticalScrollBar().setSingleStep(LINE)
        model.modelReset.connect(self._on_reset)
        model.rowsInserted.connect(self._on_inserted)
        model.rowsRemoved.connect(self._on_removed)
        model.dataChanged.connect(self._on_changed)
        model.text_appended.connect(self._on_text)
        model.context_changed.connect(self._on_context_changed)
        self._on_reset()

    # What others ask for.

    @property
    def is_resizing(self) -> bool:
        """Heights are still those of the width before."""
        return self._resized.isActive()

    @property
    def column_width(self) -> int:
        """As wide as the composer's card, whether there is a scroll bar or not."""
        return max(200, min(COLUMN_WIDTH, self.width() - 2 * SIDE))

    def visible_cards(self) -> list[MessageCard]:
        """The cards on screen, from top to bottom."""
        return sorted((card for card in self.cards.values() if card.isVisible()), key=lambda card: card.y())

    def scroll_to_end(self) -> None:
        """Go to the newest text and follow it."""
        self._set_following(True)
        self.place()

    def scroll_to_row(self, row: int) -> MessageCard:
        """Bring the top of a message into view; returns its card."""
        self._set_following(False)
        self._top = self._heights.top(row)
        self.place()
        return self._card(row)

    def step(self, direction: int) -> None:
        """Move the keyboard to the message after (1) or before (-1) the one that has it."""
        if not len(self._heights):
            return
        held = next((row for row, card in self.cards.items() if card.hasFocus()), None)
        if held is None:
            held = self._heights.row_at(self._top - TOP + self.viewport().height() / 2) - direction
        row = min(max(0, held + direction), len(self._heights) - 1)
        card = self.cards.get(row)
        if card is None or not card.isVisible() or card.y() < 0 or card.geometry().bottom() > self.viewport().height():
            card = self.scroll_to_row(row)
        card.setFocus(Qt.FocusReason.TabFocusReason)

    def set_styles(self, styles: TextStyles) -> None:
        """Take on other fonts and colours."""
        self._styles = styles
        for card in (*self.cards.values(), *self._spare):
            card.set_styles(styles)
        self._estimate_again()

    def renew_waiting(self) -> None:
        """Formulas can be drawn now: lay out again what waited for them."""
        if any([card.renew_waiting() for card in self.cards.values()]):
            self.place(budget=self._pace.budget())

    def clear_selection(self, but: MessageCard) -> None:
        for card in self.cards.values():
            if card is not but:
                card.interaction.clear()

    def place(self, value: float | None = None, budget: FrameBudget | None = None) -> None:
        """Lay out and move the cards so that `value`, or what was at the top, is at the top of the viewport.

        What takes longer than the budget is done between the next events.
        """
        if self._is_placing:
            return
        self._is_placing = True
        self._budget = budget or FrameBudget()
        try:
            self._top = self._arrange(self._top if value is None else value)
        finally:
            self._is_placing = False
        self._pace.spent()
        (self._rest.start if self._budget.was_short else self._rest.stop)()
        if not self._budget.was_short and (bar := self.verticalScrollBar()).value() >= bar.maximum():
            self._set_following(True)  # The end is in view.

    # The model.

    def _on_reset(self) -> None:
        for row in list(self.cards):
            self._retire(row)
        self._pending.drop()
        self._estimate_all()
        self._top = 0.0
        self._set_following(True)
        self.place(budget=FrameBudget(PAGE_MS))

    def _on_inserted(self, parent: QModelIndex, first: int, last: int) -> None:
        self._heights.append(self._estimate(row) for row in range(first, last + 1))
        if any(self.model.item(row).is_streaming for row in range(first, last + 1)):
            self._card(last)
        self.place()

    def _on_removed(self, parent: QModelIndex, first: int, last: int) -> None:
        self._heights.remove(first, last)
        for row in [row for row in self.cards if row >= first]:
            self._retire(row)
        self._pending.drop(first)
        self.place()

    def _on_changed(self, start: QModelIndex, end: QModelIndex) -> None:
        for row in range(start.row(), end.row() + 1):
            self._append_pending(row)
            if row in self.cards:
                self.cards[row].bind(self.model.item(row))
            else:
                self._heights.set(row, self._estimate(row))
        self.place()

    def _on_text(self, row: int, text: str, section: Section) -> None:
        card = self._card(row)
        is_first = not card.sections.has_text
        self._pending.add(row, text, section)
        if is_first and text.strip():
            self._take_pending()
            card.repaint()
        else:
            self._flush.trigger()

    def _on_context_changed(self) -> None:
        for row, card in self.cards.items():
            card.set_marker(self._marker(row))
        self.place()

    def _take_pending(self) -> None:
        for row in self._pending.rows():
            self._append_pending(row)
        self.place()

    def _append_pending(self, row: int) -> None:
        for section, text in self._pending.take(row):
            self._card(row).append(text, section)

    # Scrolling.

    def _on_scrolled(self, value: int) -> None:
        if not self._is_placing:
            self._set_following(value >= self.verticalScrollBar().maximum() - _NEAR_END)
            self.place(float(value), self._pace.budget())

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self.column_width != self._estimated_width:
            self._resized.start()
        self.place()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """The cards are moved by place(); Qt must not move them as well."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar, key = self.verticalScrollBar(), event.key()
        match key:
            case Qt.Key.Key_Up | Qt.Key.Key_Down if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.step(1 if key == Qt.Key.Key_Down else -1)
            case Qt.Key.Key_Home:
                bar.setValue(0)
            case Qt.Key.Key_End:
                self.scroll_to_end()
            case _ if step := scroll_step(key, self.viewport().height()):
                bar.setValue(bar.value() + step)
            case _:
                event.ignore()

    def _set_following(self, is_following: bool) -> None:
        if is_following != self.is_following:
            self.is_following = is_following
            self.following_changed.emit(is_following)

    # Cards.

    def _card(self, row: int) -> MessageCard:
        card = self.cards.get(row)
        if card is None:
            if not self._spare and len(self.cards) >= MAX_CARDS:
                oldest = next((row for row, card in self.cards.items() if not card.is_pinned), None)
                if oldest is not None:
                    self._retire(oldest)
            card = self._spare.pop() if self._spare else self._make_card()
            self.cards[row] = card
            card.set_column(self.column_width)
            card.bind(self.model.item(row))
            card.set_marker(self._marker(row))
        self.cards.move_to_end(row)
        card.set_column(self.column_width)
        return card

    def _make_card(self) -> MessageCard:
        card = MessageCard(self._styles, self.viewport())
        card.hide()
        card.changed.connect(self._take_pending)
        card.interaction.selection_started.connect(lambda: self.clear_selection(card))
        bar = self.verticalScrollBar()
        card.interaction.scroll_wanted.connect(lambda dy: bar.setValue(bar.value() + dy))
        self.card_made.emit(card)
        return card

    def _retire(self, row: int) -> None:
        card = self.cards.pop(row)
        if card.isAncestorOf(self.focusWidget() or self):
            self.setFocus()
        card.hide()
        self._spare.append(card)

    def _marker(self, row: int) -> str:
        if row == 0 or row != self.model.context_start_row:
            return ""
        words = self.tr("the model sees from here")
        return f"{self.model.context_note} · {words}" if self.model.context_note else words

    def _estimate(self, row: int) -> float:
        return estimated_height(self.model.item(row), self.column_width, self._styles.theme.font_size)

    def _estimate_all(self) -> None:
        self._estimated_width, self._held = self.column_width, None
        self._heights = RowHeights(self._estimate(row) for row in range(self.model.rowCount()))

    def _estimate_again(self) -> None:
        """Estimate for another width or font, and keep what is at the top there."""
        if not len(self._heights):
            return
        row = self._heights.row_at(self._top - TOP)
        share = (self._top - TOP - self._heights.top(row)) / max(1.0, self._heights[row])
        self._estimate_all()
        for known, card in self.cards.items():
            self._heights.set(known, card.height())
        self._top = max(0.0, TOP + self._heights.top(row) + share * self._heights[row])
        self.place()

    # Placing.

    def _arrange(self, top: float) -> float:
        height = self.viewport().height()
        placed: dict[int, float] = {}
        if len(self._heights):
            if self.is_following:
                self._fill_up(len(self._heights), height, placed)
            else:
                self._fill_around(top, placed)
            top = self._settle(placed)
        for row, card in self.cards.items():
            if row not in placed:
                card.hide()
        self._show(placed)
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, round(TOP + self._heights.total - height)))
        bar.setPageStep(height)
        bar.setValue(round(top))
        return top

    def _fill_around(self, top: float, placed: dict[int, float]) -> None:
        """Place the row that holds the anchor, then those before and after it.

        The anchor is the first line that was and stays in view, so that corrected heights above it do not move it;
        it remains the anchor until all of the view is laid out.
        """
        height = self.viewport().height()
        anchor = max(self._top, top) if abs(self._top - top) < height else top
        known, into = self._held or (len(self._heights), 0.0)
        if known < len(self._heights) and top <= (held := TOP + self._heights.top(known) + into) < top + height:
            anchor = held
        row = self._heights.row_at(anchor - TOP)
        offset = anchor - TOP - self._heights.top(row)
        card = self._card(row)
        y = anchor - top - offset
        moved = card.ensure(-y, height - y, offset, self._budget)
        y -= moved
        self._note(row, card, y, placed)
        self._fill_up(row, y, placed)
        self._fill_down(row + 1, y + card.height(), placed)
        self._held = (row, offset + moved) if self._budget.was_short else None

    def _settle(self, placed: dict[int, float]) -> float:
        """Keep the content inside its ends; returns the scroll position of the viewport's top."""
        first = min(placed)
        top = TOP + self._heights.top(first) - placed[first]
        wanted = min(max(0.0, top), max(0.0, TOP + self._heights.total - self.viewport().height()))
        if wanted != top:
            for row in placed:
                placed[row] += top - wanted
            first, last = min(placed), max(placed)
            self._fill_up(first, placed[first], placed)
            self._fill_down(last + 1, placed[last] + self._heights[last], placed)
            first = min(placed)
            top = TOP + self._heights.top(first) - placed[first]
        return max(0.0, top)

    def _show(self, placed: dict[int, float]) -> None:
        is_rising = any(round(y) < self.cards[row].y() for row, y in placed.items())
        for row in sorted(placed, reverse=not is_rising):  # Qt moves pixels only to where no other card is.
            card = self.cards[row]
            card.move((self.width() - self.column_width) // 2 - MARGIN, round(placed[row]))
            card.paint_changes()
            card.show()

    def _fill_up(self, row: int, y: float, placed: dict[int, float]) -> None:
        """Place the rows before `row`, whose top is at `y`, until the viewport's top is covered."""
        while y > 0 and row > 0 and not (placed and row - 1 not in self.cards and self._budget.is_spent()):
            row -= 1
            card = self._card(row)
            card.ensure(card.height() - y, card.height(), card.height(), self._budget)
            y -= card.height()
            self._note(row, card, y, placed)

    def _fill_down(self, row: int, y: float, placed: dict[int, float]) -> None:
        """Place the rows from `row`, whose top is at `y`, until the viewport's bottom is covered."""
        height = self.viewport().height()
        while y < height and row < len(self._heights):
            if row not in self.cards and self._budget.is_spent():
                return
            card = self._card(row)
            card.ensure(0, height - y, 0, self._budget)
            self._note(row, card, y, placed)
            y += card.height()
            row += 1

    def _note(self, row: int, card: MessageCard, y: float, placed: dict[int, float]) -> None:
        self._heights.set(row, card.height())
        placed[row] = y


def scroll_step(key: int, height: int) -> int:
    """Pixels by which `key` scrolls a view of `height` pixels, down being positive; 0 for all other keys."""
    page = height - _TURN_OVERLAP
    steps = {Qt.Key.Key_Up: -LINE, Qt.Key.Key_Down: LINE, Qt.Key.Key_PageUp: -page, Qt.Key.Key_PageDown: page}
    return steps.get(Qt.Key(key), 0)


class PendingText:
    """Text that has arrived but is not laid out yet, by row: tokens come faster than frames."""

    def __init__(self) -> None:
        self._pieces: dict[int, list[tuple[Section, str]]] = {}

    def add(self, row: int, text: str, section: Section) -> None:
        self._pieces.setdefault(row, []).append((section, text))

    def rows(self) -> list[int]:
        return list(self._pieces)

    def take(self, row: int) -> list[tuple[Section, str]]:
        """What waits for `row`, joined to one text for each section, and forget it."""
        joined: dict[Section, list[str]] = {}
        for section, text in self._pieces.pop(row, []):
            joined.setdefault(section, []).append(text)
        return [(section, "".join(texts)) for section, texts in joined.items()]

    def drop(self, first: int = 0) -> None:
        """Forget what waits for `first` and the rows after it."""
        self._pieces = {row: pieces for row, pieces in self._pieces.items() if row < first}


class Viewport(QWidget):
    """Holds the cards: filled like the window; a bar at its edge tells that `area` has the keyboard, unless the mouse
    gave it that. A class of its own, so that screen readers can be given the order of the cards.
    """

    def __init__(self, area: QWidget) -> None:
        super().__init__(area)
        self.setBackgroundRole(QPalette.ColorRole.Window)
        self._bar = QFrame(self)
        self._bar.setObjectName("focusBar")
        self._bar.hide()
        self._bar.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._bar.setGeometry(0, 0, 2, _TALLER_THAN_SCREENS)
        area.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look at the area's focus; nothing is taken from it."""
        if isinstance(event, QFocusEvent):
            self._bar.setVisible(event.gotFocus() and event.reason() is not Qt.FocusReason.MouseFocusReason)
        return False
