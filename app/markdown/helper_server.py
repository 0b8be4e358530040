"""The other end of a HelperProcess: one request a line, one answer a line, until the input ends with the window."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TypeVar

import msgspec

RequestT = TypeVar("RequestT", bound=msgspec.Struct)


def serve(kind: type[RequestT], answer: Callable[[RequestT], object]) -> None:
    """Answer requests of one `kind`, read and written as JSON, until the input ends."""
    if hasattr(os, "nice"):
        os.nice(10)  # The window, and the engine above all, go first.
    decoder, encoder = msgspec.json.Decoder(kind), msgspec.json.Encoder()
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(encoder.encode(answer(decoder.decode(line))) + b"\n")
        sys.stdout.buffer.flush()
