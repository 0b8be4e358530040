"""A line under a list of the settings that takes the last deletion back."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.ui.announcement import announce


class UndoLine(QWidget):
    """Hidden until something was deleted, and again once it is back."""

    def __init__(self) -> None:
        super().__init__()
        self._label = QLabel()
        self._label.setObjectName("dim")
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self.button = QPushButton(self.tr("Undo"))
        self.button.clicked.connect(self._on_clicked)
        self._undo: Callable[[], None] | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._label, 1)
        row.addWidget(self.button)
        self.hide()

    @property
    def text(self) -> str:
        return self._label.text()

    def offer(self, name: str, undo: Callable[[], None]) -> None:
        """Say what was deleted; `undo` brings it back."""
        self._label.setText(self.tr("“{name}” was deleted.").format(name=name))
        self._undo = undo
        self.show()
        announce(self, self._label.text())

    def _on_clicked(self) -> None:
        undo, self._undo = self._undo, None
        self.hide()
        if undo is not None:
            undo()
