"""Whether a file that we downloaded is still, byte for byte, what the hub gave."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.errors import Code, ModelError, RequestError
from engine.files import writing_to
from engine.library.manifest import Manifest

_PIECE = 1 << 20


def verify(
    folder: Path, files: Sequence[Path], progress: Callable[[float], None], *, stop: threading.Event | None = None
) -> None:
    """Read the whole of `files` and compare their SHA-256 with the hub's. Blocks; `stop` ends it early, silently.

    Raises RequestError where no hash is known, ModelError for a file that has changed, StorageError.
    """
    manifest = Manifest(folder)
    known = [manifest.get(path) for path in files]
    total = sum(path.stat().st_size for path in files if path.exists())
    done = 0
    for path, downloaded in zip(files, known, strict=True):
        if downloaded is None or not downloaded.sha256:
            raise RequestError(
                Code.BAD_REQUEST, "{file} cannot be checked: no hash of it is known.",
                "Only what Firstlight downloaded has one.", file=path.name,
            )  # fmt: skip
        digest = hashlib.sha256()
        with writing_to(path.parent), path.open("rb") as file:
            while piece := file.read(_PIECE):
                if stop is not None and stop.is_set():
                    return
                digest.update(piece)
                done += len(piece)
                progress(done / max(1, total))
        if digest.hexdigest() != downloaded.sha256:
            raise ModelError(
                Code.MODEL_DAMAGED, "{file} is damaged: its SHA-256 is not the one that it was downloaded with.",
                "Delete it and download it again.", file=path.name,
            )  # fmt: skip
