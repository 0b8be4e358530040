"""Orphaned files in our folder: parts of downloads that were given up, and the trash of removed models."""

from __future__ import annotations

import contextlib
import logging
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec

from engine.files import read_json, writing_to

_log = logging.getLogger(__name__)

QUIET = 60.0
"""Seconds without a write after which a part belongs to nobody that still runs."""


class _Wanted(msgspec.Struct, frozen=True):
    repo: str
    files: tuple[str, ...]


def orphaned_parts(folder: Path) -> list[Path]:
    """Parts of models below `folder` that belong to no download and that nobody is writing.

    The folder may be one that the user shares with a browser, whose parts are called so too.
    """
    wanted = {folder / pull.repo / f"{file}.part" for pull in _pulls(folder) for file in pull.files}
    found = (path for path in folder.rglob("*.part") if path.stem.lower().endswith(".gguf") and path.is_file())
    return sorted(path for path in found if path not in wanted and _is_quiet(path))


def remove_parts(folder: Path) -> int:
    """Delete them; returns the bytes that this gave back. Raises StorageError."""
    freed = 0
    for path in orphaned_parts(folder):
        with writing_to(path.parent), contextlib.suppress(FileNotFoundError):
            size = path.stat().st_size
            path.unlink()
            freed += size
    return freed


def trash_of(folder: Path) -> Path:
    """Where removed models lie until the trash is emptied."""
    return folder / ".firstlight-trash"


def empty_trash(folder: Path) -> int:
    """Delete what was removed for good; returns the bytes that this gave back. Raises StorageError."""
    freed, trash = size_of(trash_of(folder).rglob("*")), trash_of(folder)
    with writing_to(trash):
        if trash.exists():
            shutil.rmtree(trash)
    return freed


def size_of(paths: Iterable[Path]) -> int:
    """Bytes of those that are files."""
    total = 0
    for path in paths:
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError as error:
            _log.info("%s cannot be measured: %s", path, error)
    return total


def _pulls(folder: Path) -> list[_Wanted]:
    found = (read_json(path, _Wanted) for path in (folder / ".downloads").glob("*.json"))
    return [wanted for wanted in found if wanted is not None]


def _is_quiet(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > QUIET
    except OSError:
        return False
