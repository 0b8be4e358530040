"""A list box that screen readers know by its name, not by what is chosen in it."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QComboBox, QLabel, QWidget


class ChoiceBox(QComboBox):
    """For a box without a label that can be seen: `setAccessibleName` names it.

    On Linux Qt gives out the choice for a box's name, and takes its name from a label beside it alone.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = QLabel(parent)
        self._label.setBuddy(self)
        self._label.hide()

    def setAccessibleName(self, name: str) -> None:
        self._label.setText(name)
        super().setAccessibleName(name)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ParentChange:
            self._label.setParent(self.parentWidget())
        return super().event(event)
