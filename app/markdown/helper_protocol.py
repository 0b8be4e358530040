"""What crosses the border between the window and its helper processes, and the loop at their end of it.

A helper reads one request a line as JSON, and answers each with one line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TypeVar

import msgspec

PLAIN = " "
KINDS = {"k": "keyword", "s": "string", "n": "number", "c": "comment"}
"""The answer names the kind of each character by a letter, or PLAIN; it is as long as the text, or empty."""
REFERENCE_SIZE = 100.0
"""Pixels of the font size at which outlines are made."""
MAX_LATEX = 4_000
"""Longer formulas are shown as their source."""

Step = tuple[str, tuple[float, ...]]
"""One step of an outline: M, L, Q, C or Z with its coordinates."""

RequestT = TypeVar("RequestT", bound=msgspec.Struct)


class Snippet(msgspec.Struct, frozen=True):
    """Code that is to be coloured."""

    language: str
    text: str


class FormulaRequest(msgspec.Struct, frozen=True):
    """A formula to be set."""

    latex: str
    is_display: bool


class FormulaShape(msgspec.Struct, frozen=True):
    """Outlines of one colour; an empty colour takes the text's."""

    color: str
    steps: list[Step]


class Glyphs(msgspec.Struct, frozen=True, omit_defaults=True):
    """A typeset formula at REFERENCE_SIZE; its baseline is at y = 0. Without shapes it could not be set."""

    shapes: list[FormulaShape] = []
    width: float = 0.0
    ascent: float = 0.0
    descent: float = 0.0


def serve(kind: type[RequestT], answer: Callable[[RequestT], object]) -> None:
    """Answer requests of one `kind`, read and written as JSON, until the input ends."""
    if hasattr(os, "nice"):
        os.nice(10)  # The window, and the engine above all, go first.
    decoder, encoder = msgspec.json.Decoder(kind), msgspec.json.Encoder()
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(encoder.encode(answer(decoder.decode(line))) + b"\n")
        sys.stdout.buffer.flush()
