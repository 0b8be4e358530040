"""The chats of the sidebar as rows: headings, folders, chats, and search hits."""

from __future__ import annotations

import enum
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractListModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from app.ui.plain_text import plain_tip

if TYPE_CHECKING:
    from engine.store.chat_values import Chat, Folder, SearchHit


RowRole = Qt.ItemDataRole.UserRole + 1
CHAT_MIME = "application/x-firstlight-chat"


class RowKind(enum.Enum):
    HEADING = "heading"
    FOLDER = "folder"
    CHAT = "chat"
    HIT = "hit"
    ARCHIVE = "archive"
    """The way to the archived chats, and back."""


@dataclass(frozen=True, slots=True)
class ListRow:
    """One row of the sidebar; `key` identifies the chat or folder."""

    kind: RowKind
    text: str
    key: str = ""
    chat: Chat | None = None
    hit: SearchHit | None = None
    n_chats: int = 0
    is_open: bool = True
    is_busy: bool = False


class ChatListModel(QAbstractListModel):
    """Holds the chats' metadata only; a row object is made when it is shown.

    `chats_dropped(chat_ids, folder_id)` when chats were dragged onto a folder, or with None out of every folder.
    """

    chats_dropped = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[ListRow] = []
        self.chats: tuple[Chat, ...] = ()
        self.folders: tuple[Folder, ...] = ()
        self.archived: tuple[Chat, ...] = ()
        self.is_archive_shown = False
        """The archived chats are listed instead of the others."""
        self.is_read = False
        """The chats have been read once; before that nobody knows whether there are any."""
        self._hits: tuple[SearchHit, ...] | None = None
        self._collapsed: set[str] = set()
        self._busy: frozenset[str] = frozenset()
        self._row_of_chat: dict[str, int] = {}

    @property
    def is_searching(self) -> bool:
        return self._hits is not None

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == RowRole:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(row)
        if role == Qt.ItemDataRole.ToolTipRole and row.kind is RowKind.CHAT:
            return plain_tip(row.text)
        return None

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        kind, flag = self._rows[index.row()].kind, Qt.ItemFlag
        if kind is RowKind.HEADING:
            return flag.ItemIsDropEnabled
        if kind is RowKind.CHAT:
            return flag.ItemIsEnabled | flag.ItemIsSelectable | flag.ItemIsDragEnabled | flag.ItemIsDropEnabled
        drop = flag.ItemIsDropEnabled if kind is RowKind.FOLDER else flag.NoItemFlags
        return flag.ItemIsEnabled | flag.ItemIsSelectable | drop

    def mimeTypes(self) -> list[str]:
        return [CHAT_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        rows = (self._rows[index.row()] for index in indexes)
        data.setData(CHAT_MIME, "\n".join(row.key for row in rows if row.kind is RowKind.CHAT).encode())
        return data

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: QModelIndex | QPersistentModelIndex
    ) -> bool:
        """Dropped on a folder, or on a chat: into that chat's folder; on a heading: out of every folder."""
        if not (data.hasFormat(CHAT_MIME) and parent.isValid()):
            return False
        onto = self._rows[parent.row()]
        folder_id = onto.key if onto.kind is RowKind.FOLDER else onto.chat.folder_id if onto.chat else None
        self.chats_dropped.emit(tuple(bytes(data.data(CHAT_MIME).data()).decode().split("\n")), folder_id)
        return True

    def row(self, number: int) -> ListRow:
        return self._rows[number]

    def row_of_chat(self, chat_id: str) -> int | None:
        """The row that shows this chat; None when it is not shown."""
        return self._row_of_chat.get(chat_id)

    def set_chats(self, chats: Iterable[Chat], folders: Iterable[Folder] = ()) -> None:
        """All chats, newest first."""
        parts: tuple[list[Chat], list[Chat]] = ([], [])
        for chat in chats:
            parts[chat.is_archived].append(chat)
        self.chats, self.archived, self.folders = tuple(parts[0]), tuple(parts[1]), tuple(folders)
        self.is_read = True
        self._collapsed = {folder.id for folder in self.folders if folder.is_collapsed}
        self._rebuild()

    def set_hits(self, hits: Iterable[SearchHit] | None) -> None:
        """Show search hits instead of the chats; None ends the search."""
        self._hits = None if hits is None else tuple(hits)
        self._rebuild()

    def show_archive(self, is_shown: bool) -> None:
        """List the archived chats, or the others again."""
        if is_shown != self.is_archive_shown:
            self.is_archive_shown = is_shown
            self._rebuild()

    def set_busy(self, chat_ids: frozenset[str]) -> None:
        """Chats in which an answer is running."""
        changed, self._busy = chat_ids ^ self._busy, chat_ids
        for row in (self._row_of_chat[chat_id] for chat_id in changed if chat_id in self._row_of_chat):
            self._rows[row] = replace(self._rows[row], is_busy=self._rows[row].key in chat_ids)
            self.dataChanged.emit(self.index(row), self.index(row))

    def toggle_folder(self, folder_id: str) -> bool:
        """Open or close a folder; returns whether it is open now."""
        self._collapsed ^= {folder_id}
        self._rebuild()
        return folder_id not in self._collapsed

    def _spoken(self, row: ListRow) -> str:
        """What the eye sees of a row, in words."""
        if row.hit is not None:
            title = self.tr("{title}, archived").format(title=row.text) if row.hit.is_archived else row.text
            return title if row.hit.message_id is None else f"{title}: {row.hit.snippet}"
        if row.kind is RowKind.FOLDER:
            words = self.tr("Folder {name}, {n}, open") if row.is_open else self.tr("Folder {name}, {n}, closed")
            return words.format(name=row.text, n=row.n_chats)
        if row.kind is RowKind.ARCHIVE:
            return f"{row.text}, {row.n_chats}"
        if row.kind is RowKind.HEADING:
            return row.text or self.tr("Archived")  # A gap for the eye is a heading for the ear.
        return self.tr("{title}, being answered").format(title=row.text) if row.is_busy else row.text

    def _rebuild(self) -> None:
        self.beginResetModel()
        self._rows = self._hit_rows() if self._hits is not None else self._chat_rows()
        self._row_of_chat = {row.key: number for number, row in enumerate(self._rows) if row.kind is RowKind.CHAT}
        self.endResetModel()

    def _hit_rows(self) -> list[ListRow]:
        untitled = self.tr("New chat")
        return [ListRow(RowKind.HIT, hit.chat_title or untitled, key=hit.chat_id, hit=hit) for hit in self._hits or ()]

    def _chat_rows(self) -> list[ListRow]:
        if self.is_archive_shown:
            return self._archive_rows()
        rows: list[ListRow] = []
        filed: dict[str, list[Chat]] = {folder.id: [] for folder in self.folders}
        groups: dict[str, list[Chat]] = {}
        today = _local_day(time.time())
        for chat in self.chats:
            if chat.is_pinned:
                groups.setdefault(self.tr("Pinned"), []).append(chat)
            elif chat.folder_id in filed:
                filed[chat.folder_id].append(chat)
            else:
                groups.setdefault(self._age(chat, today), []).append(chat)
        if pinned := groups.pop(self.tr("Pinned"), None):
            groups = {self.tr("Pinned"): pinned, **groups}
        for heading, chats in groups.items():
            rows.append(ListRow(RowKind.HEADING, heading))
            rows += [self._chat_row(chat) for chat in chats]
        if self.folders:
            rows.append(ListRow(RowKind.HEADING, self.tr("Folders")))
        for folder in self.folders:
            chats, is_open = filed[folder.id], folder.id not in self._collapsed
            rows.append(ListRow(RowKind.FOLDER, folder.name, key=folder.id, n_chats=len(chats), is_open=is_open))
            if is_open:
                rows += [self._chat_row(chat) for chat in chats]
        if self.archived:
            if rows:
                rows.append(ListRow(RowKind.HEADING, ""))  # A gap: it belongs to none of the groups above.
            rows.append(ListRow(RowKind.ARCHIVE, self.tr("Archived"), n_chats=len(self.archived), is_open=False))
        return rows

    def _archive_rows(self) -> list[ListRow]:
        """The way back, and the archived chats by age."""
        rows = [ListRow(RowKind.ARCHIVE, self.tr("Archived"), n_chats=len(self.archived))]
        heading, today = "", _local_day(time.time())
        for chat in self.archived:
            if (age := self._age(chat, today)) != heading:
                heading = age
                rows.append(ListRow(RowKind.HEADING, heading))
            rows.append(self._chat_row(chat))
        return rows

    def _chat_row(self, chat: Chat) -> ListRow:
        title = chat.title or self.tr("New chat")
        return ListRow(RowKind.CHAT, title, key=chat.id, chat=chat, is_busy=chat.id in self._busy)

    def _age(self, chat: Chat, today: int) -> str:
        days = today - _local_day(chat.updated_at)
        if days <= 0:
            return self.tr("Today")
        if days == 1:
            return self.tr("Yesterday")
        if days <= 7:
            return self.tr("Last 7 days")
        return self.tr("Last 30 days") if days <= 30 else self.tr("Older")


def _local_day(moment: float) -> int:
    """Days since the epoch by the clock on the wall."""
    return int((moment + time.localtime(moment).tm_gmtoff) // 86_400)
