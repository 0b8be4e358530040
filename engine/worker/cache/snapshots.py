"""KV snapshots: states of sequences kept beyond their slot, first in memory, then on disk.

A file is `<folder>/<model fingerprint>/<hash of chat id>-<hash of tokens>.kv`; what is in it says snapshot_file.py.
"""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from engine.metrics import CacheSource
from engine.worker.cache.generated_token_cache import GeneratedAnswer
from engine.worker.cache.snapshot_file import (
    SUFFIX,
    Identity,
    SavedState,
    chat_hash,
    file_front,
    file_name,
    read_header,
    read_saved,
    write_file,
)

_STALE_SECONDS = 3600.0
"""After this long a half-written file is what a killed process left behind."""


@dataclass(eq=False)
class Snapshot:
    """One saved sequence; `saved` is None while it is only on disk."""

    tokens: list[int]
    chat_id: str
    adapter: str
    saved: SavedState | None = None
    checkpoints: tuple[int, ...] = ()
    """Numbers of tokens that it can be cut back to, where the cache cannot be cut anywhere."""
    path: Path | None = None
    answers: tuple[GeneratedAnswer, ...] = ()
    size_bytes: int = 0
    source: CacheSource = field(default=CacheSource.MEMORY)
    is_queued: bool = False
    """It waits to be written: until then it must stay in memory."""


class SnapshotStore:
    """Snapshots of one model under one identity. Files are written by a thread of its own."""

    def __init__(self, identity: Identity, folder: Path | None, memory_budget: int, disk_budget: int) -> None:
        self._identity = identity
        self._folder = folder / identity.fingerprint if folder else None
        self._root = folder
        self._memory_budget = memory_budget
        self._disk_budget = disk_budget
        self._snapshots: OrderedDict[int, Snapshot] = OrderedDict()
        """Least recently used first."""
        self._lock = threading.Lock()
        self._jobs: queue.SimpleQueue[Snapshot | None] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None
        self.refusals: dict[str, str] = {}
        """Why files of a chat were ignored, by chat hash."""
        if self._folder:
            self._read_index()

    @property
    def has_disk(self) -> bool:
        return self._folder is not None

    def can_hold(self, size_bytes: int) -> bool:
        """Whether a state of this size may stay in memory beside others."""
        return size_bytes <= self._memory_budget // 4

    def snapshots(self, adapter: str) -> list[Snapshot]:
        """Every snapshot made with this adapter, least recently used first."""
        with self._lock:
            return [s for s in self._snapshots.values() if s.adapter == adapter]

    def answers(self) -> Iterable[GeneratedAnswer]:
        """The answers that the snapshots on disk carry."""
        with self._lock:
            return [answer for s in self._snapshots.values() for answer in s.answers]

    def put(
        self,
        tokens: list[int],
        saved: SavedState,
        *,
        chat_id: str = "",
        adapter: str = "",
        answers: tuple[GeneratedAnswer, ...] = (),
    ) -> None:
        """Keep a sequence's state; those of the same chat that it extends are dropped. Chats also go to disk."""
        made = Snapshot(tokens, chat_id, adapter, saved, _marks(saved), answers=answers, size_bytes=saved.size_bytes)
        made.is_queued = bool(chat_id and self._folder) and made.size_bytes <= self._disk_budget
        with self._lock:
            for key, old in list(self._snapshots.items()):
                if old.chat_id == chat_id and old.adapter == adapter and tokens[: len(old.tokens)] == old.tokens:
                    self._forget(key)
            self._snapshots[id(made)] = made
            self._trim_memory()
        if made.is_queued:
            self._start_writer()
            self._jobs.put(made)

    def load(self, snapshot: Snapshot) -> SavedState | None:
        """A snapshot's state, read from disk if need be; None, and the snapshot is forgotten, when it is damaged."""
        with self._lock:
            if id(snapshot) in self._snapshots:
                self._snapshots.move_to_end(id(snapshot))
            if snapshot.saved is not None:
                return snapshot.saved
        if snapshot.path is None:
            return None
        try:
            saved = read_saved(snapshot.path, self._identity)
            with contextlib.suppress(OSError):
                os.utime(snapshot.path)
            return saved
        except (OSError, ValueError) as error:
            self._refuse(snapshot.path, str(error))
            self.forget(snapshot)
            return None

    def forget(self, snapshot: Snapshot) -> None:
        with self._lock:
            self._forget(id(snapshot))

    def drop(self, chat_id: str = "") -> None:
        """Delete the snapshots of a chat, or all for an empty id, also those that were written for other settings."""
        with self._lock:
            for key, snapshot in list(self._snapshots.items()):
                if not chat_id or snapshot.chat_id == chat_id:
                    self._forget(key)
        if self._root:
            pattern = f"*/{chat_hash(chat_id)}-*{SUFFIX}" if chat_id else f"*/*{SUFFIX}"
            for path in self._root.glob(pattern):
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """Wait until everything is on disk."""
        if self._writer:
            self._jobs.put(None)
            self._writer.join()
            self._writer = None

    @property
    def memory_bytes(self) -> int:
        with self._lock:
            return sum(s.size_bytes for s in self._snapshots.values() if s.saved is not None)

    def _forget(self, key: int) -> None:
        gone = self._snapshots.pop(key, None)
        if gone and gone.path:
            gone.path.unlink(missing_ok=True)

    def _trim_memory(self) -> None:
        held = [(key, s) for key, s in self._snapshots.items() if s.saved is not None]
        total = sum(s.size_bytes for _, s in held)
        for key, snapshot in held:
            if total <= self._memory_budget:
                break
            if snapshot.is_queued:
                continue
            total -= snapshot.size_bytes
            if snapshot.path:
                snapshot.saved = None
                snapshot.source = CacheSource.DISK
            else:
                self._snapshots.pop(key)

    # Disk.

    def _start_writer(self) -> None:
        if self._writer is None:
            self._writer = threading.Thread(target=self._write_all, name="snapshots", daemon=True)
            self._writer.start()

    def _write_all(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                self._write(job)
            except (OSError, MemoryError) as error:
                sys.stderr.write(f"A KV snapshot could not be written: {error}.\n")
            with self._lock:
                job.is_queued = False
                self._trim_memory()

    def _write(self, snapshot: Snapshot) -> None:
        saved, folder = snapshot.saved, self._folder
        with self._lock:
            is_wanted = id(snapshot) in self._snapshots
        if saved is None or folder is None or not is_wanted:
            return
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / file_name(snapshot.chat_id, snapshot.tokens, snapshot.adapter)
        front = file_front(
            self._identity,
            snapshot.tokens,
            saved,
            chat_id=snapshot.chat_id,
            adapter=snapshot.adapter,
            answers=snapshot.answers,
        )
        self._make_room(len(front) + saved.size_bytes, path)
        write_file(path, front, saved)
        with self._lock:
            if id(snapshot) in self._snapshots:
                snapshot.path = path
                return
        path.unlink(missing_ok=True)

    def _make_room(self, size: int, target: Path) -> None:
        """Delete the files that were not used for longest, of any model, until `size` more bytes fit."""
        assert self._root is not None
        for path in self._root.glob("*/*.part"):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > _STALE_SECONDS:
                    path.unlink()
        files = [file for file in _by_age(self._root.glob(f"*/*{SUFFIX}")) if file[2] != target]
        total = sum(file_size for _, file_size, _ in files) + size
        for _, file_size, path in files:
            if total <= self._disk_budget:
                break
            total -= file_size
            with self._lock:
                for key, snapshot in list(self._snapshots.items()):
                    if snapshot.path == path:
                        snapshot.path = None
                        if snapshot.saved is None:
                            self._snapshots.pop(key)
            path.unlink(missing_ok=True)

    def _read_index(self) -> None:
        assert self._folder is not None
        for _, _, path in _by_age(self._folder.glob(f"*{SUFFIX}")):
            try:
                header, tokens = read_header(path, self._identity)
            except (OSError, ValueError) as error:
                self._refuse(path, str(error))
                continue
            made = Snapshot(
                tokens,
                header.chat_id,
                header.adapter,
                checkpoints=tuple(n_tokens for n_tokens, _ in header.checkpoints),
                path=path,
                answers=header.answers,
                size_bytes=header.saved_bytes,
                source=CacheSource.DISK,
            )
            self._snapshots[id(made)] = made

    def _refuse(self, path: Path, reason: str) -> None:
        self.refusals[path.name.split("-")[0]] = reason
        sys.stderr.write(f"KV snapshot {path.name} is ignored: {reason}.\n")


def _marks(saved: SavedState) -> tuple[int, ...]:
    return tuple(checkpoint.n_tokens for checkpoint in saved.checkpoints)


def _by_age(paths: Iterable[Path]) -> list[tuple[float, int, Path]]:
    """Time of the last use, size, and path, oldest first; what another process deletes meanwhile is left out."""
    found = []
    for path in paths:
        with contextlib.suppress(OSError):
            stat = path.stat()
            found.append((stat.st_mtime, stat.st_size, path))
    return sorted(found)
