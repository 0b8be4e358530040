"""The conversation for screen readers: a list of messages, each with its text, whether a card shows it now or not."""

from __future__ import annotations

import functools

from PySide6.QtCore import QObject, QPoint, QPointF, QRect
from PySide6.QtGui import (
    QAccessible,
    QAccessibleInterface,
    QAccessibleTextCursorEvent,
    QAccessibleTextInterface,
    QAccessibleTextSelectionEvent,
)
from PySide6.QtWidgets import QAccessibleWidget
from shiboken6 import VoidPtr

from app.transcript.message_area import MessageArea
from app.transcript.message_card import MessageCard
from app.transcript.message_description import spoken_facts, spoken_name
from app.ui.accessible_announcer import AccessibleLeaf


class CardText(QAccessibleTextInterface):
    """The text of a card, read only, with its caret and its selection."""

    def __init__(self, card: MessageCard) -> None:
        super().__init__()
        self._card = card

    def text(self, start: int, end: int) -> str:
        return self._card.spoken().text[start:end]

    def characterCount(self) -> int:
        return len(self._card.spoken().text)

    def cursorPosition(self) -> int:
        held = self._card.interaction.cursor
        return self._card.spoken().offset(*held) if held is not None else 0

    def setCursorPosition(self, position: int) -> None:
        self._select(position, position)

    def selectionCount(self) -> int:
        return 1 if self._card.interaction.selected_text else 0

    def selection(self, index: int) -> tuple[int, int]:
        spoken, interaction = self._card.spoken(), self._card.interaction
        if interaction.cursor is None or (range_ := interaction.selected_range(interaction.cursor[0])) is None:
            return 0, 0
        start, end = (spoken.offset(interaction.cursor[0], position) for position in range_)
        return start, end

    def addSelection(self, start: int, end: int) -> None:
        self._select(start, end)

    def removeSelection(self, index: int) -> None:
        self._card.interaction.clear()

    def setSelection(self, index: int, start: int, end: int) -> None:
        self._select(start, end)

    def characterRect(self, offset: int) -> QRect:
        """Where the character stands on the screen; a thin line where its width is not known."""
        if (found := self._card.spoken().position(offset)) is None:
            return QRect(self._card.mapToGlobal(QPoint(0, 0)), self._card.size())
        place, position = found
        here, after = (
            place.document.rect_of((*position[:2], position[2] + step)).translated(place.left, place.top)
            for step in ((0, 1) if position[2] < place.document.layout_at(position).length else (0, 0))
        )
        if after.top() == here.top() and after.left() > here.left():
            here.setRight(after.left())
        return QRect(self._card.mapToGlobal(here.topLeft().toPoint()), here.size().toSize())

    def offsetAtPoint(self, point: QPoint) -> int:
        local = QPointF(self._card.mapFromGlobal(point))
        place = self._card.sections.place_at(local.y())
        return self._card.spoken().offset(place, place.document.position_at(place.local(local)))

    def scrollToSubstring(self, start: int, end: int) -> None:
        self._select(start, start)
        self._card.interaction.reveal()

    def attributes(self, offset: int) -> tuple[str, int, int]:
        return "", 0, self.characterCount()

    def _select(self, start: int, end: int) -> None:
        """What goes over the end of a section is cut there: selections are made within one."""
        spoken = self._card.spoken()
        first, last = spoken.position(start), spoken.position(end)
        if first is not None and last is not None:
            place, position = first
            self._card.interaction.select(place, position, last[1] if last[0] is place else place.document.end())


class AccessibleCard(QAccessibleWidget):
    """A message on the screen. Its name is all of it: that is what every screen reader speaks of a list's item."""

    def __init__(self, card: MessageCard) -> None:
        super().__init__(card, QAccessible.Role.ListItem)
        self._card = card
        self._text = CardText(card)

    def parent(self) -> QAccessibleInterface:
        return QAccessible.queryAccessibleInterface(area_of(self._card))

    def text(self, kind: QAccessible.Text) -> str:
        if kind == QAccessible.Text.Name:
            return spoken_name(self._card.item, self._card.spoken().text)
        if kind == QAccessible.Text.Description:
            return spoken_facts(self._card.item, self._card.marker)
        return super().text(kind)

    # The stubs say int, for the pointer that C++ returns; from Python it is the interface itself.
    def interface_cast(self, kind: QAccessible.InterfaceType) -> object:  # type: ignore[override]
        if kind == QAccessible.InterfaceType.TextInterface:
            return self._text
        found = super().interface_cast(kind)
        # WORKAROUND: None from Python ends the process when C++ asks, as every screen reader makes it do.
        return VoidPtr(0) if found is None else found


class UnseenRow(QObject):
    """A message that no card shows; made when an assistive technology asks for it."""

    def __init__(self, area: MessageArea, row: int) -> None:
        super().__init__(area)
        self.area, self.row = area, row


class AccessibleRow(AccessibleLeaf):
    """An unseen message: it has its name and its place in the list."""

    def __init__(self, unseen: UnseenRow) -> None:
        super().__init__(unseen)
        self._unseen = unseen

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.ListItem

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        state.offscreen = True
        return state

    def text(self, kind: QAccessible.Text) -> str:
        model = self._unseen.area.model
        if self._unseen.row >= model.rowCount():
            return ""
        item = model.item(self._unseen.row)
        if kind == QAccessible.Text.Name:
            return spoken_name(item, item.content)
        return spoken_facts(item) if kind == QAccessible.Text.Description else ""

    def parent(self) -> QAccessibleInterface:
        return QAccessible.queryAccessibleInterface(self._unseen.area)


class AccessibleMessages(QAccessibleWidget):
    """All messages in their order, however few of them have cards."""

    def __init__(self, area: MessageArea) -> None:
        super().__init__(area, QAccessible.Role.List)
        self._area = area
        self._unseen: dict[int, UnseenRow] = {}

    def childCount(self) -> int:
        return self._area.model.rowCount()

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        if not 0 <= index < self.childCount():
            return None
        if (card := self._area.cards.get(index)) is not None and card.isVisible():
            return QAccessible.queryAccessibleInterface(card)
        if index not in self._unseen:
            self._unseen[index] = UnseenRow(self._area, index)
        return QAccessible.queryAccessibleInterface(self._unseen[index])

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        target = child.object()
        if isinstance(target, MessageCard):
            return next((row for row, card in self._area.cards.items() if card is target), -1)
        return target.row if isinstance(target, UnseenRow) else -1


def area_of(card: MessageCard) -> MessageArea:
    """The area that a card belongs to."""
    parent = card.parent()
    while not isinstance(parent, MessageArea):
        assert parent is not None
        parent = parent.parent()
    return parent


def tell_caret(card: MessageCard) -> None:
    """Say where the caret or the selection of a message is now, where somebody listens."""
    if not QAccessible.isActive():
        return
    text = CardText(card)
    if text.selectionCount():
        QAccessible.updateAccessibility(QAccessibleTextSelectionEvent(card, *text.selection(0)))
    QAccessible.updateAccessibility(QAccessibleTextCursorEvent(card, text.cursorPosition()))


def make_interface(class_name: str, target: QObject) -> QAccessibleInterface | None:
    """Qt asks this for every object that an assistive technology looks at."""
    match target:
        case MessageCard():
            return AccessibleCard(target)
        case MessageArea():
            return AccessibleMessages(target)
        case UnseenRow():
            return AccessibleRow(target)
        case _:
            return None


@functools.cache
def install() -> None:
    """Make messages readable in this process."""
    QAccessible.installFactory(make_interface)
