"""A file that will go with the next message: its name, its tokens, a look into it, and a way to take it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from app.ui.icon_button import IconButton
from app.ui.plain_text import plain_tip
from app.ui.quantities import format_bytes, format_count
from app.ui.style_sheet import icon_pixmap
from app.ui.theme import Theme

if TYPE_CHECKING:
    from app.composer.documents.reader_messages import PagesRead
    from engine.store.chat_values import Attachment

_PREVIEW_CHARACTERS = 600
_NAME_WIDTH = 220
_RADIUS = 8.0


class Chip(QFrame):
    """A small box with an icon, a line of text, and a cross. `closed` when the cross is pressed, or Delete."""

    closed = Signal()

    def __init__(self, theme: Theme, icon_name: str, cross: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._icon_name = theme, icon_name
        self._edge = "line"
        self._icon = QLabel(self)
        self.label = QLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.remove = IconButton(theme, "close", name=cross, parent=self)
        self.remove.setFixedSize(18, 18)
        self.remove.setStyleSheet("padding: 0;")
        self.remove.clicked.connect(self.closed)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 3, 4, 3)
        row.setSpacing(6)
        for widget in (self._icon, self.label, self.remove):
            row.addWidget(widget)
        theme.changed.connect(self.restyle)
        self.restyle()

    def elided(self, name: str) -> str:
        return self.label.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, _NAME_WIDTH)

    def set_look(self, edge: str, ink: str) -> None:
        """Colours of the frame and the text."""
        self._edge = edge
        self.label.setStyleSheet(f"color: {getattr(self._theme.tokens, ink)};")
        self.update()

    def restyle(self) -> None:
        self.label.setFont(self._theme.font(-2))
        self._icon.setPixmap(icon_pixmap(self._icon_name, self._theme.color("faint"), 14, self.devicePixelRatioF()))
        self.set_look(self._edge, "dim")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.color("accent" if self.hasFocus() else self._edge), 1))
        painter.setBrush(self._theme.color("card"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()


class ReadingChip(Chip):
    """A file that is still being read. `cancelled` when the user does not want it any more."""

    cancelled = Signal()

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, "file", "", parent)
        self._name = name
        self._share = 0.0
        self.remove.setAccessibleName(self.tr("Stop reading {name}").format(name=name))
        self.remove.setToolTip(plain_tip(self.remove.accessibleName()))
        self.closed.connect(self.cancelled)
        self._show(self.tr("reading…"))

    def set_progress(self, progress: PagesRead) -> None:
        """How many pages of how many are read."""
        self._share = progress.n_done / max(1, progress.n_total)
        if progress.n_total > 1:
            counts = format_count(progress.n_done), format_count(progress.n_total)
            self._show(self.tr("page {n} of {total}").format(n=counts[0], total=counts[1]))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        track = QRectF(self.rect()).adjusted(_RADIUS, 0, -_RADIUS, 0)
        bar = QRectF(track.left(), self.height() - 2.5, track.width() * self._share, 2)
        painter.fillRect(bar, self._theme.color("accent"))
        painter.end()

    def _show(self, state: str) -> None:
        self.label.setText(f"{self.elided(self._name)} · {state}")
        self.setAccessibleName(f"{self._name}, {state}")
        self.updateGeometry()


class AttachmentChip(Chip):
    """`removed` when the user takes it out, `opened` when the user wants to look into it or choose a part of it."""

    removed = Signal()
    opened = Signal()

    def __init__(self, theme: Theme, attachment: Attachment, parent: QWidget | None = None) -> None:
        icon = "image" if attachment.is_picture else "file"
        super().__init__(theme, icon, "", parent)
        self.attachment = attachment
        self.n_tokens: int | None = None
        self.n_total: int | None = None
        self._is_too_long = False
        self.remove.setAccessibleName(self.tr("Remove {name}").format(name=attachment.name))
        self.remove.setToolTip(plain_tip(self.remove.accessibleName()))
        self.closed.connect(self.removed)
        if attachment.text:
            self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._show()

    def set_attachment(self, attachment: Attachment) -> None:
        """The same file with another part of it chosen."""
        self.attachment, self.n_tokens = attachment, None
        self._show()

    def set_tokens(self, n_tokens: int | None) -> None:
        """How many tokens the model will read; None while it is not known."""
        self.n_tokens = n_tokens
        if self.attachment.part is None:
            self.n_total = n_tokens
        self._show()

    def set_too_long(self, is_too_long: bool) -> None:
        """There is no room for the message because of this file."""
        if is_too_long != self._is_too_long:
            self._is_too_long = is_too_long
            self._show()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.attachment.text:
            self.opened.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.attachment.text:
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def restyle(self) -> None:
        super().restyle()
        if hasattr(self, "attachment"):
            self._show()

    def _show(self) -> None:
        amount = self._amount()
        self.label.setText(f"{self.elided(self.attachment.name)} · {amount}")
        self.setAccessibleName(f"{self.attachment.name}, {amount}")
        self.set_look("warn" if self._is_too_long else "line", "warn" if self._is_too_long else "dim")
        self.setToolTip(self._preview())
        self.updateGeometry()

    def _amount(self) -> str:
        attachment = self.attachment
        if attachment.is_picture:
            return self.tr("this model cannot see it")
        if self.n_tokens is None:
            return format_bytes(attachment.n_bytes)
        n, count = self.n_tokens, format_count(self.n_tokens)
        if attachment.part is None:
            return self.tr("{n} tokens", None, n).format(n=count)
        if self.n_total is None:  # A draft of the last time: only its part was counted in this one.
            return self.tr("a part, {n} tokens", None, n).format(n=count)
        return self.tr("{n} of {total} tokens", None, self.n_total).format(n=count, total=format_count(self.n_total))

    def _preview(self) -> str:
        text = self.attachment.given
        shown = text[:_PREVIEW_CHARACTERS] + ("…" if len(text) > _PREVIEW_CHARACTERS else "")
        return plain_tip(shown)
