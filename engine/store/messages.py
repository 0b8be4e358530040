"""The messages of a chat: a tree in which every edit and every new answer is one more version."""

from __future__ import annotations

import enum
import itertools
from typing import TypedDict, Unpack

import msgspec

from engine.errors import Code, StorageError
from engine.metrics import RequestMetrics
from engine.protocol.values import EffectiveSettings, Role
from engine.store.chat_values import Attachment, MessageState, StoredMessage
from engine.store.database import Database
from engine.store.message_tree import Node, Tree
from engine.store.row_mapping import (
    INSERT_MESSAGE,
    MESSAGE_COLUMNS,
    column_value,
    message_of,
    message_values,
    new_id,
    now,
)
from engine.translatable import Translatable, phrase

_NO_CHAT = phrase("This chat no longer exists.")
_NO_MESSAGE = phrase("This message no longer exists.")


class Position(enum.Enum):
    """Places in a chat that are not messages."""

    HEAD = "head"
    """After the last message that is shown."""


class MessageFields(TypedDict, total=False):
    """What a message can have besides its text; StoredMessage says what each is."""

    reasoning: str
    state: MessageState
    finish_reason: str | None
    note: Translatable
    metrics: RequestMetrics | None
    perceived_ttft: float | None
    effective: EffectiveSettings | None
    model_name: str
    reasoning_seconds: float | None
    attachments: tuple[Attachment, ...]
    is_pinned: bool


class MessageChanges(MessageFields, total=False):
    """What can change in a message after it was added."""

    content: str


_CHANGEABLE = frozenset(MessageChanges.__annotations__) | frozenset(MessageFields.__annotations__)

_UP = """
WITH RECURSIVE up (number, parent_id, depth) AS (
    SELECT m.number, m.parent_id, 0 FROM messages m WHERE m.id = ? AND m.chat_id = ?
    UNION ALL
    SELECT m.number, m.parent_id, up.depth + 1 FROM up JOIN messages m ON m.id = up.parent_id
)
"""


class MessageStore:
    """The part of the chat store that deals with messages. Every method raises StorageError."""

    _db: Database

    def add_message(
        self,
        chat_id: str,
        role: Role,
        content: str = "",
        *,
        parent_id: str | Position | None = Position.HEAD,
        created_at: float | None = None,
        **fields: Unpack[MessageFields],
    ) -> StoredMessage:
        """Add a message after `parent_id` (None: as a first message) and make it the chat's head."""
        with self._db.transaction():
            chat = self._db.row("SELECT head_id FROM chats WHERE id = ?", chat_id)
            if chat is None:
                raise _gone(_NO_CHAT)
            parent = chat["head_id"] if isinstance(parent_id, Position) else parent_id
            if parent is not None and self.message(parent).chat_id != chat_id:
                raise _gone(_NO_MESSAGE)
            message = StoredMessage(
                id=new_id(),
                chat_id=chat_id,
                parent_id=parent,
                role=role,
                content=content,
                created_at=now() if created_at is None else created_at,
                **fields,
            )
            self._db.write(INSERT_MESSAGE, *message_values(message))
            self._db.write(
                "UPDATE chats SET head_id = ?, updated_at = max(updated_at, ?) WHERE id = ?",
                message.id,
                message.created_at,
                chat_id,
            )
            if parent == chat["head_id"]:
                self._db.write("UPDATE messages SET last_child_id = ? WHERE id = ?", message.id, parent)
            else:
                self._remember_path(self._tree(chat_id).path(message.id))
        return message

    def update_message(self, message_id: str, **changes: Unpack[MessageChanges]) -> bool:
        """Change fields of a message; False when it no longer exists.

        Cheap enough for once a second on a growing answer: a STREAMING message is indexed only when its state changes.
        """
        if unknown := changes.keys() - _CHANGEABLE:
            raise TypeError(f"not fields of a message that can change: {', '.join(sorted(unknown))}")
        if not changes:
            return True
        columns = ", ".join(f"{name} = ?" for name in changes)
        values = [column_value(value) for value in changes.values()]
        return self._db.write(f"UPDATE messages SET {columns} WHERE id = ?", *values, message_id) > 0

    def message(self, message_id: str) -> StoredMessage:
        """One message, also a deleted one."""
        row = self._db.row(f"SELECT {MESSAGE_COLUMNS} FROM messages m WHERE m.id = ?", message_id)
        if row is None:
            raise _gone(_NO_MESSAGE)
        return message_of(row)

    def path(self, chat_id: str, *, to: str | None = None) -> list[StoredMessage]:
        """What is shown of a chat, first message first, up to its head or up to the message `to`."""
        with self._db.locked():
            end = to if to is not None else self._head(chat_id)
            rows = self._db.rows(
                f"{_UP} SELECT {MESSAGE_COLUMNS} FROM up JOIN messages m USING (number) "
                "WHERE m.deletion_id IS NULL ORDER BY up.depth DESC",
                end,
                chat_id,
            )
        return [message_of(row) for row in rows]

    def messages(self, chat_id: str) -> list[StoredMessage]:
        """All messages of all versions in the order in which they were made; parent_id is never a deleted message."""
        with self._db.locked():
            tree = self._tree(chat_id)
            rows = self._db.rows(
                f"SELECT {MESSAGE_COLUMNS} FROM messages m WHERE m.chat_id = ? AND m.deletion_id IS NULL "
                "ORDER BY m.number",
                chat_id,
            )
        found = [message_of(row) for row in rows]
        return [msgspec.structs.replace(each, parent_id=tree.parent(each.id)) for each in found]

    def siblings(self, message_id: str) -> list[StoredMessage]:
        """All versions of a message, itself included, oldest first."""
        with self._db.locked():
            message = self.message(message_id)
            return self._fetch(self._tree(message.chat_id).siblings(message_id))

    def children(self, message_id: str) -> list[StoredMessage]:
        """The messages that answer a message, oldest first."""
        with self._db.locked():
            message = self.message(message_id)
            return self._fetch(self._tree(message.chat_id).children(message_id))

    def versions(self, chat_id: str) -> dict[str, tuple[str, ...]]:
        """For each shown message that has other versions: the ids of all, its own included, oldest first."""
        with self._db.locked():
            tree = self._tree(chat_id)
            head = self._head(chat_id)
            shown = tree.path(head) if head is not None else []
        found = {each: tuple(tree.siblings(each)) for each in shown}
        return {each: versions for each, versions in found.items() if len(versions) > 1}

    def set_head(self, message_id: str) -> str:
        """Show the version that holds this message, down to the end that was used last; returns that end's id."""
        with self._db.transaction():
            message = self.message(message_id)
            tree = self._tree(message.chat_id)
            head = tree.leaf(message_id)
            self._set_head(message.chat_id, head)
            self._remember_path(tree.path(head))
        return head

    def edit_message(self, message_id: str, content: str) -> StoredMessage:
        """Add another version of a message with other text, and show it."""
        with self._db.transaction():
            old = self.message(message_id)
            return self.add_message(
                old.chat_id,
                old.role,
                content,
                parent_id=old.parent_id,
                attachments=old.attachments,
                model_name=old.model_name,
            )

    def delete_message(self, message_id: str, *, with_replies: bool = False) -> str:
        """Delete one message, or with it all that follows; returns an id for undo().

        What followed a single deleted message follows its parent.
        """
        with self._db.transaction():
            message = self.message(message_id)
            tree = self._tree(message.chat_id)
            head = self._head(message.chat_id)
            deletion_id = new_id()
            self._db.write("INSERT INTO deletions VALUES (?, ?, ?, ?)", deletion_id, message.chat_id, now(), head)
            gone = tree.below(message_id) if with_replies else [message_id]
            self._db.write_many(
                "UPDATE messages SET deletion_id = ? WHERE id = ? AND deletion_id IS NULL",
                [(deletion_id, each) for each in gone],
            )
            if head in gone:
                self._set_head(message.chat_id, tree.head_without(message_id))
        return deletion_id

    def undo(self, deletion_id: str) -> None:
        """Bring back what delete_message() took away, and show it as before, with what was written after it since."""
        with self._db.transaction():
            deletion = self._db.row("SELECT chat_id, head_id FROM deletions WHERE id = ?", deletion_id)
            if deletion is None:
                raise _gone(_NO_MESSAGE)
            chat_id = deletion["chat_id"]
            back = [row["id"] for row in self._db.rows("SELECT id FROM messages WHERE deletion_id = ?", deletion_id)]
            self._db.write("UPDATE messages SET deletion_id = NULL WHERE deletion_id = ?", deletion_id)
            self._db.write("DELETE FROM deletions WHERE id = ?", deletion_id)
            tree = self._tree(chat_id)
            # What was shown then may have been deleted since, and perhaps all the others.
            shown = next((each for each in (deletion["head_id"], self._head(chat_id), *back) if tree.lives(each)), None)
            self._set_head(chat_id, tree.leaf(shown) if shown is not None else None)

    def _tree(self, chat_id: str) -> Tree:
        rows = self._db.rows(
            "SELECT id, parent_id, last_child_id, deletion_id IS NOT NULL FROM messages WHERE chat_id = ? "
            "ORDER BY number",
            chat_id,
        )
        return Tree(Node(row[0], row[1], row[2], bool(row[3])) for row in rows)

    def _head(self, chat_id: str) -> str | None:
        row = self._db.row("SELECT head_id FROM chats WHERE id = ?", chat_id)
        if row is None:
            raise _gone(_NO_CHAT)
        head: str | None = row["head_id"]
        return head

    def _set_head(self, chat_id: str, head: str | None) -> None:
        self._db.write("UPDATE chats SET head_id = ? WHERE id = ?", head, chat_id)

    def _remember_path(self, path: list[str]) -> None:
        """Note along a path which child was used last, so that coming back to a version finds its end."""
        self._db.write_many(
            "UPDATE messages SET last_child_id = ? WHERE id = ? AND last_child_id IS NOT ?",
            [(child, parent, child) for parent, child in itertools.pairwise(path)],
        )

    def _fetch(self, ids: list[str]) -> list[StoredMessage]:
        return [self.message(each) for each in ids]


def _gone(sentence: str) -> StorageError:
    return StorageError(Code.BAD_REQUEST, sentence, "It was deleted, perhaps in another window.")
