"""Mouse and keyboard inside a message card: selection, links, the controls of code blocks."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAction,
    QCursor,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from app.markdown.block_layouts import BlockLayout
from app.markdown.blocks import Mark, Picture, Span
from app.markdown.code_layout import CodeLayout
from app.markdown.laid_out_document import Position
from app.markdown.picture_layout import PictureLayout
from app.markdown.picture_loader import PictureState, host_of
from app.transcript.message_sections import MessageSections, PlacedDocument
from app.transcript.text_selection import Selection

_COPIED_MS = 1_500
_DRAG_SCROLL_MS = 40
_DRAG_STEP = 24
_REVEALED = 24
"""Pixels between the caret and the edge of what is in view, at least."""


class CardInteraction(QObject):
    """What the pointer and the keys do in the widget of one card.

    Signals:
        moved(): its caret or its selection is another.
        selection_started(): a selection began here; others end.
        sizes_changed(): what is selected was laid out, and may be higher.
        scroll_wanted(dy): a selection is dragged out of view.
        link_activated(url, text): a link was clicked.
    """

    moved = Signal()
    selection_started = Signal()
    sizes_changed = Signal()
    scroll_wanted = Signal(int)
    link_activated = Signal(str, str)

    def __init__(self, card: QWidget, sections: MessageSections) -> None:
        super().__init__(card)
        self._card, self._sections = card, sections
        self._place: PlacedDocument | None = None
        self._selection: Selection | None = None
        self._pressed: Span | None = None
        self._is_dragging = False
        self._is_by_key = False
        self._since_double_click = QElapsedTimer()
        self._drag = QTimer(self, interval=_DRAG_SCROLL_MS)
        self._drag.timeout.connect(self._drag_on)

    # Selection.

    @property
    def selected_text(self) -> str:
        return self._selection.text() if self._selection is not None else ""

    def selected_range(self, place: PlacedDocument) -> tuple[Position, Position] | None:
        """What is selected in `place`."""
        return self._selection.range if self._selection is not None and place is self._place else None

    @property
    def cursor(self) -> tuple[PlacedDocument, Position] | None:
        """Where the caret is, if one was ever set."""
        return (
            (self._place, self._selection.cursor) if self._place is not None and self._selection is not None else None
        )

    def select(self, place: PlacedDocument, start: Position, end: Position) -> None:
        """Select in `place`; the same start and end only put the caret there."""
        selection = self._begin(place)
        selection.anchor, selection.cursor = start, end
        self._is_by_key = True
        self._changed()

    def caret(self, place: PlacedDocument) -> Position | None:
        """Where to draw the caret in `place`: only where keys have brought it, and nothing is selected."""
        is_here = self._is_by_key and place is self._place and self._selection is not None
        return self._selection.cursor if is_here and self._selection and self._selection.range is None else None

    def set_sections(self, sections: MessageSections) -> None:
        """The card shows another message; nothing of the one before is selected."""
        self.forget()
        self._sections = sections

    def forget(self) -> None:
        """Select nothing, and let go of the texts."""
        self._place = self._selection = self._pressed = None
        self._drag.stop()

    def clear(self) -> None:
        """Select nothing."""
        if self._selection is not None and self._selection.range is not None:
            self._selection.clear()
            self._changed()

    def select_all(self) -> None:
        """Select the whole message."""
        self._begin(self._sections.body).select_all()
        self._changed()

    def select_match(self, text: str, number: int) -> QRectF | None:
        """Select a match in the message's own text; returns where it is in the card, None when it is not shown."""
        place, selection = self._sections.body, Selection(self._sections.body.document)
        if not selection.select_match(text, number):
            return None
        self._begin(place, selection)
        self._card.update()
        return place.document.rect_of(selection.anchor).translated(place.left, place.top)

    def copy(self) -> None:
        """Put the selected text on the clipboard, or the whole message when nothing is selected."""
        QGuiApplication.clipboard().setText(self.selected_text or self._sections.body.document.text())

    def actions(self, menu: QMenu) -> list[QAction]:
        """Menu entries for what is selected and what is under the pointer."""
        copy = QAction(self.tr("Copy selection"), menu)
        copy.triggered.connect(self.copy)
        copy.setEnabled(bool(self.selected_text))
        everything = QAction(self.tr("Select all"), menu)
        everything.triggered.connect(self.select_all)
        made = [copy, everything]
        span = self._span_at(QPointF(self._card.mapFromGlobal(QCursor.pos())))
        if span is not None and span.marks & Mark.LINK:
            link = QAction(self.tr("Copy link address"), menu)
            link.triggered.connect(lambda: QGuiApplication.clipboard().setText(span.target))
            made.append(link)
        if addresses := self._offered_pictures():
            show = QAction(self.tr("Load the pictures from {host}").format(host=host_of(addresses[0])), menu)
            show.triggered.connect(lambda: self._ask_for(addresses))
            made.append(show)
        return made

    def _ask_for(self, addresses: list[str]) -> None:
        for address in addresses:
            self._sections.pictures.ask(address)

    def _offered_pictures(self) -> list[str]:
        """Addresses of remote pictures of the message, from one host, that wait for the reader's wish."""
        pictures = self._sections.pictures
        addresses = [
            block.address
            for block in self._sections.body.document.blocks()
            if isinstance(block, Picture) and pictures.state(block.address) is PictureState.OFFERED
        ]
        return [each for each in addresses if host_of(each) == host_of(addresses[0])]

    # Mouse.

    def mouse_pressed(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        point = event.position()
        if self._press_control(point):
            return
        self._is_by_key = False
        place = self._sections.place_at(point.y())
        is_triple = self._since_double_click.isValid() and self._since_double_click.elapsed() < (
            QGuiApplication.styleHints().mouseDoubleClickInterval()
        )
        is_extending = event.modifiers() & Qt.KeyboardModifier.ShiftModifier and place is self._place
        selection = self._selection if is_extending and self._selection is not None else self._begin(place)
        local = place.local(point)
        if is_triple:
            selection.select_block(local)
            self._since_double_click.invalidate()
        elif is_extending:
            selection.extend(local)
        else:
            selection.start(local)
        self._pressed = self._span_at(point)
        self._is_dragging = True
        self._card.update()

    def mouse_moved(self, event: QMouseEvent) -> None:
        point = event.position()
        if self._is_dragging and event.buttons() & Qt.MouseButton.LeftButton:
            self._extend(point)
            if not self._drag.isActive():
                self._drag.start()
            return
        span = self._span_at(point)
        is_link = span is not None and bool(span.marks & Mark.LINK)
        if is_link or self._control_at(point) is not None:
            self._card.setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            is_text = any(place.rect().contains(point) for place in self._sections.shown())
            self._card.setCursor(Qt.CursorShape.IBeamCursor if is_text else Qt.CursorShape.ArrowCursor)
        self._card.setToolTip(span.target if span is not None and is_link else "")

    def mouse_released(self, event: QMouseEvent) -> None:
        self._drag.stop()
        if self._is_dragging:
            self.moved.emit()
        self._is_dragging = False
        span, self._pressed = self._pressed, None
        if span is None or (self._selection is not None and self._selection.range is not None):
            return
        if span.marks & Mark.LINK and self._span_at(event.position()) == span and self._place is not None:
            position = self._place.document.position_at(self._place.local(event.position()))
            shown = self._place.document.layout_at(position).shown()[span.start : span.end]
            self.link_activated.emit(span.target, shown)

    def mouse_double_clicked(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._control_at(event.position()) is not None:
            return
        place = self._sections.place_at(event.position().y())
        self._begin(place).select_word(place.local(event.position()))
        self._since_double_click.start()
        self._card.update()

    def wheel_turned(self, event: QWheelEvent) -> bool:
        """Scroll a wide block sideways; returns whether the event meant that."""
        delta = event.pixelDelta() if not event.pixelDelta().isNull() else event.angleDelta() / 2
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        dx = delta.y() if is_shifted and not delta.x() else delta.x()
        if abs(dx) <= abs(delta.y()) and not is_shifted:
            return False
        place = self._sections.place_at(event.position().y())
        found = place.document.block_at(place.local(event.position()))
        if found is None or not found[2].scroll_by(-dx):
            return False
        self._card.update()
        return True

    # Keyboard.

    def key_pressed(self, event: QKeyEvent) -> bool:
        """Act on a key; returns whether it meant anything here."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return True
        if event.matches(QKeySequence.StandardKey.SelectAll):
            self.select_all()
            return True
        if self._move_caret(Qt.Key(event.key()), event.modifiers()):
            return True
        if event.key() == Qt.Key.Key_Escape and self.selected_text:
            self.clear()
            return True
        return False

    def _move_caret(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> bool:
        """With Shift, keys select. Without, left and right move the caret; others scroll, unless a reader listens."""
        is_selecting = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        by_word = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        is_sideways = key in (Qt.Key.Key_Left, Qt.Key.Key_Right)
        if not (is_selecting or is_sideways or (QAccessible.isActive() and not by_word)):
            return False
        selection = self._selection or self._begin(self._sections.body)
        if not selection.move(key, by_word=by_word):
            return False
        if not is_selecting:
            selection.clear()
        self._is_by_key = True
        self.sizes_changed.emit()
        self.reveal()
        self._changed()
        return True

    def reveal(self) -> None:
        """Scroll so that the caret is in view."""
        viewport = self._card.parentWidget()
        if self.cursor is None or viewport is None:
            return
        place, position = self.cursor
        layout = place.document.layout_at(position)
        inside = layout.cursor_rect(position[2])
        if not 0 <= inside.left() <= layout.width - _REVEALED:
            layout.scroll_by(inside.left() - layout.width / 2)
        rect = place.document.rect_of(position).translated(place.left, place.top + self._card.y())
        if rect.top() < _REVEALED:
            self.scroll_wanted.emit(round(rect.top()) - _REVEALED)
        elif rect.bottom() > viewport.height() - _REVEALED:
            self.scroll_wanted.emit(round(rect.bottom()) - viewport.height() + _REVEALED)

    # Internals.

    def _changed(self) -> None:
        self._card.update()
        self.moved.emit()

    def _begin(self, place: PlacedDocument, selection: Selection | None = None) -> Selection:
        self.selection_started.emit()
        self._place, self._selection = place, selection or Selection(place.document)
        return self._selection

    def _extend(self, point: QPointF) -> None:
        if self._selection is not None and self._place is not None:
            self._selection.extend(self._place.local(point))
            self._card.update()

    def _drag_on(self) -> None:
        """Scroll while the pointer is held above or below what is visible."""
        viewport = self._card.parentWidget()
        if viewport is None:
            return
        y = viewport.mapFromGlobal(QCursor.pos()).y()
        if y < 0 or y > viewport.height():
            self.scroll_wanted.emit(-_DRAG_STEP if y < 0 else _DRAG_STEP)
            self._extend(QPointF(self._card.mapFromGlobal(QCursor.pos())))

    def _span_at(self, point: QPointF) -> Span | None:
        place = self._sections.place_at(point.y())
        found = place.document.block_at(place.local(point))
        return found[2].span_at(found[3]) if found is not None else None

    def _control_at(self, point: QPointF) -> BlockLayout | None:
        place = self._sections.place_at(point.y())
        found = place.document.block_at(place.local(point))
        return found[2] if found is not None and found[2].control_at(found[3]) is not None else None

    def _press_control(self, point: QPointF) -> bool:
        code = self._control_at(point)
        if isinstance(code, PictureLayout):
            self._sections.pictures.ask(code.address)
            return True
        if not isinstance(code, CodeLayout):
            return False
        QGuiApplication.clipboard().setText(code.text())
        code.is_just_copied = True
        QToolTip.hideText()
        self._card.update()
        QTimer.singleShot(_COPIED_MS, self, lambda: self._forget_copied(code))
        return True

    def _forget_copied(self, code: CodeLayout) -> None:
        code.is_just_copied = False
        self._card.update()
