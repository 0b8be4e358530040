"""A table that is being written: rows are parsed once, so that a long one costs no more per token than a short one."""

from __future__ import annotations

from dataclasses import replace

from app.markdown.blocks import Block, Inline, Table
from app.markdown.markdown_parser import Parser


class GrowingTable:
    """Parses the text of a part that begins with a table; complete lines of it are parsed once.

    Attributes:
        index: the part that is at work.
    """

    def __init__(self, parser: Parser) -> None:
        self.index = -1
        self._parser = parser
        self._rows: tuple[tuple[Inline, ...], ...] = ()
        self._end = 0
        """Where the text of `_rows`, which are not parsed again, ends."""

    def blocks(self, index: int, text: str) -> list[Block]:
        """The blocks of `text`, which is what the last call had for this `index`, or more."""
        if index != self.index:
            self.index, self._rows, self._end = index, (), 0
        head_end = text.index("\n", text.index("\n") + 1) + 1
        at = max(head_end, self._end)
        lines = text[at:].split("\n")
        blocks = self._parser.blocks(text[:head_end] + text[at:])
        table = blocks[0] if len(blocks) == 1 else None
        if not isinstance(table, Table) or len(table.rows) != 1 + sum(not line.isspace() for line in lines if line):
            return self._parser.blocks(text)  # Something follows the table, or it is none after all.
        rows = self._rows + table.rows[1 if self._rows else 0 :]
        is_complete = not lines[-1].strip()
        self._rows, self._end = rows if is_complete else rows[:-1], len(text) - len(lines[-1])
        return [replace(table, rows=rows)]
