"""The database's schema, as numbered steps; a step, once released, is never changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from engine.errors import Code, StorageError

Migration = Callable[[sqlite3.Connection], None]

_steps: dict[int, Migration] = {}


def migration(number: int) -> Callable[[Migration], Migration]:
    """Register a step that takes the schema from `number` - 1 to `number`."""

    def register(step: Migration) -> Migration:
        if number in _steps:
            raise ValueError(f"two migrations have the number {number}")
        _steps[number] = step
        return step

    return register


def version() -> int:
    """The schema version that this program writes."""
    return max(_steps)


def check(connection: sqlite3.Connection) -> int:
    """The schema version of the file; 0 for a fresh one. Changes nothing.

    Raises StorageError when the file was written by a newer program, and sqlite3.Error.
    """
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > version():
        raise StorageError(
            Code.CHATS_NEWER,
            "The chats were saved by a newer Firstlight (format {found}, this one knows {known}).",
            "Update Firstlight to open them; the file was not changed.",
            found=found,
            known=version(),
        )
    return found


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the schema up to date, each step in a transaction of its own.

    Raises StorageError when the file was written by a newer program, and sqlite3.Error.
    """
    found = check(connection)
    for number in sorted(_steps):
        if number > found:
            connection.execute("BEGIN IMMEDIATE")
            try:
                _steps[number](connection)
                connection.execute(f"PRAGMA user_version = {number}")
                connection.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise


@migration(1)
def m001_initial(connection: sqlite3.Connection) -> None:
    """Chats, the tree of their messages, folders, summaries, drafts, what can be undone, and the search index.

    The index is contentless: its text is `grams(content)`, a function of search_query.py that the connection registers.
    Streaming messages are left out of it, so that saving a growing answer every second stays cheap.
    """
    for statement in _INITIAL.split(";;"):
        connection.execute(statement)


@migration(2)
def m002_formulas(connection: sqlite3.Connection) -> None:
    """Whether formulas are drawn in a chat; NULL follows the settings."""
    connection.execute("ALTER TABLE chats ADD COLUMN is_math_on INTEGER")


_INITIAL = """
CREATE TABLE folders (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    position INTEGER NOT NULL DEFAULT 0,
    is_collapsed INTEGER NOT NULL DEFAULT 0
) STRICT;;
CREATE TABLE chats (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL DEFAULT '',
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    folder_id TEXT REFERENCES folders (id) ON DELETE SET NULL,
    is_pinned INTEGER NOT NULL DEFAULT 0,
    is_archived INTEGER NOT NULL DEFAULT 0,
    preset TEXT NOT NULL DEFAULT '',
    system_prompt TEXT,
    head_id TEXT,
    context_policy TEXT CHECK (context_policy IN ('stop', 'slide', 'summarise')),
    source TEXT NOT NULL DEFAULT '',
    deleted_at REAL
) STRICT;;
CREATE INDEX chats_by_time ON chats (updated_at);;
CREATE INDEX chats_by_source ON chats (source) WHERE source <> '';;
CREATE TABLE messages (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    parent_id TEXT,
    last_child_id TEXT,
    role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
    state TEXT NOT NULL CHECK (state IN ('streaming', 'complete', 'partial', 'failed')),
    created_at REAL NOT NULL,
    finish_reason TEXT,
    note TEXT NOT NULL DEFAULT '',
    metrics TEXT,
    perceived_ttft REAL,
    effective TEXT,
    model_name TEXT NOT NULL DEFAULT '',
    reasoning_seconds REAL,
    is_pinned INTEGER NOT NULL DEFAULT 0,
    attachments TEXT,
    content TEXT NOT NULL DEFAULT '',
    reasoning TEXT NOT NULL DEFAULT '',
    deletion_id TEXT
) STRICT;;
CREATE INDEX messages_by_chat ON messages (chat_id);;
CREATE INDEX messages_by_parent ON messages (parent_id);;
CREATE INDEX messages_streaming ON messages (state) WHERE state = 'streaming';;
CREATE TABLE deletions (
    id TEXT PRIMARY KEY,
    chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    deleted_at REAL NOT NULL,
    head_id TEXT
) STRICT;;
CREATE INDEX messages_by_deletion ON messages (deletion_id) WHERE deletion_id IS NOT NULL;;
CREATE TABLE summaries (
    id TEXT PRIMARY KEY,
    chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    covers_to TEXT NOT NULL,
    created_at REAL NOT NULL,
    is_edited INTEGER NOT NULL DEFAULT 0
) STRICT;;
CREATE INDEX summaries_by_chat ON summaries (chat_id);;
CREATE TABLE drafts (
    chat_id TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    attachments TEXT
) STRICT;;
CREATE TRIGGER draft_of_chat AFTER DELETE ON chats BEGIN
    DELETE FROM drafts WHERE chat_id = old.id;
END;;
CREATE VIRTUAL TABLE message_index USING fts5 (
    body, content='', tokenize='unicode61 remove_diacritics 2', prefix='2'
);;
CREATE VIRTUAL TABLE title_index USING fts5 (
    title, content='', tokenize='unicode61 remove_diacritics 2', prefix='2'
);;
CREATE TRIGGER message_added AFTER INSERT ON messages WHEN new.state <> 'streaming' BEGIN
    INSERT INTO message_index (rowid, body) VALUES (new.number, grams(new.content));
END;;
CREATE TRIGGER message_changed AFTER UPDATE OF content, state ON messages
WHEN new.content <> old.content OR (new.state = 'streaming') <> (old.state = 'streaming') BEGIN
    INSERT INTO message_index (message_index, rowid, body)
        SELECT 'delete', old.number, grams(old.content) WHERE old.state <> 'streaming';
    INSERT INTO message_index (rowid, body)
        SELECT new.number, grams(new.content) WHERE new.state <> 'streaming';
END;;
CREATE TRIGGER message_removed AFTER DELETE ON messages WHEN old.state <> 'streaming' BEGIN
    INSERT INTO message_index (message_index, rowid, body) VALUES ('delete', old.number, grams(old.content));
END;;
CREATE TRIGGER title_added AFTER INSERT ON chats BEGIN
    INSERT INTO title_index (rowid, title) VALUES (new.number, grams(new.title));
END;;
CREATE TRIGGER title_changed AFTER UPDATE OF title ON chats WHEN new.title <> old.title BEGIN
    INSERT INTO title_index (title_index, rowid, title) VALUES ('delete', old.number, grams(old.title));
    INSERT INTO title_index (rowid, title) VALUES (new.number, grams(new.title));
END;;
CREATE TRIGGER title_removed AFTER DELETE ON chats BEGIN
    INSERT INTO title_index (title_index, rowid, title) VALUES ('delete', old.number, grams(old.title));
END
"""
