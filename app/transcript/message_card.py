"""One message on screen: its texts, what is known about it, and its footer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QEnterEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from app.core.conversation_model import MessageItem
from app.markdown.frame_budget import FrameBudget
from app.transcript.accessible_text import AccessibleText
from app.transcript.card_interaction import CardInteraction
from app.transcript.card_painting import (
    MARKER_HEIGHT,
    PREFILL_HEIGHT,
    attachments_height,
    paint_attachments,
    paint_bubble,
    paint_caret,
    paint_focus,
    paint_marker,
    paint_text_caret,
    paint_waiting,
)
from app.transcript.content_menu import content_actions
from app.transcript.footer_figures import reasoning_text
from app.transcript.message_editor import MessageEditor
from app.transcript.message_footer import MessageFooter
from app.transcript.message_sections import REASONING_INSET, MessageSections, PlacedDocument
from app.transcript.text_button import TextButton
from app.transcript.text_styles import TextStyles
from engine.protocol.values import Role, Section

MARGIN = 12
"""Pixels on both sides of the column that belong to the card, for the focus frame."""
GAP = 20
"""Pixels between messages; the footer of a user's message appears inside it."""
_BUBBLE_X, _BUBBLE_Y, _BUBBLE_MAX = 16.0, 10.0, 560.0
_SPACE = 8.0
_OVERLAP = 40.0
"""Pixels above a change that it may reach into: the caret was there, or the round corners of a frame."""


class MessageCard(QWidget):
    """Paints one message. Coordinates are its own; its height includes the gap to the next message.

    Signals:
        changed(): its height may have changed: a fold, an editor, a formula.
        first_glyph_painted(id): text of a streaming answer has been painted for the first time.
        action_chosen(name, id), version_chosen(id, index): what the reader wants.
        edit_submitted(id, text, ended): the editor stays open until ended(fault) is called with an empty text.
        link_activated(url, text): a link or a remote image was clicked.

    What begins with the mouse or the caret, its `interaction` tells.
    """

    changed = Signal()
    first_glyph_painted = Signal(str)
    action_chosen = Signal(str, str)
    version_chosen = Signal(str, int)
    edit_submitted = Signal(str, str, object)
    link_activated = Signal(str, str)

    def __init__(self, styles: TextStyles, parent: QWidget) -> None:
        super().__init__(parent)
        self.styles = styles
        self.sections = MessageSections(MessageItem(id="", role=Role.USER), styles, 100)
        self._spoken: tuple[object, AccessibleText] = ((), AccessibleText(()))
        self.marker = ""
        """The line above the message; empty for none."""
        self._bubble = QRectF()
        self._is_painted = False
        self._is_unfolded: bool | None = None
        self._editor: MessageEditor | None = None
        self._fold = TextButton(styles.theme, "", self)
        self._fold.clicked.connect(self._toggle_fold)
        self._footer = MessageFooter(styles.theme, self)
        self._footer.action_chosen.connect(self._act)
        self._footer.menu_requested.connect(self.show_menu)
        self._footer.version_chosen.connect(lambda index: self.version_chosen.emit(self.item.id, index))
        self.interaction = CardInteraction(self, self.sections)
        self.interaction.sizes_changed.connect(self.restack)
        self.interaction.link_activated.connect(self.link_activated)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # Moved on the screen without being painted again,
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)  # also when it grows at its end.

    @property
    def item(self) -> MessageItem:
        return self.sections.item

    @property
    def is_pinned(self) -> bool:
        """It must not take on another message: text streams into it, or is being edited in it."""
        return self.item.is_streaming or self._editor is not None

    def bind(self, item: MessageItem) -> None:
        """Show `item`: another message, or the same one as it is now."""
        if item.id != self.item.id:
            self.cancel_edit()
            self._is_unfolded = None
            self.sections = MessageSections(item, self.styles, self._text_width(item.role))
            self.interaction.set_sections(self.sections)
            self._is_painted = self.sections.has_text
        else:
            self.sections.update(item)
        self._footer.bind(item)
        self.restack()
        self.update()

    def set_marker(self, marker: str) -> None:
        """The line above the message that says where the model's view begins; empty for none."""
        if marker != self.marker:
            self.marker = marker
            self.restack()
            self.update()

    def append(self, text: str, section: Section) -> None:
        """Add streamed text."""
        self.sections.append(text, section)
        self.restack()

    def paint_changes(self) -> None:
        """Paint what was laid out anew, and all below; once moved, as Qt never moves pixels that are to be painted."""
        top = self.sections.take_stale_top() - _OVERLAP
        if top < self.height():
            self.update(0, max(0, int(top)), self.width(), self.height())

    def set_column(self, width: int) -> None:
        """Lay out for a text column of `width` pixels."""
        if width + 2 * MARGIN != self.width():
            self.resize(width + 2 * MARGIN, self.height())
            self.sections.set_width(self._text_width(self.item.role))
            self.restack()
            self.update()

    def set_styles(self, styles: TextStyles) -> None:
        if styles.is_math_on != self.styles.is_math_on:
            self.interaction.forget()
        self.styles = styles
        self.sections.set_styles(styles)
        self._fold.setFont(styles.theme.font(-1))
        self._footer.set_theme_changed()
        self.restack()
        self.update()

    def ensure(self, top: float, bottom: float, anchor: float, budget: FrameBudget) -> float:
        """Lay out what lies between `top` and `bottom`; returns by how much what was at `anchor` has moved."""
        moved = self.sections.ensure(top, bottom, anchor, budget)
        self.restack()
        return moved

    def renew_waiting(self) -> bool:
        if is_changed := self.sections.renew_waiting():
            self.restack()
        return is_changed

    # Editing.

    def start_edit(self) -> None:
        """Put an editor with the message's source in its place."""
        if self._editor is None:
            verb = self.tr("Send") if self.item.role is Role.USER else self.tr("Save")
            self._editor = MessageEditor(self.styles.theme, self.item.content, verb, self)
            self._editor.submitted.connect(self._submit_edit)
            self._editor.cancelled.connect(self.cancel_edit)
            self._editor.height_changed.connect(self._changed)
            self._editor.show()
            self._changed()
            self._editor.take_focus()

    def cancel_edit(self) -> None:
        if self._editor is not None:
            self._editor.hide()
            self._editor.deleteLater()
            self._editor = None
            self._changed()
            self.setFocus()

    def _submit_edit(self, text: str) -> None:
        editor = self._editor

        def ended(fault: str) -> None:
            if editor is None or self._editor is not editor:
                return  # Closed by the user meanwhile.
            if fault:
                editor.set_fault(fault)
            else:
                self.cancel_edit()

        self.edit_submitted.emit(self.item.id, text, ended)

    def spoken(self) -> AccessibleText:
        """Everything that can be read in the message, for screen readers."""
        places = list(self.sections.shown())
        key = tuple((id(place), place.length) for place in places)
        if key != self._spoken[0]:
            self._spoken = (key, AccessibleText(places))
        return self._spoken[1]

    # Layout.

    def restack(self) -> None:
        """Put the parts below each other; what changes sizes calls this."""
        item, y = self.item, float(MARKER_HEIGHT if self.marker else 0)
        column = self.width() - 2 * MARGIN
        reasoning = self.sections.reasoning
        self._fold.setVisible(reasoning is not None)
        if reasoning is not None:
            y = self._stack_reasoning(reasoning, y)
        if self._editor is not None:
            self._editor.setGeometry(MARGIN, round(y), column, self._editor.height_hint())
            y += self._editor.height_hint() + _SPACE
        elif item.role is Role.USER:
            y = self._stack_bubble(y)
        else:
            y = self._stack_answer(y)
        is_footed = self._editor is None and not item.is_streaming
        is_answer = item.role is not Role.USER
        self._footer.setVisible(is_footed and (is_answer or self._is_lit() or item.version_count > 1))
        top = y if is_answer else y + 1
        height = self._footer.height_hint()
        self._footer.setGeometry(MARGIN, round(top), column + TextButton.PAD, height)
        y += height if is_footed and is_answer else 0
        self.resize(self.width(), round(y) + (GAP if is_answer else max(GAP, height + 1)))

    def _stack_reasoning(self, reasoning: PlacedDocument, y: float) -> float:
        is_open = self._is_unfolded
        if is_open is None:
            is_open = self.item.is_in_reasoning if self.item.is_streaming else not self.item.content.strip()
        reasoning.is_shown = is_open
        self._fold.set_label(f"{reasoning_text(self.item)} {'▾' if is_open else '▸'}", reasoning_text(self.item))
        self._fold.move(MARGIN + round(REASONING_INSET) - TextButton.PAD, round(y))
        y += self._fold.height() + 2
        if is_open:
            reasoning.left, reasoning.top = MARGIN + REASONING_INSET, y
            y = reasoning.bottom + 4
        return y + _SPACE

    def _stack_bubble(self, y: float) -> float:
        body = self.sections.body
        y += attachments_height(self.item.attachments, self.width() - 2 * MARGIN, self.styles.theme)
        body.left = self.width() - MARGIN - _BUBBLE_X - body.document.width
        body.top = y + _BUBBLE_Y
        self._bubble = QRectF(body.left, body.top, body.document.width, body.document.height)
        self._bubble.adjust(-_BUBBLE_X, -_BUBBLE_Y, _BUBBLE_X, _BUBBLE_Y)
        if not body.length and self.item.attachments:  # Files can go without a word.
            self._bubble.setHeight(0)
        return self._bubble.bottom()

    def _stack_answer(self, y: float) -> float:
        for place in (self.sections.body, self.sections.tool_call, self.sections.note):
            if place is not None and place.length:
                place.left, place.top = float(MARGIN), y
                y = place.bottom + _SPACE
        if self.item.is_streaming and not self.sections.has_text:
            y += PREFILL_HEIGHT
        return y

    def _text_width(self, role: Role) -> float:
        column = max(100, self.width() - 2 * MARGIN)
        return min(_BUBBLE_MAX, column * 0.8) - 2 * _BUBBLE_X if role is Role.USER else column

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme, clip = self.styles.theme, QRectF(event.rect())
        column = QRectF(self.rect()).adjusted(MARGIN, 0, -MARGIN, 0)
        is_bubble = self._editor is None and self.item.role is Role.USER
        painter.fillRect(event.rect(), theme.color("bg"))
        if self.hasFocus():
            whole = column.adjusted(0, MARKER_HEIGHT if self.marker else 0, 0, -GAP)
            paint_focus(painter, self._bubble if is_bubble else whole, theme)
        if self.marker:
            paint_marker(painter, column, self.marker, theme)
        if is_bubble:
            paint_attachments(painter, column, self._bubble.top(), self.item.attachments, theme)
            paint_bubble(painter, self._bubble, theme)
        reasoning = self.sections.reasoning
        if reasoning is not None:
            bottom = reasoning.bottom if reasoning.is_shown else self._fold.geometry().bottom()
            painter.fillRect(QRectF(MARGIN, self._fold.y(), 2, bottom - self._fold.y()), theme.color("line"))
        for place in self.sections.shown():
            if self._editor is None or place is not self.sections.body:
                self._paint_place(painter, place, clip)
        if self.item.is_streaming:
            self._paint_stream(painter, column)
        painter.end()
        if self.item.is_streaming and not self._is_painted and self.sections.has_text:
            self._is_painted = True
            self.first_glyph_painted.emit(self.item.id)

    def _paint_place(self, painter: QPainter, place: PlacedDocument, clip: QRectF) -> None:
        painter.save()
        painter.translate(place.left, place.top)
        selected = self.interaction.selected_range(place)
        place.document.paint(painter, clip.translated(-place.left, -place.top), selected)
        if self.hasFocus() and (caret := self.interaction.caret(place)) is not None:
            paint_text_caret(painter, place.document.rect_of(caret), self.styles.theme)
        painter.restore()

    def _paint_stream(self, painter: QPainter, column: QRectF) -> None:
        """The caret after the newest text, or how far the prompt has been read."""
        theme = self.styles.theme
        if not self.sections.has_text:
            line = QRectF(column.left(), self.height() - GAP - PREFILL_HEIGHT, column.width(), PREFILL_HEIGHT)
            paint_waiting(painter, line, self.item.prefill, theme)
            return
        place = self.sections.tool_call or self.sections.body
        if self.item.is_in_reasoning and self.sections.reasoning is not None:
            place = self.sections.reasoning
        end = place.document.end()
        if place.is_shown and place.document.has_blocks(end[0]):
            rect = place.document.rect_of(end)
            paint_caret(painter, rect.translated(place.left, place.top), theme)

    # Events.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.interaction.mouse_pressed(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.interaction.mouse_moved(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.interaction.mouse_released(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.interaction.mouse_double_clicked(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.interaction.key_pressed(event):
            event.ignore()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.interaction.wheel_turned(event):
            event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        # Qt's place for the key is the middle of the card, which may lie far outside of the window.
        seen = self.visibleRegion().boundingRect().center()
        self.show_menu(self.mapToGlobal(seen) if by_key else event.globalPos())

    def enterEvent(self, event: QEnterEvent) -> None:
        self.restack()

    def leaveEvent(self, event: QEvent) -> None:
        self.restack()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.restack()
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.restack()
        self.update()

    def show_menu(self, place: QPoint) -> None:
        """The message's menu, with what can be done with the selection first."""
        menu = self._footer.menu()
        entries = [*self.interaction.actions(menu), *content_actions(self.sections, menu, self.link_activated)]
        menu.insertActions(menu.actions()[0], entries)
        menu.popup(place)

    # Internals.

    def _changed(self) -> None:
        self.restack()
        self.update()
        self.changed.emit()

    def _toggle_fold(self) -> None:
        reasoning = self.sections.reasoning
        self._is_unfolded = reasoning is not None and not reasoning.is_shown
        self._changed()

    def _act(self, name: str) -> None:
        if name == "edit":
            self.start_edit()
        else:
            self.action_chosen.emit(name, self.item.id)

    def _is_lit(self) -> bool:
        return self.underMouse() or self.hasFocus() or self._footer.isAncestorOf(self.focusWidget() or self)
