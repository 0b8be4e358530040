"""What a message consists of: blocks of styled text, as plain values without Qt."""

from __future__ import annotations

import enum
from dataclasses import dataclass

BULLETS = "•◦▪"
"""Markers of unordered lists by depth."""


class Mark(enum.IntFlag):
    """How a run of text looks."""

    PLAIN = 0
    BOLD = 1
    ITALIC = 2
    CODE = 4
    STRIKE = 8
    LINK = 16
    MATH = 32
    IMAGE = 64


@dataclass(frozen=True, slots=True)
class Span:
    """A run of characters that share a look; `start` and `end` are offsets into the Inline's text."""

    start: int
    end: int
    marks: Mark
    target: str = ""
    """Where a link leads, an image's address, or a formula's LaTeX without its delimiters."""
    source: str = ""
    """What is copied and read aloud for a formula, wherever the text shows a drawing instead."""


@dataclass(frozen=True, slots=True)
class Inline:
    """One flow of text; line breaks are newlines. Characters outside every span are plain."""

    text: str
    spans: tuple[Span, ...] = ()

    def plain(self, start: int = 0, end: int | None = None) -> str:
        """The text for copying and reading aloud: a drawn formula is given by its source."""
        end = len(self.text) if end is None else end
        pieces: list[str] = []
        at = start
        for span in self.spans:
            if span.marks & Mark.MATH and span.start >= at and span.end <= end:
                pieces += self.text[at : span.start], span.source
                at = span.end
        pieces.append(self.text[at:end])
        return "".join(pieces)


@dataclass(frozen=True, slots=True)
class Indent:
    """One level of nesting around a block: a quote, or a list item with its marker."""

    is_quote: bool = False
    marker: str = ""
    is_first: bool = False
    """The block is its item's first: the marker is drawn beside it."""
    n_columns: int = 1
    """Characters of the widest marker of the list."""
    is_checked: bool | None = None
    """A task list item's box; None for other items."""


@dataclass(frozen=True, slots=True)
class Block:
    """Base of the blocks. `indents` go from the outside in."""

    indents: tuple[Indent, ...] = ()
    is_tight: bool = False
    """Follows the block before it without a paragraph's distance."""
    is_joined: bool = False
    """Goes on with the block before it: no distance at all."""


@dataclass(frozen=True, slots=True)
class Paragraph(Block):
    inline: Inline = Inline("")


@dataclass(frozen=True, slots=True)
class Heading(Block):
    inline: Inline = Inline("")
    level: int = 1


@dataclass(frozen=True, slots=True)
class CodeBlock(Block):
    """Literal text. `language` is the info string's first word, exactly as written."""

    text: str = ""
    language: str = ""
    is_closed: bool = True


@dataclass(frozen=True, slots=True)
class Formula(Block):
    """A displayed formula; `latex` is without its delimiters."""

    latex: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Picture(Block):
    """A picture that stands alone; one amid text is a link."""

    address: str = ""
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Table(Block):
    """Rows of cells; the first row is the header. `alignments` are left, right, center or empty."""

    rows: tuple[tuple[Inline, ...], ...] = ()
    alignments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule(Block):
    """A thematic break."""


def block_text(block: Block) -> str:
    """What a block says, for copying and reading aloud; without its list marker."""
    match block:
        case Paragraph(inline=inline) | Heading(inline=inline):
            return inline.plain()
        case CodeBlock(text=text):
            return text
        case Formula(source=source):
            return source
        case Picture(address=address, alt=alt):
            return alt or address
        case Table(rows=rows):
            return "\n".join("\t".join(cell.plain() for cell in row) for row in rows)
        case _:
            return ""


def lead(block: Block) -> str:
    """What stands before a block's text in a copy: its quote marks and list markers."""
    pieces = []
    for indent in block.indents:
        if indent.is_quote:
            pieces.append("> ")
        elif indent.is_first:
            box = {None: "", True: "[x] ", False: "[ ] "}[indent.is_checked]
            pieces.append(f"{'-' if indent.marker in BULLETS else indent.marker} {box}")
        else:
            pieces.append("  ")
    return "".join(pieces)


def separator(block: Block) -> str:
    """What stands between a block and the one before it in a copy."""
    return "\n" if block.is_tight else "\n\n"
