"""The chat store: everything the user has said and been answered, in one SQLite file."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict, Unpack

import msgspec

from engine.errors import Code, StorageError
from engine.protocol.values import ContextPolicy
from engine.store.database import Database
from engine.store.messages import MessageStore, Position
from engine.store.rows import (
    CHAT_COLUMNS,
    INSERT_MESSAGE,
    chat_of,
    column_value,
    message_values,
    new_id,
    now,
)
from engine.store.values import Chat, MessageState

__all__ = ["ChatStore", "Position", "open_store"]


class ChatChanges(TypedDict, total=False):
    """What can change in a chat after it was created."""

    title: str
    folder_id: str | None
    is_pinned: bool
    is_archived: bool
    preset: str
    system_prompt: str | None
    context_policy: ContextPolicy | None


_CHANGEABLE = frozenset(ChatChanges.__annotations__)


class ChatStore(MessageStore):
    """Synchronous and thread-safe; call it off the event loop. Every method raises StorageError.

    A method that has returned is durable: a killed process loses nothing of it.
    """

    def __init__(self, path: Path | None) -> None:
        """Open or make the database; None keeps the chats in memory only."""
        self._db = Database(path)

    @property
    def file(self) -> Path | None:
        """The database file; None for a store in memory."""
        return self._db.path

    def close(self) -> None:
        """Let go of the file. May be called twice."""
        self._db.close()

    def create_chat(self, **fields: Unpack[ChatChanges]) -> Chat:
        """Make an empty chat."""
        moment = now()
        chat = Chat(id=new_id(), created_at=moment, updated_at=moment, **fields)
        self._insert_chat(chat)
        return chat

    def chats(self) -> list[Chat]:
        """All chats that are not deleted, archived ones included; the latest first."""
        rows = self._db.rows(
            f"SELECT {CHAT_COLUMNS} FROM chats WHERE deleted_at IS NULL ORDER BY updated_at DESC, number DESC"
        )
        return [chat_of(row) for row in rows]

    def chat(self, chat_id: str) -> Chat:
        """One chat, also a deleted one."""
        row = self._db.row(f"SELECT {CHAT_COLUMNS} FROM chats WHERE id = ?", chat_id)
        if row is None:
            raise StorageError(
                Code.BAD_REQUEST, "This chat no longer exists.", "It was deleted, perhaps in another window."
            )
        return chat_of(row)

    def update_chat(self, chat_id: str, **changes: Unpack[ChatChanges]) -> Chat:
        """Change fields of a chat; returns it as it is now."""
        if unknown := changes.keys() - _CHANGEABLE:
            raise TypeError(f"not fields of a chat that can change: {', '.join(sorted(unknown))}")
        with self._db.transaction():
            if changes:
                columns = ", ".join(f"{name} = ?" for name in changes)
                values = [column_value(value) for value in changes.values()]
                self._db.write(f"UPDATE chats SET {columns} WHERE id = ?", *values, chat_id)
            return self.chat(chat_id)

    def delete_chat(self, chat_id: str) -> None:
        """Take a chat out of sight; restore_chat() brings it back until it is purged."""
        self._db.write("UPDATE chats SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL", now(), chat_id)

    def restore_chat(self, chat_id: str) -> Chat:
        """Undo delete_chat()."""
        with self._db.transaction():
            self._db.write("UPDATE chats SET deleted_at = NULL WHERE id = ?", chat_id)
            return self.chat(chat_id)

    def duplicate_chat(self, chat_id: str, *, up_to: str | None = None, title: str | None = None) -> Chat:
        """A new chat with copies of the shown messages, up to the message `up_to` where one is given."""
        with self._db.transaction():
            old = self.chat(chat_id)
            path = self.path(chat_id, to=up_to)
            ids = [new_id() for _ in path]
            moment = now()
            copy = msgspec.structs.replace(
                old,
                id=new_id(),
                title=old.title if title is None else title,
                created_at=moment,
                updated_at=moment,
                head_id=ids[-1] if ids else None,
                is_pinned=False,
                is_archived=False,
                source="",
                deleted_at=None,
            )
            self._insert_chat(copy)
            for i, message in enumerate(path):
                state = MessageState.PARTIAL if message.state is MessageState.STREAMING else message.state
                made = msgspec.structs.replace(
                    message, id=ids[i], chat_id=copy.id, parent_id=ids[i - 1] if i else None, state=state
                )
                self._db.write(INSERT_MESSAGE, *message_values(made, ids[i + 1] if i + 1 < len(ids) else None))
        return copy

    def _insert_chat(self, chat: Chat) -> None:
        fields = CHAT_COLUMNS.split(", ")
        self._db.write(
            f"INSERT INTO chats ({CHAT_COLUMNS}) VALUES ({', '.join('?' * len(fields))})",
            *(column_value(getattr(chat, field)) for field in fields),
        )


def open_store(path: Path) -> tuple[ChatStore, str]:
    """The store at `path`, and a sentence for the user when something was not as it should be, else an empty text."""
    return ChatStore(path), ""
