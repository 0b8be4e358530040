"""The conversation for screen readers: each card is a readable text, and they come in the order of the messages."""

from __future__ import annotations

import functools

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface, QAccessibleTextInterface
from PySide6.QtWidgets import QAccessibleWidget
from shiboken6 import VoidPtr

from app.widgets.transcript.area import Area
from app.widgets.transcript.card import Card
from app.widgets.transcript.viewport import Viewport


class CardText(QAccessibleTextInterface):
    """The text of a card, read only, with its selection."""

    def __init__(self, card: Card) -> None:
        super().__init__()
        self._card = card

    def text(self, start: int, end: int) -> str:
        return self._card.accessible_text()[start:end]

    def characterCount(self) -> int:
        return len(self._card.accessible_text())

    def cursorPosition(self) -> int:
        return 0

    def setCursorPosition(self, position: int) -> None:
        """There is no cursor to set."""

    def selectionCount(self) -> int:
        return 1 if self._card.interaction.selected_text else 0

    def selection(self, index: int) -> tuple[int, int]:
        selected = self._card.interaction.selected_text
        start = max(0, self._card.accessible_text().find(selected)) if selected else 0
        return start, start + len(selected)

    def addSelection(self, start: int, end: int) -> None:
        self._card.interaction.select_all()

    def removeSelection(self, index: int) -> None:
        self._card.interaction.clear()

    def setSelection(self, index: int, start: int, end: int) -> None:
        self._card.interaction.select_all()

    def characterRect(self, offset: int) -> QRect:
        return QRect(self._card.mapToGlobal(QPoint(0, 0)), self._card.size())

    def offsetAtPoint(self, point: QPoint) -> int:
        return 0

    def scrollToSubstring(self, start: int, end: int) -> None:
        """Cards that are read are in view."""

    def attributes(self, offset: int) -> tuple[str, int, int]:
        return "", 0, self.characterCount()


class AccessibleCard(QAccessibleWidget):
    """A message: named after who wrote it, with its text as value."""

    def __init__(self, card: Card) -> None:
        super().__init__(card, QAccessible.Role.StaticText)
        self._card = card
        self._text = CardText(card)

    def text(self, kind: QAccessible.Text) -> str:
        if kind in (QAccessible.Text.Value, QAccessible.Text.Description):
            return self._card.accessible_text()
        return super().text(kind)

    # The stubs say int, for the pointer that C++ returns; from Python it is the interface itself.
    def interface_cast(self, kind: QAccessible.InterfaceType) -> object:  # type: ignore[override]
        if kind == QAccessible.InterfaceType.TextInterface:
            return self._text
        found = super().interface_cast(kind)
        # WORKAROUND: None from Python ends the process when C++ asks, as every screen reader makes it do.
        return VoidPtr(0) if found is None else found


class AccessibleMessages(QAccessibleWidget):
    """The cards on the screen from top to bottom; Qt would give them as they were made, and reused ones anywhere."""

    def __init__(self, viewport: Viewport) -> None:
        super().__init__(viewport, QAccessible.Role.Client)
        self._viewport = viewport

    def childCount(self) -> int:
        return len(self._cards())

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        cards = self._cards()
        return QAccessible.queryAccessibleInterface(cards[index]) if 0 <= index < len(cards) else None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return next((number for number, card in enumerate(self._cards()) if card is child.object()), -1)

    def _cards(self) -> list[Card]:
        area = self._viewport.parent()
        return area.visible_cards() if isinstance(area, Area) else []


def make_interface(class_name: str, target: QObject) -> QAccessibleInterface | None:
    """Qt asks this for every object that an assistive technology looks at."""
    if isinstance(target, Card):
        return AccessibleCard(target)
    return AccessibleMessages(target) if isinstance(target, Viewport) else None


@functools.cache
def install() -> None:
    """Make cards readable in this process."""
    QAccessible.installFactory(make_interface)
