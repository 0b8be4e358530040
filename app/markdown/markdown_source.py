"""Markdown as a text source for documents: parts are cut as the text grows and parsed when they are asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from markdown_it.common.utils import unescapeAll

from app.markdown.blocks import Block, CodeBlock, Formula, Inline, Table
from app.markdown.helper_protocol import MAX_LATEX
from app.markdown.markdown_parser import Parser
from app.markdown.segments import Meta, Segmenter
from engine.store.exchange.fences import Fence

_DEFINITION = re.compile(r"^[ >]{0,8}\[(?:\\.|[^\]\\])+\]:", re.MULTILINE)

_LINES_PER_BLOCK = 8


class MarkdownSource:
    """A Markdown text that may still grow."""

    def __init__(self, *, is_math_on: bool = True) -> None:
        self._segmenter = Segmenter()
        self._parser = Parser(is_math_on=is_math_on)
        self._is_finished = False
        self._n_learned = 0
        self._table = GrowingTable(self._parser)
        self._is_code_open = False
        """The last part was seen to end with code in a list or a quote, of which more may come."""

    @property
    def parts(self) -> list[str]:
        return self._segmenter.parts

    def append(self, text: str) -> int:
        """Add text; returns the index of the first part that changed."""
        self._is_finished = False
        first = self._segmenter.feed(text)
        return 0 if self._learn_references(len(self.parts) - 1) else first

    def finish(self) -> int:
        """The text is complete; returns the index of the first part that this changed."""
        self._is_finished = True
        if self._learn_references(len(self.parts)):
            return 0
        return len(self.parts) - 1 if self._segmenter.is_open or self._is_code_open else len(self.parts)

    def parse(self, index: int) -> list[Block]:
        meta, text = self._segmenter.metas[index], self.parts[index]
        is_last = index == len(self.parts) - 1
        if meta.fence is not None:
            is_open = is_last and self._segmenter.is_open
            blocks: list[Block] = [
                _code(text, meta.fence, is_open=is_open, is_streaming=is_open and not self._is_finished)
            ]
        elif is_last and self._segmenter.is_formula_open and not self._is_finished:
            blocks = list(_source_of_formula(text))
        elif index == self._table.index or (is_last and self._segmenter.is_table):
            blocks = self._table.blocks(index, text)
        else:
            rest = text.lstrip(" \t") if meta.lead.endswith(" ") else text
            blocks = self._parser.blocks(meta.lead + rest, meta.list_start)
            if blocks and (meta.is_joined or meta.is_tight or meta.is_quoted or meta.n_open):
                blocks[0] = _going_on(blocks[0], meta)
            if blocks and isinstance(blocks[0], Formula) and _is_too_long(blocks[0]):
                blocks[:1] = _source_of_formula(blocks[0].source)
        if is_last:
            last = blocks[-1] if blocks and not self._is_finished else None
            self._is_code_open = isinstance(last, CodeBlock) and last.indents != () and not _ends_with_fence(text)
            if isinstance(last, CodeBlock) and self._is_code_open:
                blocks[-1] = replace(last, is_closed=False)
        # Small models end on a fence that opens nothing.
        if is_last and self._is_finished and blocks and _is_empty(blocks[-1]):
            return blocks[:-1]
        return blocks

    def _learn_references(self, n_parts: int) -> bool:
        """Take the link targets of parts that are final now; returns whether earlier parts may look different."""
        final, self._n_learned = self.parts[self._n_learned : n_parts], max(self._n_learned, n_parts)
        # Every part is looked at: a later definition must not win because an earlier one had ended the search.
        is_new = any([self._parser.learn_references(part) for part in final if _DEFINITION.search(part)])
        if is_new:
            self._table = GrowingTable(self._parser)
        return is_new


class GrowingTable:
    """A table that is being written: complete lines are parsed once, so that a long one costs no more per token.

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


def _going_on(block: Block, meta: Meta) -> Block:
    """The first block of a part that goes on with what the part before it began."""
    n_open = max(meta.n_open, meta.is_quoted)
    indents = (*(replace(indent, is_first=False) for indent in block.indents[:n_open]), *block.indents[n_open:])
    return replace(block, is_joined=meta.is_joined, is_tight=meta.is_tight, indents=indents)


def _is_too_long(block: Formula) -> bool:
    return len(block.latex) > MAX_LATEX and not block.indents


def _source_of_formula(text: str) -> Iterator[Formula]:
    """A formula that is not set, yet or at all: some lines a block, so that only the last of them changes."""
    lines = text.rstrip("\n").split("\n")
    for at in range(0, len(lines), _LINES_PER_BLOCK):
        yield Formula(source="\n".join(lines[at : at + _LINES_PER_BLOCK]), is_joined=at > 0)


def _code(text: str, fence: Fence, *, is_open: bool, is_streaming: bool) -> CodeBlock:
    """A top-level code block, without its fences; an open one ends with the text."""
    _, _, body = text.partition("\n")
    body = body.removesuffix("\n")
    if not is_open:
        body = body.rstrip("\n")
    head, _, last = body.rpartition("\n")
    looks_closed = not is_open and fence.is_closed_by(last)
    is_half_closed = is_streaming and last.strip(" ") != "" and not last.strip(" ").strip(fence.marker[0])
    if looks_closed or is_half_closed:
        body = head
    if fence.indent and body:
        body = "\n".join(_dedent(line, fence.indent) for line in body.split("\n"))
    words = unescapeAll(fence.info).split(maxsplit=1)
    return CodeBlock(text=body, language=words[0] if words else "", is_closed=not is_streaming)


def _ends_with_fence(text: str) -> bool:
    """Its last line ends code, in whatever list or quote."""
    last = text.rstrip().rpartition("\n")[2].lstrip(" \t>")
    return len(last) >= 3 and not (last.strip("`") and last.strip("~"))


def _is_empty(block: Block) -> bool:
    return isinstance(block, CodeBlock) and not block.text and not block.language


def _dedent(line: str, indent: int) -> str:
    return line[min(indent, len(line) - len(line.lstrip(" "))) :]
