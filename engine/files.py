"""Our files: written atomically or with a sentence about the disk, and read without stumbling over damage."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from engine.errors import Code, StorageError
from engine.translatable import reason_of

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


def read_json(path: Path, kind: type[_T]) -> _T | None:
    """What a file of ours holds; None where there is none, and where it cannot be read, which is logged."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        _log.warning("%s cannot be read and is taken for empty: %s", path, error)
        return None


def write_atomically(path: Path, content: bytes) -> None:
    """Write a private file so that it is either the old or the new one, also after a power cut.

    Raises StorageError with a sentence that names the folder.
    """
    with writing_to(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)  # noqa: PTH105
        except OSError:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise


@contextlib.contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """What the disk refuses inside becomes a StorageError that names `folder`."""
    try:
        yield
    except OSError as error:
        raise storage_error(error, folder) from error


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
