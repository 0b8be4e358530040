"""The rows of the sidebar by mouse and keyboard, one or several of them chosen."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QDragLeaveEvent, QDragMoveEvent, QDropEvent, QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from app.chat_list.chat_list_model import CHAT_MIME, ListRow, RowKind, RowRole

_Index = QModelIndex | QPersistentModelIndex
_KEYS = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)


class ChatListView(QListView):
    """Enter opens, Delete deletes, F2 renames, the menu key opens the menu; Ctrl and Shift choose several chats.

    `opened` by a click or by Enter. `is_by_key`: the keyboard was used last, so that the current row has to be seen.
    `drop_row` is what chats that are being dragged would be dropped on; -1 for nothing.
    """

    opened = Signal(QModelIndex)
    delete_pressed = Signal(QModelIndex)
    rename_pressed = Signal(QModelIndex)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("chatList")
        self.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setDragDropMode(QListView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.CopyAction)
        self.setDragDropOverwriteMode(True)
        self.setDropIndicatorShown(False)  # Qt's is a black box; the delegate draws ours.
        self.drop_row = -1
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._is_choosing = self.is_by_key = False
        self.clicked.connect(self._on_clicked)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The ids of the selected chats, from top to bottom."""
        rows = (index.data(RowRole) for index in sorted(self.selectedIndexes(), key=QModelIndex.row))
        return tuple(row.key for row in rows if isinstance(row, ListRow) and row.kind is RowKind.CHAT)

    def set_current(self, number: int) -> None:
        """Make a row the current one; several that are chosen stay so."""
        flag = QItemSelectionModel.SelectionFlag
        how = flag.NoUpdate if len(self.chosen) > 1 else flag.ClearAndSelect
        self.selectionModel().setCurrentIndex(self.model().index(number, 0), how)

    def choose(self, chat_ids: tuple[str, ...]) -> None:
        """Select the rows of these chats, those that are shown."""
        model, wanted = self.model(), set(chat_ids)
        for index in (model.index(number, 0) for number in range(model.rowCount())):
            row = index.data(RowRole)
            if isinstance(row, ListRow) and row.kind is RowKind.CHAT and row.key in wanted:
                self.selectionModel().select(index, QItemSelectionModel.SelectionFlag.Select)

    def dataChanged(self, first: _Index, last: _Index, roles: Sequence[int] = ()) -> None:
        """All rows are of one height: what changed is painted, and nothing is laid out anew."""
        QAbstractItemView.dataChanged(self, first, last, roles)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        modifier = Qt.KeyboardModifier
        self._set_by_key(False)
        self._is_choosing = bool(event.modifiers() & (modifier.ControlModifier | modifier.ShiftModifier))
        super().mousePressEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)
        over = self.indexAt(event.position().toPoint())
        is_target = event.mimeData().hasFormat(CHAT_MIME) and bool(over.flags() & Qt.ItemFlag.ItemIsDropEnabled)
        if is_target:
            event.acceptProposedAction()
        else:
            event.ignore()
        self._set_drop_row(over.row() if is_target else -1)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self._set_drop_row(-1)

    def dropEvent(self, event: QDropEvent) -> None:
        super().dropEvent(event)
        self._set_drop_row(-1)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in _KEYS:
            self._set_by_key(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._set_by_key(True)
        keys = {
            Qt.Key.Key_Return: self.opened,
            Qt.Key.Key_Enter: self.opened,
            Qt.Key.Key_Delete: self.delete_pressed,
            Qt.Key.Key_F2: self.rename_pressed,
        }
        if (signal := keys.get(Qt.Key(event.key()))) is not None and self.currentIndex().isValid():
            signal.emit(self.currentIndex())
            return
        super().keyPressEvent(event)

    def _set_drop_row(self, row: int) -> None:
        if row != self.drop_row:
            self.drop_row = row
            self.viewport().update()

    def _set_by_key(self, is_by_key: bool) -> None:
        self.is_by_key = is_by_key
        self.viewport().update()

    def _on_clicked(self, index: QModelIndex) -> None:
        if not self._is_choosing:
            self.opened.emit(index)
