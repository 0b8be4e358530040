"""What crosses the border between the window and the process that colours code."""

from __future__ import annotations

import msgspec

PLAIN = " "
KINDS = {"k": "keyword", "s": "string", "n": "number", "c": "comment"}
"""The answer names the kind of each character by a letter, or PLAIN; it is as long as the text, or empty."""


class Snippet(msgspec.Struct, frozen=True):
    """Code that is to be coloured."""

    language: str
    text: str
