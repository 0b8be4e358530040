"""Choosing a part of a long text: where its pages or lines begin, and how many tokens lie between two places."""

from __future__ import annotations

import bisect
import enum
import itertools
from collections.abc import Sequence

MAX_LINE = 2_000
"""Characters; a text whose lines are longer on average is cut into sections instead."""
SECTION = 400
N_PIECES = 24
"""A text is counted in so many pieces."""


class Unit(enum.Enum):
    """In what a text is cut."""

    PAGE = "page"
    LINE = "line"
    SECTION = "section"


class Cuts:
    """The places where a text can be cut; `unit` says what lies between them."""

    def __init__(self, text: str, pages: Sequence[int] = ()) -> None:
        """`pages` are the places where pages begin, for cuts between pages."""
        self.length = len(text)
        if pages:
            self.unit, self._starts = Unit.PAGE, list(pages)
            return
        lines = text.removesuffix("\n").split("\n")
        if len(text) <= MAX_LINE * len(lines):
            self.unit = Unit.LINE
            self._starts = [0, *itertools.accumulate(len(line) + 1 for line in lines[:-1])]
        else:
            self.unit, self._starts = Unit.SECTION, list(_sections(text))

    @property
    def n_units(self) -> int:
        return len(self._starts)

    def place(self, number: int) -> int:
        """Where unit `number` begins, in characters; the text's end for one past the last."""
        return self._starts[number] if number < len(self._starts) else self.length

    def unit_at(self, place: int) -> int:
        """The number of the unit that holds the character at `place`."""
        return max(0, bisect.bisect_right(self._starts, place) - 1)

    def nearest(self, place: int) -> int:
        """The number of the cut nearest to `place`, from 0 to n_units."""
        number = self.unit_at(place)
        return number if place - self.place(number) < self.place(number + 1) - place else number + 1


def _sections(text: str) -> list[int]:
    starts = [0]
    while starts[-1] + SECTION < len(text):
        space = text.find(" ", starts[-1] + SECTION, starts[-1] + 2 * SECTION)
        starts.append(space + 1 if space >= 0 else starts[-1] + SECTION)
    return [start for start in starts if start < len(text)]


class TokenCurve:
    """How many tokens lie before each place of a text: an even slope at first, exact where pieces were counted."""

    def __init__(self, length: int, n_tokens: float) -> None:
        self._places: list[int] = [0, max(1, length)]
        self._tokens: list[float] = [0.0, float(max(1, n_tokens))]

    def set_pieces(self, ends: Sequence[int], counts: Sequence[int]) -> None:
        """Take the counts of the first pieces, which end at `ends`; what follows keeps its slope."""
        length = self._places[-1]
        before = list(itertools.accumulate(counts))
        rest = self.between(ends[-1], length) if ends[-1] < length else 0.0
        self._places = [0, *ends]
        self._tokens = [0.0, *map(float, before)]
        if ends[-1] < length:
            self._places.append(length)
            self._tokens.append(before[-1] + rest)

    @property
    def total(self) -> float:
        return self._tokens[-1]

    def before(self, place: int) -> float:
        """Tokens before a place."""
        after = min(max(1, bisect.bisect_left(self._places, place)), len(self._places) - 1)
        left, right = self._places[after - 1], self._places[after]
        share = (place - left) / max(1, right - left)
        return self._tokens[after - 1] + share * (self._tokens[after] - self._tokens[after - 1])

    def between(self, start: int, end: int) -> float:
        return self.before(end) - self.before(start)


def from_beginning(cuts: Cuts, curve: TokenCurve, room: float) -> tuple[int, int]:
    """The longest part from the beginning that fits into `room` tokens, as cut numbers; one unit at least."""
    fitting = bisect.bisect_right(range(1, cuts.n_units + 1), room, key=lambda n: curve.before(cuts.place(n)))
    return 0, max(1, fitting)


def to_end(cuts: Cuts, curve: TokenCurve, room: float) -> tuple[int, int]:
    """The longest part up to the end that fits into `room` tokens; one unit at least."""
    first = bisect.bisect_left(range(cuts.n_units), -room, key=lambda n: -curve.between(cuts.place(n), cuts.length))
    return min(first, cuts.n_units - 1), cuts.n_units


def pieces(text: str) -> list[tuple[int, int]]:
    """The text in about N_PIECES pieces that end with lines, for counting."""
    size = max(2_000, -(-len(text) // N_PIECES))
    found: list[tuple[int, int]] = []
    start = 0
    while start < len(text):
        end = min(len(text), start + size)
        line = text.find("\n", end, end + size)
        end = len(text) if end == len(text) else line + 1 if line >= 0 else end
        found.append((start, end))
        start = end
    return found
