"""A list of Lines: a name, one line of facts, and a state at the right; a thousand scroll as smoothly as ten."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.models.painted_text import PaintedText
from app.ui.plain_text import plain_tip
from app.ui.theme import Theme

LineRole = Qt.ItemDataRole.UserRole
_HEIGHT, _AROUND, _BAR = 58, 20, 8
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Line:
    """What one entry shows. `color` is the state's token; `fraction` draws a thin bar below."""

    key: str
    title: str
    facts: str
    state: str = ""
    color: str = "dim"
    fraction: float | None = None


class LineModel(QAbstractListModel):
    """Lines that are set, all at once or page by page."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lines: list[Line] = []

    @property
    def lines(self) -> tuple[Line, ...]:
        return tuple(self._lines)

    def line(self, row: int) -> Line:
        return self._lines[row]

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._lines)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self._lines[index.row()]
        if role == LineRole:
            return line
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return ", ".join(part for part in (line.title, line.facts, line.state) if part)
        return plain_tip(f"{line.title}\n{line.facts}") if role == Qt.ItemDataRole.ToolTipRole else None

    def set_lines(self, lines: Sequence[Line]) -> None:
        """Show these; the same entries are updated in place."""
        before = self._lines
        if [line.key for line in lines] == [line.key for line in before]:
            self._lines = list(lines)
            for row, (line, old) in enumerate(zip(lines, before, strict=True)):
                if line != old:
                    self.dataChanged.emit(self.index(row), self.index(row))
            return
        self.beginResetModel()
        self._lines = list(lines)
        self.endResetModel()

    def append_lines(self, lines: Sequence[Line]) -> None:
        """Another page."""
        first = len(self._lines)
        self.beginInsertRows(QModelIndex(), first, first + len(lines) - 1)
        self._lines.extend(lines)
        self.endInsertRows()


class LineDelegate(QStyledItemDelegate):
    """Entries carry a Line under LineRole; where some of them have bars, all are as high as those."""

    def __init__(self, theme: Theme, parent: QObject, *, has_bars: bool = False) -> None:
        super().__init__(parent)
        self._theme = theme
        self._spare = _BAR if has_bars else 0
        theme.changed.connect(self._read_theme)
        self._read_theme()

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(120, self._height + self._spare)

    def _read_theme(self) -> None:
        """Fonts and colours are made once, not for each entry of each paint."""
        theme = self._theme
        names = ("accent", "card", "dim", "faint", "good", "ink", "line", "note", "p6", "user", "warn")
        self._colors = {name: theme.color(name) for name in names}
        self._title, self._small = PaintedText(theme.font(-0.5, is_bold=True)), PaintedText(theme.font(-2))
        self._height = max(_HEIGHT, math.ceil(self._title.height + self._small.height) + _AROUND)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        line: Line = index.data(LineRole)
        colors = self._colors
        box = QRectF(option.rect).adjusted(1, 2, -1, -2)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_selected or option.state & QStyle.StateFlag.State_MouseOver:
            focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            edge = colors["accent" if focused else "line"]
            painter.setPen(QPen(edge, 1) if is_selected else QPen(Qt.PenStyle.NoPen))
            painter.setBrush(colors["card" if is_selected else "user"])
            painter.drawRoundedRect(box, 8, 8)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        inner = box.adjusted(13, 8, -13, -8)
        above = self._spare / 2 if line.fraction is None else 0.0
        inner.adjust(0, above, 0, above - self._spare)
        top = QRectF(inner.left(), inner.top(), inner.width(), inner.height() / 2)
        below = QRectF(inner.left(), inner.center().y(), inner.width(), inner.height() / 2)
        if line.state:  # Beside the title where both fit, else beside the facts, which are the first to be cut.
            width = self._small.width(line.state) + 10
            beside = top if self._title.width(line.title) + width <= inner.width() else below
            painter.setPen(colors[line.color])
            self._small.paint(painter, beside, line.state, is_right=True)
            beside.setRight(beside.right() - width)
        painter.setPen(colors["ink"])
        self._title.paint(painter, top, line.title, elide=Qt.TextElideMode.ElideMiddle)
        painter.setPen(colors["dim"])
        self._small.paint(painter, below, line.facts)
        if line.fraction is not None:
            track = QRectF(inner.left(), inner.bottom() + 4, inner.width(), 3)
            painter.fillRect(track, colors["p6"])
            track.setWidth(track.width() * min(1.0, line.fraction))
            painter.fillRect(track, colors["accent"])


class LineList(QListView):
    """A view of a LineModel, of its own where none is given.

    `selected(key)` when another entry is chosen, `opened(key)` on Enter or double click; `end_reached` near it.
    """

    selected = Signal(str)
    opened = Signal(str)
    end_reached = Signal()

    def __init__(self, theme: Theme, name: str, model: LineModel | None = None, *, has_bars: bool = False) -> None:
        super().__init__()
        self._lines = model or LineModel(self)
        self._kept = ""
        self.setModel(self._lines)
        self.setItemDelegate(LineDelegate(theme, self, has_bars=has_bars))
        self.setAccessibleName(name)
        self.setObjectName("chatList")
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._lines.modelAboutToBeReset.connect(self._keep_current)
        self._lines.modelReset.connect(self._select_kept)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.activated.connect(lambda index: self.opened.emit(self._lines.line(index.row()).key))
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        theme.changed.connect(self.scheduleDelayedItemsLayout)

    @property
    def lines(self) -> tuple[Line, ...]:
        return self._lines.lines

    @property
    def current_key(self) -> str:
        index = self.currentIndex()
        return self._lines.line(index.row()).key if index.isValid() else ""

    def set_lines(self, lines: Sequence[Line]) -> None:
        """Show these; the current entry stays current, and the same entries are updated in place."""
        self._lines.set_lines(lines)

    def append_lines(self, lines: Sequence[Line]) -> None:
        """Another page."""
        self._lines.append_lines(lines)

    def dataChanged(self, first: _Index, last: _Index, roles: Sequence[int] = ()) -> None:
        """All entries are of one height: what changed is painted, and nothing is laid out anew."""
        QAbstractItemView.dataChanged(self, first, last, roles)

    def select(self, key: str) -> None:
        """Make the entry `key` current, without telling."""
        for row, line in enumerate(self.lines):
            if line.key == key:
                self.selectionModel().blockSignals(True)
                self.selectionModel().setCurrentIndex(
                    self._lines.index(row), QItemSelectionModel.SelectionFlag.ClearAndSelect
                )
                self.selectionModel().blockSignals(False)
                self.viewport().update()

    def _keep_current(self) -> None:
        self._kept = self.current_key

    def _select_kept(self) -> None:
        self.select(self._kept)

    def _on_current_changed(self, index: QModelIndex) -> None:
        if index.isValid():
            self.selected.emit(self._lines.line(index.row()).key)

    def _on_scrolled(self, value: int) -> None:
        if value > self.verticalScrollBar().maximum() - 2 * self.height():
            self.end_reached.emit()
