"""Takes files that are dropped onto widgets which know nothing of files."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QWidget


class FileDrop(QObject):
    """`dropped(list[str])` with local paths; anything else that is dragged is left to the widget."""

    dropped = Signal(object)

    def __init__(self, owner: QWidget, *more: QWidget) -> None:
        super().__init__(owner)
        for widget in (owner, *more):
            widget.setAcceptDrops(True)
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragMoveEvent):
            # A drag enter event is one of these too.
            if _paths(event):
                event.acceptProposedAction()
                return True
        elif isinstance(event, QDropEvent) and (paths := _paths(event)):
            event.acceptProposedAction()
            self.dropped.emit(paths)
            return True
        return super().eventFilter(watched, event)


def _paths(event: QDropEvent) -> list[str]:
    return [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
