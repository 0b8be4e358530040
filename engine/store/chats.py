"""The chat store: everything the user has said and been answered, in one SQLite file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

import msgspec

from engine.errors import Code, StorageError
from engine.files import storage_error
from engine.protocol.values import ContextPolicy
from engine.store.chat_folders import FolderStore
from engine.store.chat_values import Chat, MessageState, StoredMessage, Summary
from engine.store.database import Database, damage_mark
from engine.store.drafts_and_summaries import NoteStore
from engine.store.finish_notes import ending
from engine.store.messages import MessageStore, Position
from engine.store.recovery import copy_readable, keep_aside, salvage
from engine.store.row_mapping import CHAT_COLUMNS, INSERT_MESSAGE, column_value, message_values, new_id, now, record_of
from engine.store.search import SearchStore
from engine.translatable import Translatable, joined, phrase, sentence

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
    is_math_on: bool | None


KEEP_DELETED_DAYS = 30.0

_CHANGEABLE = frozenset(ChatChanges.__annotations__)


class ChatStore(MessageStore, FolderStore, NoteStore, SearchStore):
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
        return [record_of(row, Chat) for row in rows]

    def chat(self, chat_id: str) -> Chat:
        """One chat, also a deleted one."""
        row = self._db.row(f"SELECT {CHAT_COLUMNS} FROM chats WHERE id = ?", chat_id)
        if row is None:
            raise StorageError(
                Code.BAD_REQUEST, "This chat no longer exists.", "It was deleted, perhaps in another window."
            )
        return record_of(row, Chat)

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

    def add_chat(self, chat: Chat, messages: Sequence[StoredMessage], summaries: Sequence[Summary] = ()) -> None:
        """Add a whole chat that was made elsewhere, with ids that are not in use, in one transaction."""
        last_child = {each.parent_id: each.id for each in messages if each.parent_id is not None}
        parents = {each.id: each.parent_id for each in messages}
        shown = chat.head_id
        while shown is not None and (parent := parents.get(shown)) is not None:
            last_child[parent] = shown
            shown = parent
        with self._db.transaction():
            self._insert_chat(chat)
            self._db.write_many(INSERT_MESSAGE, [message_values(each, last_child.get(each.id)) for each in messages])
            for summary in summaries:
                self._insert_summary(summary)

    def known_ids(self) -> set[str]:
        """Ids of all chats, and the sources of imported ones, deleted ones left out: what an import need not bring."""
        rows = self._db.rows("SELECT id, source FROM chats WHERE deleted_at IS NULL")
        return {each for row in rows for each in row if each}

    def has_ids(self, chat_id: str, message_ids: Iterable[str]) -> bool:
        """Whether one of these ids is in use, also by something deleted."""
        with self._db.locked():
            if self._db.row("SELECT 1 FROM chats WHERE id = ?", chat_id):
                return True
            return any(self._db.row("SELECT 1 FROM messages WHERE id = ?", each) for each in message_ids)

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Make several changes one: all of them, or none. Keep it short, others wait."""
        with self._db.transaction():
            yield

    def purge(self, max_age_days: float = KEEP_DELETED_DAYS) -> int:
        """Remove for good what was deleted longer ago than this; returns how many chats went."""
        limit = now() - max_age_days * 86_400
        with self._db.transaction():
            n_chats = self._db.write("DELETE FROM chats WHERE deleted_at <= ?", limit)
            old = [row["id"] for row in self._db.rows("SELECT id FROM deletions WHERE deleted_at <= ?", limit)]
            for deletion_id in old:
                self._forget(deletion_id)
        with self._db.locked() as connection:
            # Each step of this pragma frees one page.
            connection.execute("PRAGMA incremental_vacuum").fetchall()
        return n_chats

    def finish_interrupted(self) -> int:
        """Close the answers that were streaming when the app died; returns how many there were."""
        return self._db.write(
            "UPDATE messages SET state = CASE WHEN content = '' AND reasoning = '' THEN 'failed' ELSE 'partial' END, "
            "note = ? WHERE state = 'streaming'",
            ending(None, has_answer=False),
        )

    def back_up(self, target: Path) -> None:
        """Write a copy of the whole database to `target`."""
        self._db.copy_to(target)

    def check(self) -> None:
        """Read the whole file. Raises StorageError with CHATS_DAMAGED for damage."""
        if not self._db.is_sound():
            raise StorageError(Code.CHATS_DAMAGED, "The file with your chats is damaged.")

    def mend_index(self) -> None:
        """Make the search index anew if it is damaged."""
        if not self._db.is_index_sound():
            self._db.rebuild_index()

    def salvage(self, damaged: Path) -> tuple[int, int]:
        """Take over what can be read of a damaged database; returns how many chats and messages."""
        return salvage(damaged, self._db)

    def copy_readable(self, path: Path) -> None:
        """Take over a sound database that cannot be written; does nothing where it cannot be read."""
        copy_readable(path, self._db)

    def _forget(self, deletion_id: str) -> None:
        """Remove deleted messages for good, and tie what follows them to what comes before."""
        rows = self._db.rows("SELECT id, parent_id FROM messages WHERE deletion_id = ?", deletion_id)
        parents = {row["id"]: row["parent_id"] for row in rows}
        for gone, before in parents.items():
            living = before
            while living in parents:
                living = parents[living]
            self._db.write("UPDATE messages SET parent_id = ? WHERE parent_id = ?", living, gone)
        self._db.write("DELETE FROM messages WHERE deletion_id = ?", deletion_id)
        self._db.write("DELETE FROM deletions WHERE id = ?", deletion_id)

    def _insert_chat(self, chat: Chat) -> None:
        fields = CHAT_COLUMNS.split(", ")
        self._db.write(
            f"INSERT INTO chats ({CHAT_COLUMNS}) VALUES ({', '.join('?' * len(fields))})",
            *(column_value(getattr(chat, field)) for field in fields),
        )


def open_store(path: Path) -> tuple[ChatStore, Translatable]:
    """The store at `path`, and a sentence for the user when something was not as it should be, else an empty text.

    A damaged file is kept aside and what can be read of it goes into a fresh one. A file that cannot be opened or
    written is left alone: then the store is in memory, with the file's chats where they can be read.
    """
    # A write-ahead log that is still there means that the last run did not end by itself.
    log = path.with_name(f"{path.name}-wal")
    mark = damage_mark(path)
    try:
        was_damaged = mark.exists()
        was_killed = log.exists() and log.stat().st_size > 0
        store = ChatStore(path)
        try:
            if was_damaged or was_killed:
                store.check()
            if was_damaged:
                store.mend_index()
                mark.unlink()
            store.finish_interrupted()
            store.purge()
            store.chats()
        except BaseException:
            store.close()
            raise
    except StorageError as error:
        if error.code is Code.CHATS_DAMAGED:
            with contextlib.suppress(StorageError, OSError):
                return _start_afresh(path)
        return _in_memory(path, error)
    except OSError as error:
        return _in_memory(path, storage_error(error, path.parent))
    return store, ""


def _start_afresh(path: Path) -> tuple[ChatStore, Translatable]:
    aside = keep_aside(path)
    damage_mark(path).unlink(missing_ok=True)
    store = ChatStore(path)
    n_chats, n_messages = store.salvage(aside)
    store.finish_interrupted()
    kept = sentence("The file with your chats was damaged and is kept as {path}.", path=aside)
    if not n_chats:
        return store, joined(kept, phrase("Nothing in it could be read; a fresh one was started."))
    messages = sentence("1 message" if n_messages == 1 else "{n:,} messages", n=n_messages)
    recovered = sentence(
        "One chat with {messages} could be recovered."
        if n_chats == 1
        else "{n:,} chats with {messages} could be recovered.",
        n=n_chats,
        messages=messages,
    )
    return store, joined(kept, recovered)


def _in_memory(path: Path, error: StorageError) -> tuple[ChatStore, Translatable]:
    store = ChatStore(None)
    if error.code is not Code.CHATS_NEWER:
        store.copy_readable(path)
        store.finish_interrupted()
    until = phrase("Until then, what you write is not kept after closing Firstlight.")
    return store, joined(error.failure.said, until)
