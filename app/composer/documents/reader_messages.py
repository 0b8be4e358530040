"""What the process that reads documents answers: progress, and at the end the text or why there is none."""

from __future__ import annotations

import enum

import msgspec

MAX_CHARACTERS = 4_000_000
"""Of a document's text; reading ends at the page or paragraph where it is reached, and says so."""


class Problem(enum.StrEnum):
    """Why a document has no text for us."""

    DAMAGED = "damaged"
    ENCRYPTED = "encrypted"
    OLD_FORMAT = "old_format"
    """Word's format before 2007."""
    NO_TEXT = "no_text"
    """Pages that are pictures, or nothing at all."""
    TOO_BIG = "too_big"


class PagesRead(msgspec.Struct, frozen=True, tag="progress"):
    n_done: int
    n_total: int
    """Pages."""


class Extracted(msgspec.Struct, frozen=True, tag="extracted"):
    text: str
    pages: tuple[int, ...] = ()
    """Where each page begins in the text; empty for a document without fixed pages."""
    n_blank_pages: int = 0
    """Pages without any text: pictures, as a rule."""
    broken_pages: tuple[int, ...] = ()
    """Numbers of the pages that could not be read, counted from 1; each is empty in the text."""
    n_pages: int = 0
    """Of the whole document; more than `pages` where reading ended early."""
    is_cut: bool = False
    """The document goes on after MAX_CHARACTERS."""


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    problem: Problem


class DocumentError(Exception):
    """The document cannot be read, for a reason that the user can be told."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


Answer = PagesRead | Extracted | Refused
