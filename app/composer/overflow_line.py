"""One line over the text: the message is too long, because of what, or the chat is full; and the way out."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.composer.attachment_chip import AttachmentChip
from app.composer.prompt_size import PromptSize
from app.ui.announcement import announce
from app.ui.icon_button import IconButton
from app.ui.quantities import format_count
from app.ui.style_sheet import icon_pixmap
from app.ui.theme import Theme


class OverflowLine(QFrame):
    """Hidden while there is room. `choose_requested` when the user wants to choose what goes, `ways_requested` when the
    ways on from a full chat are wanted.
    """

    choose_requested = Signal()
    ways_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._text = theme, ""
        self._mark = QLabel(self)
        self._mark.setAccessibleName(self.tr("Warning"))
        self.label = QLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._is_chat_full = False
        self.button = IconButton(theme, "", self.tr("Choose a part…"), kind="link", size_delta=-1.5, parent=self)
        self.button.setStyleSheet("padding-right: 0;")  # It ends where Send does.
        self.button.clicked.connect(self._press)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(7)
        row.addWidget(self._mark)
        row.addWidget(self.label, 1)
        row.addWidget(self.button)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def show_size(self, size: PromptSize, culprits: Sequence[AttachmentChip]) -> None:
        """Tell of a full chat, or of a message that is too long because of these files, or of its text where there are
        none.
        """
        if size.is_blocked:
            self._is_chat_full = size.is_chat_full
            self.button.setText(self.tr("Make room…") if size.is_chat_full else self.tr("Choose a part…"))
            self.button.setAccessibleName(self.button.text())
            self._text = self._sentence(size, culprits)
            self.setAccessibleName(self._text)
            self.setToolTip(self._text)
            self._elide()
        was_blocked = not self.isHidden()
        self.setVisible(size.is_blocked)
        if size.is_blocked and not was_blocked:
            announce(self, self._text)  # Not again with each letter.

    def _sentence(self, size: PromptSize, culprits: Sequence[AttachmentChip]) -> str:
        n = size.excess
        if size.is_chat_full:
            text = self.tr(
                "This chat is full: with the message it has {n} tokens, and there is room for {room}.",
                None,
                size.n_tokens,
            )
            return text.format(n=format_count(size.n_tokens), room=format_count(size.room))
        if len(culprits) == 1:
            text = self.tr("{name} does not fit: the message is {n} tokens too long.", None, n)
            return text.format(name=culprits[0].attachment.name, n=format_count(n))
        if culprits:
            text = self.tr("The files do not fit together: the message is {n} tokens too long.", None, n)
        else:
            text = self.tr("The message is {n} tokens too long for the model's context.", None, n)
        return text.format(n=format_count(n))

    def _press(self) -> None:
        if self._is_chat_full:
            self.ways_requested.emit()
        else:
            self.choose_requested.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        width = self.label.width()
        self.label.setText(self.label.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideMiddle, width))

    def _restyle(self) -> None:
        self.label.setFont(self._theme.font(-1.5))
        self.label.setStyleSheet(f"color: {self._theme.tokens.warn};")
        self._mark.setPixmap(icon_pixmap("alert", self._theme.color("warn"), 16, self.devicePixelRatioF()))
