"""A file that will go with the next message: its name, its tokens, and a way to take it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from app.quantities import format_bytes, format_count
from app.style import icon_pixmap
from app.theme import Theme
from app.widgets.icon_button import IconButton

if TYPE_CHECKING:
    from engine.store.values import Attachment

_PREVIEW_CHARACTERS = 600


class AttachmentChip(QFrame):
    """`removed` when the user takes it out."""

    removed = Signal()

    def __init__(self, theme: Theme, attachment: Attachment, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self.attachment = theme, attachment
        self.n_tokens: int | None = None
        self.setObjectName("attachment")
        self._icon = QLabel(self)
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setObjectName("dim")
        self.remove = IconButton(
            theme, "close", name=self.tr("Remove {name}").format(name=attachment.name), parent=self
        )
        self.remove.setFixedSize(18, 18)
        self.remove.setStyleSheet("padding: 0;")
        self.remove.clicked.connect(self.removed)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 4, 2)
        row.setSpacing(6)
        for widget in (self._icon, self._label, self.remove):
            row.addWidget(widget)
        preview = attachment.text[:_PREVIEW_CHARACTERS]
        self.setToolTip(preview + ("…" if len(attachment.text) > _PREVIEW_CHARACTERS else ""))
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self.set_tokens(None)

    def set_tokens(self, n_tokens: int | None) -> None:
        """How many tokens the model will read; None while it is not known."""
        self.n_tokens = n_tokens
        if n_tokens is None:
            amount = format_bytes(self.attachment.n_bytes)
        else:
            amount = self.tr("{n} tokens").format(n=format_count(n_tokens))
        name = self._label.fontMetrics().elidedText(self.attachment.name, Qt.TextElideMode.ElideMiddle, 220)
        self._label.setText(f"{name} · {amount}")
        self.setAccessibleName(f"{self.attachment.name}, {amount}")

    def _on_theme_changed(self) -> None:
        self._label.setFont(self._theme.font(-2))
        self._icon.setPixmap(icon_pixmap("file", self._theme.color("faint"), 14, self.devicePixelRatioF()))
        line, card = self._theme.tokens.line, self._theme.tokens.card
        self.setStyleSheet(f"#attachment {{ border: 1px solid {line}; border-radius: 8px; background: {card}; }}")
