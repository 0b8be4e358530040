"""What stands in the middle of a page that has nothing to show yet: a sentence, and ways to change that."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.ui.icon_button import IconButton
from app.ui.theme import Theme


class EmptyPage(QWidget):
    """`add_button` makes the ways out."""

    def __init__(self, theme: Theme, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        label = QLabel(text)
        label.setObjectName("dim")
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        label.setWordWrap(True)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(8)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addLayout(self._buttons)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setSpacing(14)
        column.addStretch(2)
        column.addWidget(label)
        column.addLayout(row)
        column.addStretch(3)

    def add_button(self, text: str, icon_name: str = "") -> IconButton:
        """One more button, the most likely one first."""
        button = IconButton(self._theme, icon_name, text, kind="plain")
        self._buttons.addWidget(button)
        return button
