"""The transcript: the message area, a button that jumps to the newest text, and what the reader wants as signals."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.core.conversation_model import ConversationModel
from app.markdown.formula_cache import FormulaCache
from app.markdown.frame_budget import unlimited
from app.markdown.highlight_cache import HighlightCache
from app.markdown.picture_loader import PictureLoader
from app.transcript.message_area import MessageArea
from app.transcript.message_card import MessageCard
from app.transcript.read_aloud import AnswerReader
from app.transcript.text_styles import TextStyles
from app.transcript.transcript_accessibility import install as install_accessibility
from app.transcript.transcript_accessibility import tell_caret
from app.ui.theme import Theme

_MATCH_MARGIN = 60
"""Pixels that stay free under a match."""


class Transcript(QWidget):
    """The open conversation. It emits what the reader wants and changes nothing itself.

    Signals:
        copy_requested(id): the message's text as it is written, in Markdown.
        edit_submitted(id, text, ended): whoever stores it calls ended(fault), with an empty text when it is stored;
            until then the editor stays open with the text.
        regenerate_requested(id), regenerate_with_requested(id), continue_requested(id), delete_requested(id),
        version_requested(id, index), branch_requested(id), prompt_requested(id), why_slow_requested(id).
        first_token_painted(id): the first glyph of a streaming answer is on screen.
        link_requested(url, text): show the target before opening it when the text says something else.
    """

    copy_requested = Signal(str)
    edit_submitted = Signal(str, str, object)
    regenerate_requested = Signal(str)
    regenerate_with_requested = Signal(str)
    continue_requested = Signal(str)
    delete_requested = Signal(str)
    version_requested = Signal(str, int)
    branch_requested = Signal(str)
    prompt_requested = Signal(str)
    why_slow_requested = Signal(str)
    first_token_painted = Signal(str)
    link_requested = Signal(str, str)

    def __init__(self, model: ConversationModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        install_accessibility()
        self._model = model
        self._theme = theme
        self._formulas = FormulaCache(self)
        self._highlights = HighlightCache(self)
        self.pictures = PictureLoader(self)
        self._is_math_on = True
        self.area = MessageArea(model, self._styles(), self)
        self.area.card_made.connect(self._connect_card)
        self._jump = JumpButton(theme, self)
        self._jump.clicked.connect(self.area.scroll_to_end)
        self.area.following_changed.connect(self._show_jump)
        self._formulas.answered.connect(self.area.renew_waiting)
        self.pictures.changed.connect(self.area.renew_waiting)
        self._highlights.answered.connect(self._paint_colours)
        theme.changed.connect(self._on_theme_changed)
        self.setFocusProxy(self.area)
        self._reader = AnswerReader(model, self.area)
        self._show_jump(self.area.is_following)

    def scroll_to_message(self, message_id: str) -> None:
        """Bring a message into view, for search hits."""
        row = self._model.row_of(message_id)
        if row is not None:
            self.area.scroll_to_row(row).setFocus(Qt.FocusReason.OtherFocusReason)

    def show_match(self, message_id: str, text: str, number: int) -> None:
        """Bring a match of find-in-chat into view and mark it; the focus stays where it is."""
        row = self._model.row_of(message_id)
        if row is None:
            return
        card = self.area.scroll_to_row(row)
        place = card.interaction.select_match(text, number)
        height = self.area.viewport().height()
        if place is not None and card.y() + place.bottom() > height - _MATCH_MARGIN:
            bar = self.area.verticalScrollBar()
            bar.setValue(bar.value() + round(card.y() + place.y() - height / 3))

    def clear_match(self) -> None:
        """Mark nothing any more."""
        for card in self.area.visible_cards():
            card.interaction.clear()

    def set_math_on(self, is_on: bool) -> None:
        """Draw formulas, or show their source."""
        if is_on != self._is_math_on:
            self._is_math_on = is_on
            self.area.set_styles(self._styles())

    def scroll_to_end(self) -> None:
        self.area.scroll_to_end()

    def start_edit(self, message_id: str) -> None:
        """Open the editor of a message."""
        row = self._model.row_of(message_id)
        if row is not None:
            self.area.scroll_to_row(row).start_edit()

    def finish_drawing(self) -> None:
        """Lay out and draw everything in view now, for a picture of the whole."""
        self.area.place(budget=unlimited())
        self._formulas.finish()
        self.area.place(budget=unlimited())
        self.repaint()  # Code asks for its colours when it is painted.
        self._highlights.finish()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.area.setGeometry(self.rect())
        self._jump.move((self.width() - self._jump.width()) // 2, self.height() - self._jump.height() - 12)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._on_theme_changed()
        super().changeEvent(event)

    def _on_theme_changed(self) -> None:
        self.area.set_styles(self._styles())
        self._jump.update()

    def _styles(self) -> TextStyles:
        return TextStyles.of(self._theme, self._formulas, self._highlights, self.pictures, is_math_on=self._is_math_on)

    def _paint_colours(self) -> None:
        for card in self.area.visible_cards():
            for rect in card.sections.recoloured():
                card.update(rect.toAlignedRect())

    def _show_jump(self, is_following: bool) -> None:
        self._jump.setVisible(not is_following)
        self._jump.raise_()

    def _connect_card(self, card: MessageCard) -> None:
        card.first_glyph_painted.connect(self.first_token_painted)
        card.action_chosen.connect(self._act)
        card.version_chosen.connect(self.version_requested)
        card.edit_submitted.connect(self.edit_submitted)
        card.link_activated.connect(self.link_requested)
        card.interaction.moved.connect(lambda: tell_caret(card))

    def _act(self, name: str, message_id: str) -> None:
        wishes = {
            "copy": self.copy_requested,
            "copy_markdown": self.copy_requested,
            "regenerate": self.regenerate_requested,
            "regenerate_with": self.regenerate_with_requested,
            "continue": self.continue_requested,
            "delete": self.delete_requested,
            "branch": self.branch_requested,
            "add_prompt": self.prompt_requested,
            "why_slow": self.why_slow_requested,
        }
        wishes[name].emit(message_id)


class JumpButton(QAbstractButton):
    """A round button with an arrow down."""

    SIDE = 34

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName(self.tr("Jump to the newest text"))
        self.setToolTip(self.tr("Jump to the newest text"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.resize(self.sizeHint())

    def sizeHint(self) -> QSize:
        return QSize(self.SIDE, self.SIDE)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_lit = self.underMouse() or self.hasFocus()
        painter.setPen(QPen(self._theme.color("accent" if is_lit else "line"), 1))
        painter.setBrush(self._theme.color("card"))
        circle = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.drawEllipse(circle)
        painter.setPen(QPen(self._theme.color("ink"), 1.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        middle = circle.center()
        painter.drawLine(middle - QPointF(0, 6), middle + QPointF(0, 6))
        for side in (-4.5, 4.5):
            painter.drawLine(middle + QPointF(side, 1.5), middle + QPointF(0, 6))
        painter.end()
