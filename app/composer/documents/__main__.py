"""`python -m app.composer.documents pdf|docx FILE` writes progress, then the text or why there is none, as JSON lines.

A process of its own, because a page can take seconds and a broken file all memory, and because it can be ended.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from pathlib import Path

import msgspec

from app.composer.documents.reader_messages import Answer, DocumentError, PagesRead, Refused

MAX_MEMORY = 1_500_000_000
"""Bytes of address space, where the system has such a limit."""


def limit_resources() -> None:
    """Go after the window and the engine, and end before the machine's memory does."""
    if hasattr(os, "nice"):
        os.nice(10)
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def end_with_the_window() -> None:
    """A window that crashed can end nothing: its end of our stdin is closed then."""
    os.read(0, 1)
    os._exit(1)


def say(answer: Answer) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
    sys.stdout.buffer.flush()


def main(kind: str, path: Path) -> None:
    threading.Thread(target=end_with_the_window, daemon=True).start()
    limit_resources()
    read = getattr(importlib.import_module(f"app.composer.documents.{kind}"), f"read_{kind}")
    try:
        say(read(path, lambda n_done, n_total: say(PagesRead(n_done, n_total))))
    except DocumentError as error:
        say(Refused(error.problem))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
