"""Counts what a widget is made to do."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget


class Paints(QObject):
    """How often a widget was painted, or asked to lay out what is in it."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.n = 0
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        self.n += event.type() in (QEvent.Type.Paint, QEvent.Type.LayoutRequest)
        return False
