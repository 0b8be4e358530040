"""The list of files that we downloaded: only these may be deleted from the app."""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec

from engine.files import read_json, write_atomically

FILE_NAME = ".firstlight-downloads.json"
_changing = threading.Lock()
"""Two downloads may end at once, each in a thread of its own."""


class Downloaded(msgspec.Struct, frozen=True, kw_only=True):
    """One file that we brought, verified."""

    repo: str
    file: str
    commit: str
    sha256: str
    size_bytes: int


class Manifest:
    """The list of our downloads below one folder, by path relative to it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / FILE_NAME
        self._files = self._read()

    def get(self, path: Path) -> Downloaded | None:
        """What we know of `path`, or None when it is not ours."""
        return self._files.get(key) if (key := self._key(path)) else None

    def add(self, path: Path, downloaded: Downloaded) -> None:
        """Raises StorageError."""
        with _changing:
            self._files = self._read() | {self._key(path): downloaded}
            self._save()

    def remove(self, path: Path) -> None:
        """Raises StorageError."""
        with _changing:
            self._files = self._read()
            if self._files.pop(self._key(path), None) is not None:
                self._save()

    def _read(self) -> dict[str, Downloaded]:
        return read_json(self._path, dict[str, Downloaded]) or {}

    def _key(self, path: Path) -> str:
        """Empty outside the folder. The folder may be a link, and paths go through it or not; the file counts as is."""
        try:
            return (path.parent.resolve() / path.name).relative_to(self._folder.resolve()).as_posix()
        except ValueError:
            return ""

    def _save(self) -> None:
        write_atomically(self._path, msgspec.json.encode(self._files))
