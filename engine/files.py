"""Writing files: atomically, and with a sentence where the disk is full or the folder read-only."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path

from engine.errors import Code, StorageError
from engine.translatable import reason_of


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
