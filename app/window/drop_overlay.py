"""Says over a part of the window what becomes of files that are dropped there, and takes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QLabel, QWidget

from app.ui.theme import Theme

_INSET, _RADIUS = 10, 14.0


class DropOverlay(QWidget):
    """`dropped(list[Path])`; anything else that is dragged is left to the widgets below."""

    dropped = Signal(object)

    def __init__(
        self, theme: Theme, window: QWidget, *targets: QWidget,
        area: Callable[[], QRect], say: Callable[[list[Path]], str],
    ) -> None:  # fmt: skip
        """`targets` are where a drag may begin, `area` is what is covered then, `say` what stands there."""
        super().__init__(window)
        self._theme, self._area, self._say = theme, area, say
        self._label = QLabel(self)
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self.hide()
        self.setAcceptDrops(True)
        for widget in targets:
            widget.setAcceptDrops(True)
            widget.installEventFilter(self)

    @property
    def text(self) -> str:
        return self._label.text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        margin = _INSET + 12
        self._label.setGeometry(self.rect().adjusted(margin, margin, -margin, -margin))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragMoveEvent):
            # A drag enter event is one of these too.
            return self._offer(event)
        if isinstance(event, QDragLeaveEvent):
            self.hide()  # Out of the window at once; a drag that is over the hint by now enters that.
        return self._take(event) if isinstance(event, QDropEvent) else super().eventFilter(watched, event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self._offer(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._offer(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self._take(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), self._theme.color("bg", 242))
        frame = QRectF(self.rect()).adjusted(_INSET, _INSET, -_INSET, -_INSET)
        painter.setPen(QPen(self._theme.color("accent"), 2, Qt.PenStyle.DashLine))
        painter.setBrush(self._theme.color("accent_soft", 120))
        painter.drawRoundedRect(frame, _RADIUS, _RADIUS)

    def _offer(self, event: QDropEvent) -> bool:
        if not (paths := _paths(event)):
            return False
        event.acceptProposedAction()
        if not self.isVisible():
            self._label.setText(self._say(paths))
            self._label.setFont(self._theme.font(2))
            self.setGeometry(self._area())
            self.show()
            self.raise_()
        return True

    def _take(self, event: QDropEvent) -> bool:
        self.hide()
        if not (paths := _paths(event)):
            return False
        event.acceptProposedAction()
        self.dropped.emit(paths)
        return True


def _paths(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
