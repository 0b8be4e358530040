"""The open conversation, one row per message: the single source of truth for every view of it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from engine.metrics import RequestMetrics
from engine.protocol.events import PrefillProgress
from engine.protocol.values import EffectiveSettings, Role, Section
from engine.store.chat_values import Attachment

ItemRole = Qt.ItemDataRole.UserRole + 1


class MessageItem(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One message as views see it."""

    id: str
    role: Role
    content: str = ""
    reasoning: str = ""
    tool_call: str = ""
    """Tool-call markup as the model wrote it."""
    is_streaming: bool = False
    is_in_reasoning: bool = False
    """The newest text of a streaming answer belongs to its reasoning."""
    note: str = ""
    """Why the answer ended early, or what to know about it: one sentence."""
    note_is_warning: bool = False
    is_cut: bool = False
    """The answer can go on."""
    metrics: RequestMetrics | None = None
    perceived_ttft: float | None = None
    """Seconds from Enter to the first painted glyph."""
    effective: EffectiveSettings | None = None
    version_index: int = 0
    """Zero-based."""
    version_count: int = 1
    model_name: str = ""
    reasoning_seconds: float | None = None
    attachments: tuple[Attachment, ...] = ()
    prefill: PrefillProgress | None = None


class _Stream:
    """Text that arrived for one row since its item was last built: appending stays O(1) however long it grows."""

    def __init__(self) -> None:
        self.pieces: dict[Section, list[str]] = {section: [] for section in Section}

    def fold(self, item: MessageItem) -> MessageItem:
        """`item` with the collected text."""
        content, reasoning, tool_call = (
            before + "".join(self.pieces[section])
            for before, section in (
                (item.content, Section.ANSWER),
                (item.reasoning, Section.REASONING),
                (item.tool_call, Section.TOOL_CALL),
            )
        )
        return msgspec.structs.replace(item, content=content, reasoning=reasoning, tool_call=tool_call)


class ConversationModel(QAbstractListModel):
    """Messages from the root to the head of the open chat.

    Signals:
        text_appended(row, text, section): streamed text; `dataChanged` is not emitted for it.
        context_changed(): the row where the model's view begins has moved.
    """

    text_appended = Signal(int, str, object)
    context_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._items: list[MessageItem] = []
        self._rows: dict[str, int] = {}
        self._streams: dict[int, _Stream] = {}
        self._context_start = 0
        self._context_note = ""

    # Reading.

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._items)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        if role == ItemRole:
            return self.item(index.row())
        return self.item(index.row()).content if role == Qt.ItemDataRole.DisplayRole else None

    def item(self, row: int) -> MessageItem:
        """The message at `row`, with everything streamed so far. Raises IndexError."""
        stream = self._streams.pop(row, None)
        if stream is not None:
            self._items[row] = stream.fold(self._items[row])
        return self._items[row]

    def items(self) -> list[MessageItem]:
        """All messages, from the root to the head."""
        return [self.item(row) for row in range(len(self._items))]

    def row_of(self, message_id: str) -> int | None:
        return self._rows.get(message_id)

    @property
    def context_start_row(self) -> int:
        """The first row that the model sees; 0 when it sees all of them."""
        return self._context_start

    @property
    def context_note(self) -> str:
        """What happened to the rows before it, for the marker line."""
        return self._context_note

    # Changing.

    def set_items(self, items: Iterable[MessageItem]) -> None:
        """Show these messages. Rows that stay at the front are kept, so that a version switch keeps the place."""
        new = list(items)
        shared = 0
        for row, (old_item, new_item) in enumerate(zip(self._items, new, strict=False)):
            if old_item.id != new_item.id:
                break
            shared = row + 1
        if not shared:
            self.beginResetModel()
            self._streams.clear()
            self._items = new
            self._index_rows(0)
            self.endResetModel()
            return
        for row in range(shared):
            if self.item(row) != new[row]:
                self.replace_item(row, new[row])
        if shared < len(self._items):
            self.beginRemoveRows(QModelIndex(), shared, len(self._items) - 1)
            for item in self._items[shared:]:
                del self._rows[item.id]
            self._streams = {row: stream for row, stream in self._streams.items() if row < shared}
            del self._items[shared:]
            self.endRemoveRows()
        if shared < len(new):
            self.beginInsertRows(QModelIndex(), shared, len(new) - 1)
            self._items.extend(new[shared:])
            self._index_rows(shared)
            self.endInsertRows()

    def append_item(self, item: MessageItem) -> int:
        """Add a message at the end; returns its row."""
        row = len(self._items)
        self.beginInsertRows(QModelIndex(), row, row)
        self._items.append(item)
        self._rows[item.id] = row
        self.endInsertRows()
        return row

    def replace_item(self, row: int, item: MessageItem) -> None:
        """Put `item` in the place of what is at `row`; its text wins over what was streamed."""
        self._streams.pop(row, None)
        before = self._items[row]
        self._items[row] = item
        if before.id != item.id:
            del self._rows[before.id]
            self._rows[item.id] = row
        index = self.index(row)
        self.dataChanged.emit(index, index)

    def append_text(
        self, row: int, text: str, section: Section = Section.ANSWER, *, reasoning_seconds: float | None = None
    ) -> None:
        """Add streamed text to one section of the message at `row`; `reasoning_seconds` once its thoughts are over."""
        item = self._items[row]
        is_in_reasoning = section is Section.REASONING
        if item.is_in_reasoning != is_in_reasoning or item.prefill is not None:
            self._items[row] = msgspec.structs.replace(
                item, is_in_reasoning=is_in_reasoning, prefill=None, reasoning_seconds=reasoning_seconds
            )
            index = self.index(row)
            self.dataChanged.emit(index, index)
        if text:
            self._streams.setdefault(row, _Stream()).pieces[section].append(text)
            self.text_appended.emit(row, text, section)

    def set_context_start(self, row: int, note: str = "") -> None:
        """Say where the model's view begins, and what became of the rows before."""
        if (row, note) != (self._context_start, self._context_note):
            self._context_start, self._context_note = row, note
            self.context_changed.emit()

    def _index_rows(self, first: int) -> None:
        if first == 0:
            self._rows.clear()
        self._rows.update((item.id, row) for row, item in enumerate(self._items[first:], first))
