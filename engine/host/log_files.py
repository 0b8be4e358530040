"""Where the host and its workers log: a small rotating file, or nowhere when the folder cannot be written."""

from __future__ import annotations

import contextlib
import logging
import logging.handlers
from pathlib import Path

LOG_BYTES = 2 << 20
LOG_FILES = 3


def log_to(folder: Path) -> None:
    """Log to host.log in `folder`. Prompts and answers are never logged."""
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    logging.raiseExceptions = False  # A full disk is told where something is lost by it, not for each line of the log.
    handler: logging.Handler = logging.NullHandler()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(
            folder / "host.log", maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8"
        )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root.addHandler(handler)
