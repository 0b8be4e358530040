"""What crosses the border between the window and the process that typesets formulas."""

from __future__ import annotations

import msgspec

REFERENCE_SIZE = 100.0
"""Pixels of the font size at which outlines are made."""
MAX_LATEX = 4_000
"""Longer formulas are shown as their source."""

Step = tuple[str, tuple[float, ...]]
"""One step of an outline: M, L, Q, C or Z with its coordinates."""


class Request(msgspec.Struct, frozen=True):
    """A formula to be set."""

    latex: str
    is_display: bool


class Shape(msgspec.Struct, frozen=True):
    """Outlines of one colour; an empty colour takes the text's."""

    color: str
    steps: list[Step]


class Glyphs(msgspec.Struct, frozen=True, omit_defaults=True):
    """A typeset formula at REFERENCE_SIZE; its baseline is at y = 0. Without shapes it could not be set."""

    shapes: list[Shape] = []
    width: float = 0.0
    ascent: float = 0.0
    descent: float = 0.0
