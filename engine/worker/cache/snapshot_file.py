"""A snapshot's file: a fixed prefix, a JSON header, the tokens, llama.cpp's state, and checkpoints of it.

It is written beside its final name and renamed, so that a reader sees all of it or nothing; a checksum takes the place
of fsync, because a lost snapshot costs a prefill and nothing else.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from engine.worker.cache.generated_token_cache import GeneratedAnswer
from engine.worker.cache.slots import Checkpoint

FORMAT_VERSION = 2
SUFFIX = ".kv"
_MAGIC = b"FLKV"
_PREFIX = struct.Struct("<4sIQ")


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """What must be equal for a state to fit into a context."""

    fingerprint: str
    type_k: str
    type_v: str
    flash_attn: bool
    swa_full: bool = False
    engine: str = ""
    """llama.cpp's version: the layout of a state may change between two."""


class SnapshotHeader(msgspec.Struct, frozen=True, kw_only=True):
    """What a file says about itself."""

    identity: Identity
    adapter: str
    chat_id: str
    n_tokens: int
    tokens_hash: str
    state_bytes: int
    checksum: int
    answers: tuple[GeneratedAnswer, ...] = ()
    checkpoints: tuple[tuple[int, int], ...] = ()
    """Number of tokens and bytes of each, in the order of the file."""

    @property
    def saved_bytes(self) -> int:
        return self.state_bytes + sum(size for _, size in self.checkpoints)


@dataclass(frozen=True, slots=True)
class SavedState:
    """llama.cpp's state of a sequence, with the checkpoints that a cache needs that cannot be cut."""

    whole: bytearray
    checkpoints: tuple[Checkpoint, ...] = ()

    @property
    def size_bytes(self) -> int:
        return sum(len(part) for part in self.parts)

    @property
    def parts(self) -> tuple[bytearray, ...]:
        return self.whole, *(checkpoint.state for checkpoint in self.checkpoints)

    @property
    def checksum(self) -> int:
        value = 0
        for part in self.parts:
            value = zlib.crc32(part, value)
        return value


def chat_hash(chat_id: str) -> str:
    """The part of a snapshot's file name that stands for its chat, so that a chat's files are found without a model."""
    return hashlib.sha256(chat_id.encode()).hexdigest()[:16]


def tokens_hash(tokens: Sequence[int]) -> str:
    return hashlib.sha256(array("i", tokens).tobytes()).hexdigest()[:16]


def file_name(chat_id: str, tokens: Sequence[int], adapter: str = "") -> str:
    """One for each chat, sequence and adapter: the same tokens have another state with another adapter."""
    own = f"-{chat_hash(adapter)}" if adapter else ""
    return f"{chat_hash(chat_id)}-{tokens_hash(tokens)}{own}{SUFFIX}"


def file_front(
    identity: Identity,
    tokens: Sequence[int],
    saved: SavedState,
    *,
    chat_id: str,
    adapter: str = "",
    answers: Sequence[GeneratedAnswer] = (),
) -> bytes:
    """All that stands before the state."""
    header = msgspec.json.encode(
        SnapshotHeader(
            identity=identity,
            adapter=adapter,
            chat_id=chat_id,
            n_tokens=len(tokens),
            tokens_hash=tokens_hash(tokens),
            state_bytes=len(saved.whole),
            checksum=saved.checksum,
            answers=tuple(answers),
            checkpoints=tuple((c.n_tokens, len(c.state)) for c in saved.checkpoints),
        )
    )
    return _PREFIX.pack(_MAGIC, FORMAT_VERSION, len(header)) + header + array("i", tokens).tobytes()


def write_file(path: Path, front: bytes, saved: SavedState) -> None:
    """Write a snapshot readable by its owner only, whole or not at all. Raises OSError."""
    partial = path.with_suffix(f".{os.getpid()}.part")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(front)
            for part in saved.parts:
                file.write(part)
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def read_header(path: Path, identity: Identity) -> tuple[SnapshotHeader, list[int]]:
    """Header and tokens of a file. Raises ValueError with the reason when it is bad or foreign, and OSError."""
    with path.open("rb") as file:
        return _read_front(file, identity)


def read_saved(path: Path, identity: Identity) -> SavedState:
    """The state in a file, checked against its checksum. Raises ValueError and OSError like read_header."""
    with path.open("rb") as file:
        header, _ = _read_front(file, identity)
        whole = _read_part(file, header.state_bytes)
        saved = SavedState(whole, tuple(Checkpoint(n, _read_part(file, size)) for n, size in header.checkpoints))
    if saved.checksum != header.checksum:
        raise ValueError("its checksum is wrong")
    return saved


def _read_front(file: BinaryIO, identity: Identity) -> tuple[SnapshotHeader, list[int]]:
    prefix = file.read(_PREFIX.size)
    if len(prefix) < _PREFIX.size or prefix[:4] != _MAGIC:
        raise ValueError("it is not a snapshot")
    _, version, length = _PREFIX.unpack(prefix)
    if version != FORMAT_VERSION:
        raise ValueError(f"it has format {version}, not {FORMAT_VERSION}")
    size = os.fstat(file.fileno()).st_size
    if length > size:
        raise ValueError("it is cut short")
    try:
        header = msgspec.json.decode(file.read(length), type=SnapshotHeader)
    except msgspec.DecodeError as error:
        raise ValueError("its header is damaged") from error
    if header.identity != identity:
        raise ValueError("it was made with another model, cache type or engine")
    if size != _PREFIX.size + length + 4 * header.n_tokens + header.saved_bytes:
        raise ValueError("it is cut short")
    tokens = array("i")
    tokens.frombytes(file.read(4 * header.n_tokens))
    if tokens_hash(tokens) != header.tokens_hash:
        raise ValueError("its tokens are damaged")
    return header, tokens.tolist()


def _read_part(file: BinaryIO, size: int) -> bytearray:
    data = bytearray(size)
    if file.readinto(data) != size:  # type: ignore[attr-defined]
        raise ValueError("it is cut short")
    return data
