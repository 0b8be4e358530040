"""Syntax colours of code: worked out once by a helper process, kept for what was shown lately."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import msgspec
from PySide6.QtCore import QObject

from app.markdown.helper_process import HelperProcess
from app.markdown.helper_protocol import KINDS, PLAIN, Snippet

MAX_CHARACTERS = 400_000
"""Longer code stays plain."""
MAX_CACHED = 200
PATIENCE_MS = 20_000
"""Code that takes longer stays plain."""
_PLAIN_NAMES = frozenset({"", "text", "txt", "plain", "plaintext", "none", "output", "console-output"})

Run = tuple[int, int, str]
"""Start, length and kind (keyword, string, number or comment) of coloured characters."""


class HighlightCache(HelperProcess[Snippet, str]):
    """Letters that give the colours of code, by its language and text."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            "app.markdown.highlighter_process", _letters, max_kept=MAX_CACHED, patience_ms=PATIENCE_MS, parent=parent
        )

    def letters(self, language: str, text: str) -> str | None:
        """A letter of `KINDS`, or PLAIN, for each character, empty when all are plain; None while it is worked out."""
        if len(text) > MAX_CHARACTERS or language.strip().lower() in _PLAIN_NAMES:
            return ""
        return self.answer(Snippet(language, text))


def _letters(line: bytes | None) -> str:
    return "" if line is None else msgspec.json.decode(line, type=str)


def runs_of(letters: str) -> Iterator[Run]:
    """The coloured runs of some letters."""
    at = 0
    for letter, group in itertools.groupby(letters):
        length = sum(1 for _ in group)
        if letter != PLAIN:
            yield at, length, KINDS[letter]
        at += length
