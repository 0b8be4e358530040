"""One process at a time works on a download: a lock file whose lock ends with its process, however that ends."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from engine.files import writing_to

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_log = logging.getLogger(__name__)

INTERVAL = 0.5
"""Seconds between two looks at a lock of another process."""


@contextlib.asynccontextmanager
async def locked(path: Path) -> AsyncIterator[bool]:
    """Hold the lock file `path`, and wait for it while another process does. Yields whether it had to wait.

    Raises StorageError where no file can be made there.
    """
    has_waited = False
    while (handle := _take(path)) is None:
        has_waited = True
        await asyncio.sleep(INTERVAL)
    try:
        yield has_waited
    finally:
        _give_back(path, handle)


def is_locked(path: Path) -> bool:
    """Whether somebody holds the lock file `path` now. Raises StorageError."""
    if not path.exists():
        return False
    if (handle := _take(path)) is not None:
        _give_back(path, handle)
    return handle is None


def _give_back(path: Path, handle: int) -> None:
    # Unlinked while it is held, where the system allows that, so that nobody waits for a file that is gone.
    with contextlib.suppress(OSError):
        path.unlink()
    os.close(handle)
    if sys.platform == "win32":
        with contextlib.suppress(OSError):
            path.unlink()


def _take(path: Path) -> int | None:
    with writing_to(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    if _lock(handle) and _is_still(path, handle):
        return handle
    os.close(handle)
    return None


def _is_still(path: Path, handle: int) -> bool:
    """Whether the locked file is the one that others find, and not one that its last holder has unlinked."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


if sys.platform == "win32":

    def _lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:

    def _lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        except OSError as error:
            # Some network folders know no locks: better without one than waiting for ever.
            _log.info("no lock can be had: %s", error)
        return True
