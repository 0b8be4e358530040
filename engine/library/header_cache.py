"""What was read from GGUF headers, by path, size and time, so that a second scan reads no file."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from engine.errors import StorageError
from engine.files import read_json, write_atomically
from engine.translatable import Translatable

_log = logging.getLogger(__name__)
_VERSION = 2


class Facts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the library shows of a model file."""

    kind: str = "chat"
    problem: Translatable = ""
    """Why it cannot be used, in one sentence; empty when it can."""
    architecture: str = ""
    title: str = ""
    quantization: str = ""
    bits_per_weight: float | None = None
    tensor_mix: dict[str, int] = {}
    n_params: int = 0
    n_ctx_train: int = 0
    traits: Translatable = ""
    licence: str = ""


class _Entry(msgspec.Struct, frozen=True):
    stamp: tuple[tuple[int, int], ...]
    facts: Facts


class _File(msgspec.Struct, frozen=True):
    version: int
    entries: dict[str, _Entry]


class HeaderCache:
    """Facts by path; an entry counts while every part's size and modification time are as they were."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: dict[str, _Entry] = {}
        self._is_changed = False
        stored = read_json(path, _File)
        if stored is not None and stored.version == _VERSION:
            self._entries = stored.entries

    def get(self, files: tuple[Path, ...], stamp: tuple[tuple[int, int], ...]) -> Facts | None:
        entry = self._entries.get(str(files[0]))
        return entry.facts if entry is not None and entry.stamp == stamp else None

    def put(self, files: tuple[Path, ...], stamp: tuple[tuple[int, int], ...], facts: Facts) -> None:
        self._entries[str(files[0])] = _Entry(stamp, facts)
        self._is_changed = True

    def save(self) -> None:
        """Write it when it changed. It is only a cache: a full disk costs time, not data."""
        if not self._is_changed:
            return
        try:
            write_atomically(self._path, msgspec.json.encode(_File(_VERSION, self._entries)))
            self._is_changed = False
        except StorageError as error:
            _log.warning("the header cache was not saved: %s", error)


def stamp_of(files: tuple[Path, ...]) -> tuple[tuple[int, int], ...]:
    """Size and modification time in ns of each file. Raises OSError."""
    return tuple((status.st_size, status.st_mtime_ns) for status in (path.stat() for path in files))
