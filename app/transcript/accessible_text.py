"""A message's text as one string, and where in the message each of its characters stands."""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from typing import NamedTuple

from app.markdown.laid_out_document import Position
from app.transcript.message_sections import PlacedDocument


class _Run(NamedTuple):
    """What one block says, from `start` to `end` in the whole text."""

    start: int
    end: int
    place: PlacedDocument
    block: Position


class AccessibleText:
    """The texts of `places` below each other, as they are copied: code and formulas verbatim.

    Offsets into `text` are what assistive technologies count in; positions are what documents count in.
    """

    def __init__(self, places: Iterable[PlacedDocument]) -> None:
        pieces: list[str] = []
        self._runs: list[_Run] = []
        at = 0
        for place in places:
            if not place.length:
                continue
            gap = "\n\n" if pieces else ""
            for block, before, text in place.document.written():
                start = at + len(gap) + len(before)
                pieces += gap, before, text
                gap, at = "", start + len(text)
                self._runs.append(_Run(start, at, place, block))
        self.text = "".join(pieces)

    def position(self, offset: int) -> tuple[PlacedDocument, Position] | None:
        """Where the character at `offset` stands; list markers and gaps count to the block after them."""
        if not self._runs:
            return None
        index = min(bisect.bisect_left(self._runs, offset, key=lambda run: run.end), len(self._runs) - 1)
        run = self._runs[index]
        layout = run.place.document.layout_at(run.block)
        wanted = offset - run.start
        # A drawn formula is one character of the layout, and its whole source here.
        inside = bisect.bisect_right(range(layout.length + 1), wanted, key=lambda end: len(layout.text(0, end))) - 1
        return run.place, (*run.block[:2], max(0, inside))

    def offset(self, place: PlacedDocument, position: Position) -> int:
        """The offset of a position in `place`; 0 where it is not part of the text."""
        for run in self._runs:
            if run.place is place and run.block[:2] == position[:2]:
                return run.start + len(place.document.layout_at(position).text(0, position[2]))
        return 0
