"""Widgets in lines, as words are: those that do not fit into a line begin the next one."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Items keep their own sizes; whoever owns it takes the height from `height_for`."""

    def __init__(self, spacing: int = 6) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def insert(self, place: int, widget: QWidget) -> None:
        """Put a widget before the item at `place`, or behind all for -1."""
        self.addWidget(widget)
        if place >= 0:
            self._items.insert(place, self._items.pop())
            self.invalidate()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def height_for(self, width: int) -> int:
        """The height that the items take. Not Qt's heightForWidth, which would make every widget around it follow."""
        return self._place(QRect(0, 0, width, 0), is_moving=False)

    def setGeometry(self, area: QRect) -> None:
        super().setGeometry(area)
        self._place(area, is_moving=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _place(self, area: QRect, *, is_moving: bool) -> int:
        """Put the items into `area`; returns the height that they take."""
        x, y, line_height = area.x(), area.y(), 0
        for item in self._items:
            if (widget := item.widget()) is not None and widget.isHidden():
                continue
            size = item.sizeHint()
            width = min(size.width(), area.width())
            if x > area.x() and x + width > area.right() + 1:
                x, y, line_height = area.x(), y + line_height + self.spacing(), 0
            if is_moving:
                item.setGeometry(QRect(QPoint(x, y), QSize(width, size.height())))
            x += width + self.spacing()
            line_height = max(line_height, size.height())
        return y + line_height - area.y()
