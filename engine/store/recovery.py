"""Saving what can be read of a damaged database: table by table, row by row, around the broken pages."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from engine.errors import StorageError
from engine.store.database import Database

_TABLES = ("folders", "chats", "messages", "deletions", "summaries", "drafts")
MAX_PROBED_ROWS = 20_000
"""Rows between two broken places that are tried one by one."""


def keep_aside(path: Path) -> Path:
    """Rename a damaged database with its -wal and -shm, so that nothing is overwritten; returns the new name.

    Raises OSError.
    """
    stamp = time.strftime("%Y-%m-%d-%H%M%S")
    aside = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.stem}.damaged-{stamp}-{number}{path.suffix}")
    path.replace(aside)
    for ending in ("-wal", "-shm"):
        companion = path.with_name(path.name + ending)
        if companion.exists():
            companion.replace(aside.with_name(aside.name + ending))
    return aside


def salvage(damaged: Path, into: Database) -> tuple[int, int]:
    """Copy every readable row of `damaged`; returns how many chats and messages came through.

    Raises StorageError when `into` cannot be written.
    """
    try:
        source = sqlite3.connect(damaged, isolation_level=None)
    except sqlite3.Error:
        return 0, 0
    source.text_factory = lambda raw: raw.decode("utf-8", "replace")
    with contextlib.closing(source), into.transaction() as target:
        # A message may be readable where its chat is not; the chat is made up below.
        target.execute("PRAGMA defer_foreign_keys = ON")
        for table in _TABLES:
            _copy_table(source, target, table)
        _mend(target)
        (n_chats,) = target.execute("SELECT count(*) FROM chats").fetchone()
        (n_messages,) = target.execute("SELECT count(*) FROM messages").fetchone()
    return n_chats, n_messages


def _copy_table(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> None:
    try:
        found = {row[1] for row in source.execute(f"PRAGMA table_info({table})")}
    except sqlite3.Error:
        return
    columns = [row[1] for row in target.execute(f"PRAGMA table_info({table})") if row[1] in found]
    if not columns:
        return
    insert = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    for row in _readable_rows(source, table, columns):
        # A row that the schema refuses was damaged in place.
        with contextlib.suppress(sqlite3.IntegrityError, sqlite3.DataError):
            target.execute(insert, row)


def _readable_rows(source: sqlite3.Connection, table: str, columns: list[str]) -> Iterator[tuple[object, ...]]:
    """Rows from the front up to a broken page, from the back up to a broken page, and what can be had in between."""
    query = f"SELECT rowid, {', '.join(columns)} FROM {table}"
    front: int | None = None
    try:
        for row in source.execute(f"{query} ORDER BY rowid"):
            front = row[0]
            yield row[1:]
        return
    except sqlite3.DatabaseError:
        pass
    back: int | None = None
    with contextlib.suppress(sqlite3.DatabaseError):
        for row in source.execute(f"{query} WHERE rowid > ? ORDER BY rowid DESC", (front or 0,)):
            back = row[0]
            yield row[1:]
    first = (front or 0) + 1
    last = min(back if back is not None else first + MAX_PROBED_ROWS, first + MAX_PROBED_ROWS)
    for number in range(first, last):
        with contextlib.suppress(sqlite3.DatabaseError):
            for row in source.execute(f"{query} WHERE rowid = ?", (number,)):
                yield row[1:]


def _mend(target: sqlite3.Connection) -> None:
    """Make whole what lost its other half: chats for lone messages, heads and folders that exist."""
    target.execute(
        "INSERT INTO chats (id, title, created_at, updated_at) SELECT chat_id, 'Recovered', min(created_at), "
        "max(created_at) FROM messages WHERE chat_id NOT IN (SELECT id FROM chats) GROUP BY chat_id"
    )
    target.execute(
        "UPDATE chats SET head_id = (SELECT id FROM messages m WHERE m.chat_id = chats.id AND m.deletion_id IS NULL "
        "ORDER BY number DESC LIMIT 1) WHERE head_id IS NULL OR head_id NOT IN (SELECT id FROM messages)"
    )
    target.execute("UPDATE chats SET folder_id = NULL WHERE folder_id NOT IN (SELECT id FROM folders)")
    for table in ("summaries", "deletions"):
        target.execute(f"DELETE FROM {table} WHERE chat_id NOT IN (SELECT id FROM chats)")


def copy_readable(path: Path, into: Database) -> None:
    """Copy a sound database that cannot be opened for writing into one in memory; does nothing where it cannot be read.

    Raises StorageError when the copy is of no use.
    """
    # In a folder without write access, WAL needs its -shm file to exist; immutable reads the main file alone.
    for options in ("mode=ro", "mode=ro&immutable=1"):
        with contextlib.suppress(sqlite3.Error, StorageError):
            with contextlib.closing(sqlite3.connect(f"file:{quote(str(path))}?{options}", uri=True)) as source:
                source.execute("SELECT count(*) FROM chats").fetchone()
                into.replace_with(source)
            return
