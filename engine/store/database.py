"""The SQLite connection under the chat store: one per store, guarded by a lock, with errors turned into sentences."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.errors import Code, StorageError
from engine.store.migrations import check, migrate
from engine.store.search_query import grams
from engine.translatable import Translatable, reason_of

BUSY_TIMEOUT_MS = 5000
_LEAST_FREE = 1_000_000
"""Bytes; with less, a write that fails failed for want of room."""
INDEXES = ("message_index", "title_index")
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
"""SQLITE_ERROR too: sound statements fail only where a table is missing or not ours."""


class Database:
    """One connection that any thread may use; a write is durable against a killed process when it returns."""

    def __init__(self, path: Path | None) -> None:
        """Open or make the file at `path`; None keeps everything in memory. Raises StorageError."""
        self.path = path
        self._lock = threading.RLock()
        self._depth = 0
        self._is_closed = False
        with self._translated():
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path if path is not None else ":memory:", check_same_thread=False, isolation_level=None
            )
        try:
            with self._translated():
                self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        connection = self._connection
        connection.row_factory = sqlite3.Row
        connection.create_function("grams", 1, grams, deterministic=True)
        connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        if check(connection) == 0:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        for pragma in (
            "journal_mode = WAL",
            "synchronous = NORMAL",
            "foreign_keys = ON",
            "recursive_triggers = ON",
            # The search triggers call grams(), which a build with untrusted schemas would refuse.
            "trusted_schema = ON",
            # A deleted chat must not be readable in the file's free pages.
            "secure_delete = FAST",
            "temp_store = MEMORY",
        ):
            connection.execute(f"PRAGMA {pragma}")
        migrate(connection)

    def replace_with(self, source: sqlite3.Connection) -> None:
        """Become a copy of another database, brought up to date. Raises StorageError."""
        with self.locked() as connection:
            source.backup(connection)
            self._prepare()

    def copy_to(self, target: Path) -> None:
        """Write a copy as it is now; it appears under its name when it is complete. Raises StorageError."""
        unfinished = target.with_name(f".{target.name}.part")
        try:
            unfinished.unlink(missing_ok=True)
            with contextlib.closing(sqlite3.connect(unfinished)) as copy:
                with self.locked() as connection:
                    connection.backup(copy)
                # A single file: the copy must not need a log beside it.
                copy.execute("PRAGMA journal_mode = DELETE")
            unfinished.replace(target)
        except OSError as error:
            raise _unwritable(target, reason_of(error)) from error
        except sqlite3.Error as error:
            raise storage_error(error, target) from error
        finally:
            with contextlib.suppress(OSError):
                unfinished.unlink(missing_ok=True)

    def is_sound(self) -> bool:
        """Read every page and say whether all is well."""
        try:
            return bool(self.rows("PRAGMA quick_check(1)")[0][0] == "ok")
        except StorageError:
            return False

    def is_index_sound(self) -> bool:
        """Read the search index and say whether all is well."""
        try:
            for index in INDEXES:
                self.write(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
        except StorageError:
            return False
        return True

    def rebuild_index(self) -> None:
        """Make the search index anew from the messages and titles. Raises StorageError."""
        with self.transaction() as connection:
            for index in INDEXES:
                connection.execute(f"INSERT INTO {index} ({index}) VALUES ('delete-all')")
            connection.execute(
                "INSERT INTO message_index (rowid, body) "
                "SELECT number, grams(content) FROM messages WHERE state <> 'streaming'"
            )
            connection.execute("INSERT INTO title_index (rowid, title) SELECT number, grams(title) FROM chats")

    @contextlib.contextmanager
    def locked(self) -> Iterator[sqlite3.Connection]:
        """The connection for this thread alone. Raises StorageError for what SQLite reports."""
        with self._lock, self._translated():
            if self._is_closed:
                raise StorageError(Code.READ_ONLY, "The chats are closed.", "Start Firstlight again.")
            yield self._connection

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; one inside another belongs to the outer. Raises StorageError."""
        with self.locked() as connection:
            if self._depth:
                yield connection
                return
            connection.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            finally:
                self._depth -= 1

    def rows(self, sql: str, *values: object) -> list[Any]:
        """All rows of a query. Raises StorageError."""
        with self.locked() as connection:
            return connection.execute(sql, values).fetchall()

    def row(self, sql: str, *values: object) -> Any | None:
        """The first row of a query, or None. Raises StorageError."""
        with self.locked() as connection:
            return connection.execute(sql, values).fetchone()

    def write(self, sql: str, *values: object) -> int:
        """Carry out one statement; returns how many rows it changed. Raises StorageError."""
        with self.transaction() as connection:
            return connection.execute(sql, values).rowcount

    def write_many(self, sql: str, values: Sequence[Sequence[object]]) -> None:
        """Carry out one statement for each sequence of values. Raises StorageError."""
        with self.transaction() as connection:
            connection.executemany(sql, values)

    def close(self) -> None:
        """Write everything into the main file and let go of it. May be called twice."""
        with self._lock:
            self._is_closed = True
            self._connection.close()

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            translated = storage_error(error, self.path)
            if translated.code is Code.CHATS_DAMAGED and self.path is not None:
                with contextlib.suppress(OSError):
                    damage_mark(self.path).touch()
            raise translated from error
        except OSError as error:
            raise _unwritable(self.path, reason_of(error)) from error


def damage_mark(path: Path) -> Path:
    """The file beside the database whose presence asks the next start to check it."""
    return path.with_name(f"{path.name}.damaged")


def storage_error(error: sqlite3.Error, path: Path | None) -> StorageError:
    """The sentence for what SQLite reports about the chats at `path`. Raises `error` itself where we are at fault."""
    # The low byte is the kind; the rest says where it was noticed.
    kind = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISUSE) & 0xFF
    if kind == sqlite3.SQLITE_MISUSE:
        raise error
    # Where not even the log beside the file can be made, SQLite speaks of input and output.
    is_stuck = kind in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and path is not None and _is_full(path.parent)
    if kind == sqlite3.SQLITE_FULL or is_stuck:
        place = path.parent if path is not None else "memory"
        return StorageError(
            Code.DISK_FULL,
            "The disk is full: the chats in {place} cannot be saved.",
            "Free some space; the text on the screen is still there to be copied.",
            place=place,
        )
    if kind in _DAMAGE:
        return StorageError(
            Code.CHATS_DAMAGED,
            "The chats in {path} are damaged ({error}).",
            "Start Firstlight again: it keeps the damaged file aside and recovers what can be read.",
            path=path,
            error=error,
        )
    if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StorageError(
            Code.CHATS_BUSY,
            "The chats in {path} are in use by another program.",
            "Close the other window of Firstlight, or the program that copies the file, and try again.",
            path=path,
        )
    if kind == sqlite3.SQLITE_CONSTRAINT:
        return StorageError(
            Code.BAD_REQUEST,
            "This does not fit the other chats ({error}).",
            "It may have been deleted meanwhile.",
            error=error,
        )
    return _unwritable(path, str(error))


def _is_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _LEAST_FREE
    except OSError:
        return False


def _unwritable(path: Path | None, why: Translatable) -> StorageError:
    place = path.parent if path is not None else "memory"
    return StorageError(
        Code.READ_ONLY,
        "The chats in {place} cannot be saved ({reason}).",
        "Check the folder's permissions, or set FIRSTLIGHT_HOME to another folder.",
        place=place,
        reason=why,
    )
