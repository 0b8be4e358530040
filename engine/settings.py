"""The settings and their file, which is written atomically; the folders where things lie are in engine/folders.py."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path

import msgspec

from engine.errors import Code, StorageError
from engine.folders import APP_NAME as APP_NAME  # noqa: PLC0414 - whoever reads settings wants the folders too
from engine.folders import Folders as Folders  # noqa: PLC0414
from engine.folders import folders as folders  # noqa: PLC0414
from engine.protocol.settings_values import (
    DEFAULT_PRESET,
    Api,
    General,
    Models,
    Performance,
    Preset,
    PromptTemplate,
    Settings,
    Thresholds,
)
from engine.translatable import Translatable, reason_of, sentence


def load_settings(path: Path) -> tuple[Settings, Translatable]:
    """The settings and, when the file was unreadable, a sentence about where it was kept aside."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return Settings(), ""
    except OSError as error:
        return Settings(), sentence(
            "The settings could not be read ({reason}); defaults are used.", reason=reason_of(error)
        )
    try:
        return msgspec.json.decode(raw, type=Settings), ""
    except (msgspec.DecodeError, UnicodeDecodeError):
        aside = path.with_suffix(".damaged.json")
        with contextlib.suppress(OSError):
            path.replace(aside)
        return Settings(), sentence(
            "The settings file was damaged and is kept as {name}; defaults are used.", name=aside.name
        )


def save_settings(settings: Settings, path: Path) -> None:
    """Save atomically, readable only by the user. Raises StorageError."""
    write_atomically(path, msgspec.json.format(msgspec.json.encode(settings), indent=2))


def write_atomically(path: Path, content: bytes) -> None:
    """Write a private file so that it is either the old or the new one, also after a power cut.

    Raises StorageError with a sentence that names the folder.
    """
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)  # noqa: PTH105
    except OSError as error:
        if temporary:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        raise storage_error(error, path.parent) from error


def storage_error(error: OSError, place: Path) -> StorageError:
    """The sentence for a failed write into `place`."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageError(
            Code.DISK_FULL,
            "The disk is full: {place} cannot be written.",
            "Free some space and try again.",
            place=place,
        )
    return StorageError(
        Code.READ_ONLY,
        "The folder {place} cannot be written ({reason}).",
        "Check its permissions, or set FIRSTLIGHT_HOME to another folder.",
        place=place,
        reason=reason_of(error),
    )


__all__ = [
    "APP_NAME", "DEFAULT_PRESET", "Api", "Folders", "General", "Models", "Performance", "Preset", "PromptTemplate",
    "Settings", "Thresholds", "folders", "load_settings", "save_settings", "storage_error", "write_atomically",
]  # fmt: skip
