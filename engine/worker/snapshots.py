"""KV snapshots: states of sequences kept beyond their slot, first in memory, then on disk.

A file is `<folder>/<model fingerprint>/<hash of chat id>-<hash of tokens>.kv`: a fixed prefix, a JSON header, the
tokens and llama.cpp's state. It is written beside its final name and renamed, so that a reader sees all of it or
nothing; a checksum takes the place of fsync, because a lost snapshot costs a prefill and nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import queue
import struct
import sys
import threading
import zlib
from array import array
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from engine.metrics import CacheSource
from engine.worker.answers import Answer

FORMAT_VERSION = 1
_MAGIC = b"FLKV"
_PREFIX = struct.Struct("<4sIQ")
_SUFFIX = ".kv"


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """What must be equal for a state to fit into a context."""

    fingerprint: str
    type_k: str
    type_v: str
    flash_attn: bool
    swa_full: bool = False
    engine: str = ""
    """llama.cpp's version: the layout of a state may change between two."""


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What a file says about itself."""

    identity: Identity
    adapter: str
    chat_id: str
    n_tokens: int
    tokens_hash: str
    state_bytes: int
    checksum: int
    answers: tuple[tuple[str, tuple[int, ...], str, tuple[int, ...]], ...] = ()


@dataclass(eq=False)
class Snapshot:
    """One saved sequence; `state` is None while it is only on disk."""

    tokens: list[int]
    chat_id: str
    adapter: str
    state: bytearray | None = None
    path: Path | None = None
    answers: tuple[Answer, ...] = ()
    size_bytes: int = 0
    source: CacheSource = field(default=CacheSource.MEMORY)


def chat_hash(chat_id: str) -> str:
    """The part of a snapshot's file name that stands for its chat, so that a chat's files are found without a model."""
    return hashlib.sha256(chat_id.encode()).hexdigest()[:16]


def tokens_hash(tokens: Sequence[int]) -> str:
    return hashlib.sha256(array("i", tokens).tobytes()).hexdigest()[:16]


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

    def answers(self) -> Iterable[Answer]:
        """The answers that the snapshots on disk carry."""
        with self._lock:
            return [answer for s in self._snapshots.values() for answer in s.answers]

    def put(
        self,
        tokens: list[int],
        state: bytearray,
        *,
        chat_id: str = "",
        adapter: str = "",
        answers: tuple[Answer, ...] = (),
    ) -> None:
        """Keep a sequence's state; those of the same chat that it extends are dropped. Chats also go to disk."""
        made = Snapshot(tokens, chat_id, adapter, state, answers=answers, size_bytes=len(state))
        with self._lock:
            for key, old in list(self._snapshots.items()):
                if old.chat_id == chat_id and old.adapter == adapter and tokens[: len(old.tokens)] == old.tokens:
                    self._forget(key)
            self._snapshots[id(made)] = made
            self._trim_memory()
        if chat_id and self._folder:
            self._start_writer()
            self._jobs.put(made)

    def load(self, snapshot: Snapshot) -> bytearray | None:
        """A snapshot's state, read from disk if need be; None, and the snapshot is forgotten, when it is damaged."""
        with self._lock:
            if id(snapshot) in self._snapshots:
                self._snapshots.move_to_end(id(snapshot))
            if snapshot.state is not None:
                return snapshot.state
        if snapshot.path is None:
            return None
        try:
            header, _, state = read_file(snapshot.path, self._identity)
            if zlib.crc32(state) != header.checksum:
                raise ValueError("its checksum is wrong")
            with contextlib.suppress(OSError):
                os.utime(snapshot.path)
            return state
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
            pattern = f"*/{chat_hash(chat_id)}-*{_SUFFIX}" if chat_id else f"*/*{_SUFFIX}"
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
            return sum(s.size_bytes for s in self._snapshots.values() if s.state is not None)

    def _forget(self, key: int) -> None:
        gone = self._snapshots.pop(key, None)
        if gone and gone.path:
            gone.path.unlink(missing_ok=True)

    def _trim_memory(self) -> None:
        held = [(key, s) for key, s in self._snapshots.items() if s.state is not None]
        total = sum(s.size_bytes for _, s in held)
        for key, snapshot in held:
            if total <= self._memory_budget:
                break
            total -= snapshot.size_bytes
            if snapshot.path:
                snapshot.state = None
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
            except OSError as error:
                sys.stderr.write(f"A KV snapshot could not be written: {error}.\n")

    def _write(self, snapshot: Snapshot) -> None:
        state, folder = snapshot.state, self._folder
        with self._lock:
            is_wanted = id(snapshot) in self._snapshots
        if state is None or folder is None or not is_wanted:
            return
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / f"{chat_hash(snapshot.chat_id)}-{tokens_hash(snapshot.tokens)}{_SUFFIX}"
        front = file_front(self._identity, snapshot, state)
        self._make_room(len(front) + len(state), path)
        write_file(path, front, state)
        with self._lock:
            if id(snapshot) in self._snapshots:
                snapshot.path = path
                self._trim_memory()
                return
        path.unlink(missing_ok=True)

    def _make_room(self, size: int, target: Path) -> None:
        """Delete the files that were not used for longest, of any model, until `size` more bytes fit."""
        assert self._root is not None
        files = []
        for path in self._root.glob(f"*/*{_SUFFIX}"):
            with contextlib.suppress(OSError):
                stat = path.stat()
                files.append((stat.st_mtime, stat.st_size, path))
        total = sum(file_size for _, file_size, path in files if path != target) + size
        for _, file_size, path in sorted(files):
            if total <= self._disk_budget:
                break
            total -= file_size
            with self._lock:
                for key, snapshot in list(self._snapshots.items()):
                    if snapshot.path == path:
                        snapshot.path = None
                        if snapshot.state is None:
                            self._snapshots.pop(key)
            path.unlink(missing_ok=True)

    def _read_index(self) -> None:
        assert self._folder is not None
        try:
            paths = sorted(self._folder.glob(f"*{_SUFFIX}"), key=lambda path: path.stat().st_mtime)
        except OSError:
            return
        for path in paths:
            try:
                header, tokens = read_header(path, self._identity)
            except (OSError, ValueError) as error:
                self._refuse(path, str(error))
                continue
            made = Snapshot(
                tokens,
                header.chat_id,
                header.adapter,
                path=path,
                answers=tuple(Answer(*answer) for answer in header.answers),
                size_bytes=header.state_bytes,
                source=CacheSource.DISK,
            )
            self._snapshots[id(made)] = made

    def _refuse(self, path: Path, reason: str) -> None:
        self.refusals[path.name.split("-")[0]] = reason
        sys.stderr.write(f"KV snapshot {path.name} is ignored: {reason}.\n")


def file_front(identity: Identity, snapshot: Snapshot, state: bytearray) -> bytes:
    """All that stands before the state in a snapshot's file."""
    tokens = array("i", snapshot.tokens).tobytes()
    header = msgspec.json.encode(
        Header(
            identity=identity,
            adapter=snapshot.adapter,
            chat_id=snapshot.chat_id,
            n_tokens=len(snapshot.tokens),
            tokens_hash=tokens_hash(snapshot.tokens),
            state_bytes=len(state),
            checksum=zlib.crc32(state),
            answers=tuple((a.text, a.tokens, a.content, a.content_tokens) for a in snapshot.answers),
        )
    )
    return _PREFIX.pack(_MAGIC, FORMAT_VERSION, len(header)) + header + tokens


def write_file(path: Path, front: bytes, state: bytearray) -> None:
    """Write a snapshot readable by its owner only, whole or not at all. Raises OSError."""
    partial = path.with_suffix(f".{os.getpid()}.part")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(front)
            file.write(state)
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def read_header(path: Path, identity: Identity) -> tuple[Header, list[int]]:
    """Header and tokens of a file. Raises ValueError with the reason when it is bad or foreign, and OSError."""
    with path.open("rb") as file:
        prefix = file.read(_PREFIX.size)
        if len(prefix) < _PREFIX.size or prefix[:4] != _MAGIC:
            raise ValueError("it is not a snapshot")
        _, version, length = _PREFIX.unpack(prefix)
        if version != FORMAT_VERSION:
            raise ValueError(f"it has format {version}, not {FORMAT_VERSION}")
        size = path.stat().st_size
        if length > size:
            raise ValueError("it is cut short")
        try:
            header = msgspec.json.decode(file.read(length), type=Header)
        except msgspec.DecodeError as error:
            raise ValueError("its header is damaged") from error
        if header.identity != identity:
            raise ValueError("it was made with another model, cache type or engine")
        if size != _PREFIX.size + length + 4 * header.n_tokens + header.state_bytes:
            raise ValueError("it is cut short")
        tokens = array("i")
        tokens.frombytes(file.read(4 * header.n_tokens))
        if tokens_hash(tokens) != header.tokens_hash:
            raise ValueError("its tokens are damaged")
    return header, tokens.tolist()


def read_file(path: Path, identity: Identity) -> tuple[Header, list[int], bytearray]:
    """A whole snapshot; the checksum is left to the caller. Raises ValueError and OSError like read_header."""
    header, tokens = read_header(path, identity)
    state = bytearray(header.state_bytes)
    with path.open("rb") as file:
        file.seek(-header.state_bytes, os.SEEK_END)
        if file.readinto(state) != header.state_bytes:
            raise ValueError("it is cut short")
    return header, tokens, state
