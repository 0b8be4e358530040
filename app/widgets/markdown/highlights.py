"""Syntax colours by Pygments: worked out between events in bounded slices, kept for what was shown lately."""

from __future__ import annotations

import functools
import itertools
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound
from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

MAX_CHARACTERS = 400_000
"""Longer code stays plain."""
MAX_CACHED = 200
_SLICE_MS = 4
_TOKENS_PER_BATCH = 64
_PLAIN = frozenset({"", "text", "txt", "plain", "plaintext", "none", "output", "console-output"})
_KINDS: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "comment"),
    (Keyword, "keyword"),
    (Operator.Word, "keyword"),
    (Name.Tag, "keyword"),
    (String, "string"),
    (Number, "number"),
    (Name.Function, "number"),
    (Name.Class, "number"),
    (Name.Decorator, "number"),
    (Name.Attribute, "number"),
)

Run = tuple[int, int, str]
"""Start, length and kind (keyword, string, number or comment) of coloured characters of a line."""


@dataclass(slots=True)
class _Job:
    """Code that is being coloured, token by token."""

    tokens: Iterator[tuple[int, _TokenType, str]]
    lines: list[list[Run]] = field(default_factory=lambda: [[]])
    column: int = 0

    def take(self, kind: str, text: str) -> None:
        """Add one token, which may span lines."""
        for index, piece in enumerate(text.split("\n")):
            if index:
                self.lines.append([])
                self.column = 0
            if kind and piece:
                self.lines[-1].append((self.column, len(piece), kind))
            self.column += len(piece)


class HighlightBook(QObject):
    """Coloured runs of code by language and text.

    Signals:
        coloured(): some code that was asked for has its colours now.
    """

    coloured = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._done: OrderedDict[tuple[str, str], list[list[Run]]] = OrderedDict()
        self._jobs: OrderedDict[tuple[str, str], _Job | None] = OrderedDict()
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._work)

    def lines(self, language: str, text: str) -> list[list[Run]] | None:
        """The runs of each line, or None while they are worked out or when the language is unknown."""
        key = (language, text)
        if key in self._done:
            self._done.move_to_end(key)
            return self._done[key]
        if key not in self._jobs and language and len(text) <= MAX_CHARACTERS:
            self._jobs[key] = None
            self._timer.start()
        return None

    def is_done(self, language: str, text: str) -> bool:
        """Whether the runs are there; asks for nothing."""
        return (language, text) in self._done

    def finish(self) -> None:
        """Colour everything that was asked for now."""
        if self._jobs:
            self._colour_for(float("inf"))

    def _work(self) -> None:
        self._colour_for(_SLICE_MS)

    def _colour_for(self, budget_ms: float) -> None:
        clock = QElapsedTimer()
        clock.start()
        has_finished = False
        while self._jobs and clock.elapsed() < budget_ms:
            key = next(reversed(self._jobs))  # What was asked for last is what is looked at now.
            job = self._jobs[key]
            if job is None:
                lexer = lexer_for(key[0])
                job = self._jobs[key] = _Job(iter(()) if lexer is None else lexer.get_tokens_unprocessed(key[1]))
            batch = list(itertools.islice(job.tokens, _TOKENS_PER_BATCH))
            for _, token, text in batch:
                job.take(_kind(token), text)
            if len(batch) < _TOKENS_PER_BATCH:
                del self._jobs[key]
                self._keep(key, job.lines)
                has_finished = True
        if not self._jobs:
            self._timer.stop()
        if has_finished:
            self.coloured.emit()

    def _keep(self, key: tuple[str, str], lines: list[list[Run]]) -> None:
        self._done[key] = lines
        while len(self._done) > MAX_CACHED:
            self._done.popitem(last=False)


@functools.lru_cache(maxsize=512)
def _kind(token: _TokenType) -> str:
    return next((kind for family, kind in _KINDS if token[: len(family)] == family), "")


@functools.lru_cache(maxsize=128)
def lexer_for(language: str) -> Lexer | None:
    """The lexer whose own alias is exactly `language`; None for plain text and for what nobody knows."""
    name = language.strip().lower()
    if name in _PLAIN:
        return None
    try:
        return get_lexer_by_name(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
