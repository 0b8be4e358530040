"""The composer: a card with the text, its attachments, the token counts, and Send that turns into Stop."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.composer.attachment_row import AttachmentRow
from app.composer.composer_edit import ComposerEdit
from app.composer.overflow_line import OverflowLine
from app.composer.prompt_size import PromptSize
from app.core.answer_state import AnswerState
from app.ui.icon_button import IconButton
from app.ui.plain_text import ElidedLabel
from app.ui.quantities import format_count
from app.ui.theme import Theme

if TYPE_CHECKING:
    from engine.store.chat_values import Attachment

WIDTH = 720
_RADIUS = 14.0
_INSET = 4
"""Of the card's buttons, whose own padding brings their icons under the text."""


class Composer(QWidget):
    """Signals: `submitted(text, attachments)`, `stop_requested`, `text_changed(text)`, `attachments_changed`,
    `attach_requested`, `prompts_requested`, `files_offered(paths)`, `paste_offered(text)`, `picture_offered(QImage)`;
    `part_requested(Attachment)` to look into one and to choose a part of it, `text_part_requested` to choose a part of
    what is written;
    `ways_requested` when the chat is full.
    """

    submitted = Signal(str, object)
    stop_requested = Signal()
    text_changed = Signal(str)
    attachments_changed = Signal()
    attach_requested = Signal()
    prompts_requested = Signal()
    files_offered = Signal(object)
    paste_offered = Signal(str)
    picture_offered = Signal(object)
    part_requested = Signal(object)
    text_part_requested = Signal()
    ways_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = self._theme = theme
        self.state = AnswerState.IDLE
        self.size_of_draft = PromptSize()
        self._n_characters = 0
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._card = QWidget(self)
        self.edit = ComposerEdit(self._card)
        self.edit.setPlaceholderText(self.tr("Write a message"))
        self.edit.setAccessibleName(self.tr("Message"))
        self.edit.installEventFilter(self)
        self.files = AttachmentRow(theme, self._card)
        self.overflow = OverflowLine(theme, self._card)
        self._attach = IconButton(theme, "plus", self.tr("Attach"), size_delta=-1.5, parent=self._card)
        self._prompts = IconButton(theme, "slash", self.tr("Prompts"), size_delta=-1.5, parent=self._card)
        self._counts = ElidedLabel(self._card, separator=" · ")
        self._counts.setObjectName("faint")
        self.send = IconButton(theme, "send", self.tr("Send"), kind="primary", color="on_accent", size_delta=-1)
        self.send.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        bottom = QHBoxLayout()
        bottom.setSpacing(4)
        for widget in (self._attach, self._prompts):
            bottom.addWidget(widget)
        bottom.addSpacing(6)
        bottom.addWidget(self._counts, 1)
        bottom.addWidget(self.send)
        column = QVBoxLayout(self._card)
        column.setContentsMargins(_INSET, 12, 12, 10)
        column.setSpacing(8)
        indented = QVBoxLayout()
        indented.setContentsMargins(14 - _INSET, 0, 0, 0)
        indented.setSpacing(8)
        indented.addWidget(self.files)
        indented.addWidget(self.overflow)
        indented.addWidget(self.edit)
        column.addLayout(indented)
        column.addLayout(bottom)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(22, 0, 22, 14)
        outer.addStretch(1)
        outer.addWidget(self._card, 1000)
        outer.addStretch(1)
        self._card.setMaximumWidth(WIDTH)
        self.setFocusProxy(self.edit)
        self._connect()
        self._on_theme_changed()
        self._show_state()

    def _connect(self) -> None:
        self.edit.submitted.connect(self.submit)
        self.edit.textChanged.connect(self._on_text_changed)
        self.edit.slash_typed.connect(self.prompts_requested)
        self.edit.long_text_pasted.connect(self.paste_offered)
        self.edit.files_pasted.connect(self.files_offered)
        self.edit.picture_pasted.connect(self.picture_offered)
        self.files.changed.connect(self._on_files_changed)
        self.files.opened.connect(self.part_requested)
        self.overflow.choose_requested.connect(self._choose_part)
        self.overflow.ways_requested.connect(self.ways_requested)
        self._attach.clicked.connect(self.attach_requested)
        self._prompts.clicked.connect(self.prompts_requested)
        self.send.clicked.connect(self._press_send)
        self._theme.changed.connect(self._on_theme_changed)

    @property
    def text(self) -> str:
        return self.edit.toPlainText()

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return self.files.attachments

    @property
    def card_left(self) -> int:
        """Where the card begins, from the left edge of this widget."""
        return self._card.x()

    def set_text(self, text: str) -> None:
        self.edit.set_text(text)

    def tokens_of(self, attachment: Attachment, *, is_whole: bool) -> int | None:
        """Tokens of an attachment, or of the part of it that is chosen; None while unknown."""
        chip = self.files.chip_of(attachment)
        if chip is None:
            return None
        return chip.n_total if is_whole else chip.n_tokens

    def set_state(self, state: AnswerState) -> None:
        """Send while idle, Stop while busy, a disabled Stop while the engine is still ending."""
        if state is not self.state:
            self.state = state
            self._show_state()

    def set_counts(self, n_tokens: int | None, n_ctx: int = 0, n_prepared: int = 0) -> None:
        """Tokens that the next prompt has (None: not known), the room there is, and how many are prefilled already."""
        if n_tokens is None:
            self._counts.clear()
            self._counts.setAccessibleName("")
            self._counts.setToolTip("")
            return
        text = format_count(n_tokens)
        if n_ctx:
            text = self.tr("{used} of {room}").format(used=text, room=format_count(n_ctx))
        if n_prepared:
            text += self.tr(" · prepared {n}").format(n=format_count(n_prepared))
        if self.size_of_draft.excess:
            text += self.tr(" · too long")
        elif self.size_of_draft.is_chat_full:
            text += self.tr(" · the chat is full")
        elif self.size_of_draft.drops_turns:
            text += self.tr(" · earlier turns make room")
        if n_ctx and self.size_of_draft.is_blocked:  # What it is too long by is counted with this.
            text += self.tr(" · {n} kept for the answer").format(n=format_count(n_ctx - self.size_of_draft.room))
        self._counts.setText(text)
        self._colour_counts()
        self._counts.setAccessibleName(self.tr("Tokens: {text}").format(text=self._counts.text()))
        meaning = self.tr(
            "Tokens of the next prompt, the room in the context, and how many are prefilled while you type."
        )
        self._counts.setToolTip(f"{text}\n{meaning}")  # All of it, where the line is cut.

    def show_counting(self) -> None:
        """What was sent is counted first, which takes seconds for a book."""
        self._counts.setText(self.tr("Counting…"))
        self._counts.setAccessibleName(self._counts.text())
        self._counts.setToolTip("")

    def _colour_counts(self) -> None:
        color = self._theme.tokens.warn if self.size_of_draft.is_blocked else self._theme.tokens.faint
        self._counts.setStyleSheet(f"#faint {{ color: {color}; }}")  # Not of its tooltip.

    def set_enter_sends(self, is_on: bool) -> None:
        self.edit.is_enter_send = is_on
        self._show_state()

    def give_back(self, text: str, attachments: Sequence[Attachment]) -> None:
        """Put a draft, or a message that was not sent, before what is written already."""
        self.set_text("\n".join(filter(None, (text, self.text))))
        for attachment in attachments:
            self.files.add(attachment)

    def insert_attachment(self, attachment: Attachment, text: str) -> None:
        """Write an attachment's text into the message instead."""
        self.files.remove(attachment)
        self.edit.insertPlainText(text)
        self.edit.setFocus()

    def set_attachment_tokens(self, attachment: Attachment, n_tokens: int) -> None:
        if (chip := self.files.chip_of(attachment)) is not None:
            chip.set_tokens(n_tokens)
            self.set_size(self.size_of_draft)

    def set_size(self, size: PromptSize) -> None:
        """How long the message is; one that does not fit says why, and is not sent."""
        self.size_of_draft = size
        is_written = bool(self.text.strip() or self.attachments)
        # With nothing written it is the chat that fills the context, which its last answer says.
        self.overflow.show_size(size if is_written else PromptSize(), self.files.show_size(size))
        self._show_state()

    def measure_again(self) -> None:
        """Something else than the message has changed how much fits."""
        self.set_size(PromptSize())
        self.text_changed.emit(self.text)

    def clear(self) -> None:
        """Empty the composer."""
        for attachment in self.attachments:
            self.files.remove(attachment)
        self.edit.clear()
        self.set_size(PromptSize())

    def submit(self) -> None:
        """Send it, or open what helps where it does not fit."""
        if self.state is not AnswerState.IDLE or not self._can_send():
            return
        if self.size_of_draft.is_blocked:
            self._open_way_out()
        else:
            self.submitted.emit(self.text, self.files.counted)

    def refuse(self, size: PromptSize) -> None:
        """What was submitted does not fit, as was counted meanwhile: say so, and open what helps."""
        self.set_size(size)
        if self._can_send():
            self._open_way_out()

    def set_window_height(self, height: int) -> None:
        """The text grows to a third of this."""
        self.edit.set_maximum_height(height // 3)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self._card.geometry()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(0, 0, 0, 40 if self._theme.is_dark else 9))
        painter.drawRoundedRect(frame.translated(0, 1.2), _RADIUS, _RADIUS)
        edge = "p6" if self.edit.hasFocus() else "line"
        painter.setPen(QPen(self._theme.color(edge), 1))
        painter.setBrush(self._theme.color("card"))
        painter.drawRoundedRect(frame, _RADIUS, _RADIUS)

    def _can_send(self) -> bool:
        has_text = not self.edit.document().isEmpty() or any(each.given for each in self.attachments)
        return has_text and not self.files.reading

    def _open_way_out(self) -> None:
        if self.size_of_draft.excess:
            self._choose_part()
        else:
            self.ways_requested.emit()

    def _choose_part(self) -> None:
        """Open what makes the message too long."""
        culprits = self.files.show_size(self.size_of_draft)
        if not culprits and not self.text:  # Not counted yet.
            culprits = sorted(self.files.chips, key=lambda chip: -len(chip.attachment.given))
        if culprits:
            self.part_requested.emit(culprits[0].attachment)
        else:
            self.text_part_requested.emit()

    def _on_files_changed(self) -> None:
        for before, after in itertools.pairwise((self.edit, *self.files.chips, self._attach, self._prompts, self.send)):
            QWidget.setTabOrder(before, after)
        self.set_size(PromptSize())
        self._show_state()
        self.attachments_changed.emit()

    def _press_send(self) -> None:
        if self.state is AnswerState.BUSY:
            self.stop_requested.emit()
        else:
            self.submit()
        self.edit.setFocus()

    def _on_text_changed(self) -> None:
        n_characters = self.edit.document().characterCount()
        if n_characters < self._n_characters and self.size_of_draft.is_blocked:
            self.set_size(PromptSize())  # It may fit now: it is counted again in the next pause.
        self._n_characters = n_characters
        self._show_state()
        self.text_changed.emit(self.text)

    def _show_state(self) -> None:
        is_idle = self.state is AnswerState.IDLE
        self.send.set_icon("send" if is_idle else "stop")
        text = self.tr("Send") if is_idle else self.tr("Stop")
        if self.state is AnswerState.STOPPING:
            text = self.tr("Stopping")
        if self.send.text() != text:
            self.send.setText(text)
            self.send.setAccessibleName(text)
        is_sendable = is_idle and self._can_send() and not self.size_of_draft.is_blocked
        self.send.setEnabled(is_sendable or self.state is AnswerState.BUSY)
        keys = self.tr("Enter sends, Shift+Enter breaks the line")
        if not self.edit.is_enter_send:
            keys = self.tr("Shift+Enter sends, Enter breaks the line")
        if is_idle and self.files.reading:
            keys = self.tr("A file is still being read")
        elif is_idle and self.size_of_draft.is_blocked:
            keys = self.overflow.toolTip()
        self.send.setToolTip(keys if is_idle else self.tr("Stop the answer (Esc)"))

    def _on_theme_changed(self) -> None:
        self.edit.setFont(self._theme.font())
        self._counts.setFont(self._theme.font(-2))
        if self._counts.text():  # A style sheet of its own costs the first frame two milliseconds.
            self._colour_counts()
        self._counts.setMaximumHeight(self._attach.sizeHint().height())  # Else half a pixel can part their baselines.
        self.update()

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(max(320, hint.width()), hint.height())
