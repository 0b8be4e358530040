"""What holds the cards of the transcript: a class of its own, so that screen readers can be given their order."""

from __future__ import annotations

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QWidget


class Viewport(QWidget):
    """Filled like the window."""

    def __init__(self) -> None:
        super().__init__()
        self.setBackgroundRole(QPalette.ColorRole.Window)
