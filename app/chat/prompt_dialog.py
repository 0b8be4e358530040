"""What the model sees of a chat, to the letter: to be read and copied."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.ui.quantities import format_count
from app.ui.theme import Theme


class PromptDialog(QDialog):
    """Shows the prompt of `n_tokens` tokens, and below it what was done to the messages for it."""

    def __init__(
        self, theme: Theme, prompt: str, n_tokens: int, changes: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = self.tr("What the model sees: {n} tokens", None, n_tokens)
        self.setWindowTitle(title.format(n=format_count(n_tokens)))
        self.resize(720, 560)
        heading = QLabel(self.tr("The prompt, exactly as the model gets it"))
        count = QLabel(self.tr("{n} tokens", None, n_tokens).format(n=format_count(n_tokens)))
        count.setObjectName("dim")
        self.text = QPlainTextEdit(prompt)
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setFont(theme.mono_font())
        self.text.setAccessibleName(heading.text())
        self.copy, close = QPushButton(self.tr("Copy")), QPushButton(self.tr("Close"))
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(prompt))
        close.clicked.connect(self.reject)
        close.setDefault(True)
        self.changes = QLabel(changes)
        self.changes.setTextFormat(Qt.TextFormat.PlainText)
        self.changes.setWordWrap(True)
        self.changes.setVisible(bool(changes))
        above, below = QHBoxLayout(), QHBoxLayout()
        above.addWidget(heading)
        above.addStretch(1)
        above.addWidget(count)
        below.addWidget(self.copy)
        below.addStretch(1)
        below.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addLayout(above)
        column.addWidget(self.text, 1)
        column.addWidget(self.changes)
        column.addLayout(below)
        close.setFocus()
