"""Quantizes one file in a process of its own: `python -m engine.worker --quantize SOURCE TARGET TYPE`.

Events on stdout: QuantizeProgress, then QuantizeFinished or RequestFailed. The process ends when stdin does.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import threading
import time
from collections.abc import Sequence

from engine.errors import Code, Failure
from engine.protocol.codec import encode
from engine.protocol.events import Event, QuantizeFinished, QuantizeProgress, RequestFailed
from engine.translatable import sentence
from engine.worker.llama.quantizer import FILE_TYPES, QuantizeError, quantize

PROGRESS_INTERVAL = 0.1
_NICENESS = 10


def run(arguments: Sequence[str], events: int) -> int:
    """Carry the command line out, writing events to the file descriptor `events`; returns the exit code."""
    parser = argparse.ArgumentParser(prog="engine.worker --quantize")
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("type", choices=sorted(FILE_TYPES))
    parser.add_argument("--allow-requantize", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args(arguments)
    threading.Thread(target=_end_with_stdin, name="stdin", daemon=True).start()
    if hasattr(os, "nice"):
        # An answer that runs meanwhile goes first.
        with contextlib.suppress(OSError):
            os.nice(_NICENESS)
    told = 0.0

    def tell(event: Event) -> None:
        os.write(events, encode(event))

    def tell_fraction(fraction: float) -> None:
        nonlocal told
        if (now := time.monotonic()) - told >= PROGRESS_INTERVAL:
            told = now
            tell(QuantizeProgress(fraction=fraction))

    try:
        size_bytes = quantize(
            options.source, options.target, options.type, tell_fraction,
            allow_requantize=options.allow_requantize, is_dry_run=options.dry_run,
        )  # fmt: skip
    except QuantizeError as error:
        tell(
            RequestFailed(
                failure=Failure(
                    code=Code.MODEL_UNSUPPORTED, message=sentence("llama.cpp gave up: {error}.", error=error)
                )
            )
        )
        return 1
    tell(QuantizeFinished(path=options.target, size_bytes=size_bytes))
    return 0


def _end_with_stdin() -> None:
    while os.read(0, 4096):
        pass
    os._exit(2)
