"""A list of Lines: only the visible ones are painted, so a thousand scroll as smoothly as ten."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from app.models.line_delegate import Line, LineDelegate, LineRole
from app.ui.plain_text import plain_tip
from app.ui.theme import Theme

_Index = QModelIndex | QPersistentModelIndex


class _Lines(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[Line] = []

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.lines)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self.lines[index.row()]
        if role == LineRole:
            return line
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return ", ".join(part for part in (line.title, line.facts, line.state) if part)
        return plain_tip(f"{line.title}\n{line.facts}") if role == Qt.ItemDataRole.ToolTipRole else None


class LineList(QListView):
    """`selected(key)` when another entry is chosen, `opened(key)` on Enter or double click; `end_reached` near it."""

    selected = Signal(str)
    opened = Signal(str)
    end_reached = Signal()

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None, *, has_bars: bool = False) -> None:
        super().__init__(parent)
        self._lines = _Lines()
        self.setModel(self._lines)
        self.setItemDelegate(LineDelegate(theme, self, has_bars=has_bars))
        self.setAccessibleName(name)
        self.setObjectName("chatList")
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.activated.connect(lambda index: self.opened.emit(self._lines.lines[index.row()].key))
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        theme.changed.connect(self.scheduleDelayedItemsLayout)

    @property
    def lines(self) -> tuple[Line, ...]:
        return tuple(self._lines.lines)

    @property
    def current_key(self) -> str:
        index = self.currentIndex()
        return self._lines.lines[index.row()].key if index.isValid() else ""

    def set_lines(self, lines: Sequence[Line]) -> None:
        """Show these; the current entry stays current, and the same entries are updated in place."""
        before = self._lines.lines
        if [line.key for line in lines] == [line.key for line in before]:
            self._lines.lines = list(lines)
            for row, (line, old) in enumerate(zip(lines, before, strict=True)):
                if line != old:
                    self._lines.dataChanged.emit(self._lines.index(row), self._lines.index(row))
            return
        current = self.current_key
        self._lines.beginResetModel()
        self._lines.lines = list(lines)
        self._lines.endResetModel()
        self.select(current)

    def dataChanged(self, first: _Index, last: _Index, roles: Sequence[int] = ()) -> None:
        """All entries are of one height: what changed is painted, and nothing is laid out anew."""
        QAbstractItemView.dataChanged(self, first, last, roles)

    def append_lines(self, lines: Sequence[Line]) -> None:
        """Another page."""
        first = len(self._lines.lines)
        self._lines.beginInsertRows(QModelIndex(), first, first + len(lines) - 1)
        self._lines.lines.extend(lines)
        self._lines.endInsertRows()

    def select(self, key: str) -> None:
        """Make the entry `key` current, without telling."""
        for row, line in enumerate(self._lines.lines):
            if line.key == key:
                self.selectionModel().blockSignals(True)
                self.selectionModel().setCurrentIndex(
                    self._lines.index(row), QItemSelectionModel.SelectionFlag.ClearAndSelect
                )
                self.selectionModel().blockSignals(False)
                self.viewport().update()

    def _on_current_changed(self, index: QModelIndex) -> None:
        if index.isValid():
            self.selected.emit(self._lines.lines[index.row()].key)

    def _on_scrolled(self, value: int) -> None:
        if value > self.verticalScrollBar().maximum() - 2 * self.height():
            self.end_reached.emit()
