"""Cuts a growing Markdown text into parts that can be parsed one by one, at places where no block spans the cut."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it.common.html_blocks import block_names

from app.markdown.open_list_items import RULE, OpenItems, goes_on
from engine.store.exchange.fences import Fence

SOFT_LIMIT = 1_200
"""A list longer than this is continued in a new part at its next item, or at an item's next paragraph."""
HARD_LIMIT = 1_500
"""A paragraph longer than this is continued in a new part at its next line, sentence or word."""
TABLE_LIMIT = 60_000
_DECIDABLE = 12
"""With so many characters of a line its kind is certain."""
_FENCE = re.compile(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_ITEM_FENCE = re.compile(r"\s*(?:(?:[-+*]|\d{1,9}[.)])\s+)?(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_ITEM = re.compile(r" {0,3}(?:[-+*]|\d{1,9}[.)])(?:\s|$)")
_DELIMITER_ROW = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_QUOTED = re.compile(
    r">(?: |(?! ))"
    r"(?! {4}|\t| {0,3}(?:[-+*]\s|\d{1,9}[.)]\s|[#><\[]|`{3}|~{3}|\${2}|\\\[|[-=_*][-=_* \t]*$))"
    r"[^|]*$"
)
"""A line of a quote that holds nothing but a paragraph's text, or nothing."""
_LITERAL_TAGS = "script|pre|style|textarea"
_RAW = (
    (re.compile(rf" {{0,3}}<(?:{_LITERAL_TAGS})(?:\s|>|$)", re.I), re.compile(rf"</(?:{_LITERAL_TAGS})>", re.I)),
    (re.compile(r" {0,3}<!--"), re.compile(r"-->")),
    (re.compile(r" {0,3}<\?"), re.compile(r"\?>")),
    (re.compile(r" {0,3}<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(r" {0,3}<![A-Za-z]"), re.compile(r">")),
)
"""HTML blocks that may hold blank lines: how they begin and end."""
_TAG = re.compile(r" {0,3}</?([A-Za-z][A-Za-z0-9]*)(?=[\s/>]|$)")
RAW_LIMIT = 12_000
"""An HTML block that has not ended by then is taken for ordinary text."""


@dataclass(frozen=True, slots=True)
class Meta:
    """What must be known about a part beside its text."""

    fence: Fence | None = None
    """Set when the part is one code block."""
    list_start: int | None = None
    """Number of its first item, when it goes on with a list."""
    is_joined: bool = False
    """It goes on with the paragraph before it."""
    is_tight: bool = False
    """It goes on with a tight list."""
    is_quoted: bool = False
    """It goes on with a quote."""
    lead: str = ""
    """What its first line would begin with, had it not been cut."""
    n_open: int = 0
    """It goes on inside as many list items, which the lead opens again."""


class Segmenter:
    """Takes text in any pieces; all parts but the last are final.

    Attributes:
        parts: the text, cut.
        metas: one for each part.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.metas: list[Meta] = []
        self._rest = ""
        self._done = ""
        self._is_begun = False
        self._is_ended = True
        self._is_blank = True
        self._is_cut = False
        """The line began in an earlier part."""
        self._in_list = False
        self._items = OpenItems()
        self._is_table = False
        self._is_quote = False
        self._depth = 0
        self._item_fence: Fence | None = None
        self._math_end = ""
        self._raw_end: re.Pattern[str] | None = None
        self._is_html = False
        self._n_lines = 0

    def feed(self, text: str) -> int:
        """Add text; returns the index of the first part that changed."""
        first = max(0, len(self.parts) - 1)
        *lines, rest = (self._rest + text).split("\n")
        for line in lines:
            self._rest = line
            if len(line) > HARD_LIMIT // 2:
                self._look_at_rest()
            self._take(self._rest)
            self._is_begun = self._is_cut = False
        self._rest = rest
        self._look_at_rest()
        if self.parts:
            self.parts[-1] = self._done + self._rest
        elif self._rest:
            self._begin(Meta())
            self.parts[-1] = self._rest
        return first

    def _look_at_rest(self) -> None:
        """Begin the part that the line belongs to as soon as that is certain, and cut the line where it is too long."""
        if self._is_ended and self._rest.strip():
            self._begin(Meta())  # Whatever it turns out to be, it is not part of the code block that has ended.
        if len(self._rest) >= _DECIDABLE and not self._is_begun and not self._is_code_next(self._rest):
            self._begin_if_needed(self._rest)
            self._is_begun = True
        self._split_long_line()

    def _is_code_next(self, line: str) -> bool:
        """`line` is, or opens, part of a code block, which is only known when it is complete."""
        is_inside = self._meta.fence is not None and not self._is_ended
        return is_inside or line.lstrip().startswith(("```", "~~~"))

    @property
    def is_open(self) -> bool:
        """The last part is a code block whose end has not come."""
        fence = self._meta.fence
        return fence is not None and not self._is_ended and not (self._depth == 0 and fence.is_closed_by(self._rest))

    @property
    def is_table(self) -> bool:
        """The last part begins with a table."""
        return self._is_table

    @property
    def is_formula_open(self) -> bool:
        """The last part begins with a displayed formula whose end has not come."""
        return bool(self._math_end) and self._done.startswith(("$$", "\\["))

    @property
    def _meta(self) -> Meta:
        return self.metas[-1] if self.metas else Meta()

    def _take(self, line: str) -> None:
        """Take one complete line, without its line break."""
        fence = self._meta.fence
        if fence is not None and not self._is_ended:
            self._add(line)
            self._depth = fence.depth_after(line, self._depth)
            self._is_ended = self._depth < 0
            return
        if self._raw_end is not None:
            if self._raw_end.search(line) or len(self._done) > RAW_LIMIT:
                self._raw_end = None
            self._add(line)
            return
        if not line.strip():
            self._is_blank, self._math_end, self._is_html = True, "", False
            self._add(line)
            return
        self._leave_item(line)
        if self._math_end:
            if line.rstrip().endswith(self._math_end):
                self._math_end = ""
        elif self._item_fence is not None:
            self._depth = self._item_fence.depth_after(line.strip(), self._depth)
            if self._depth < 0:
                self._item_fence, self._depth = None, 0
        else:
            if not self._is_begun:
                self._begin_if_needed(line)
            self._classify(line)
        self._is_quote = self._goes_on_quoted(line)
        self._add(line)
        self._is_blank = False

    def _leave_item(self, line: str) -> None:
        """Code in a list item ends with the item, closed or not."""
        if self._item_fence is not None and not line.startswith(("  ", "\t", " \t")):
            self._item_fence, self._depth = None, 0

    def _goes_on_quoted(self, line: str) -> bool:
        """The part is a quote of plain paragraphs, `line` with it."""
        if self._n_lines == 0 and self._meta.lead and self._meta.is_quoted:
            return True
        return (self._n_lines == 0 or self._is_quote) and _QUOTED.match(line) is not None

    def _add(self, line: str) -> None:
        if not self.parts:
            self._begin(Meta())
        self._done += line + "\n"
        self._n_lines += 1
        self.parts[-1] = self._done

    def _begin(self, meta: Meta) -> None:
        if self.parts and self._done:
            self.parts[-1] = self._done
        if self.parts and not self._done:
            self.metas[-1] = meta
        else:
            self.parts.append("")
            self.metas.append(meta)
        self._done, self._n_lines = "", 0
        self._is_ended = self._is_table = self._is_quote = False
        self._depth = 0
        self._item_fence, self._math_end = None, ""
        self._raw_end = None
        self._is_html = False
        if meta.list_start is None:
            self._in_list = False
            self._items.clear()

    def _begin_if_needed(self, line: str) -> None:
        """Start a new part when `line` cannot belong to a block of the open one, or when that one is too long."""
        self._leave_item(line)
        if self._math_end or self._item_fence is not None or self._raw_end is not None:
            return
        indent = len(line) - len(line.lstrip(" \t"))
        fence = _FENCE.match(line)
        item = _ITEM.match(line) if indent <= 1 and not RULE.match(line) else None
        length = len(self._done)
        if fence is not None and not (self._in_list and indent >= 2) and not self._is_html:
            self._begin(Meta(fence=Fence(len(fence[1]), fence[2], fence[3].strip())))
        elif not self.parts or self._is_ended:
            self._begin(Meta())
        elif self._in_list:
            if item is not None and length > SOFT_LIMIT:
                self._begin(Meta(list_start=self._items.number_of(line), is_tight=not self._is_blank))
            elif self._is_blank and item is None and not line[0].isspace():
                self._begin(Meta())
            elif length > SOFT_LIMIT and self._items.begins_block(line, is_after_blank=self._is_blank):
                self._begin(self._in_items(self._items.holding(line)))
            elif length > HARD_LIMIT and not self._is_blank and len(self._items) and self._goes_on_in_item(line):
                self._begin(self._in_items(len(self._items), is_joined=True))
        elif self._is_blank and indent < 4 and "\t" not in line[:indent]:
            if length:
                self._begin(Meta())
        elif self._is_quote and length > SOFT_LIMIT and line.strip() != ">" and _QUOTED.match(line):
            is_paragraph_new = self._done.endswith(("\n>\n", "\n> \n"))
            if is_paragraph_new or length > HARD_LIMIT:
                self._begin(Meta(is_joined=not is_paragraph_new, is_quoted=True))
        elif length > (TABLE_LIMIT if self._is_table else HARD_LIMIT) and not self._is_blank and line[0] not in ">|":
            self._begin(Meta(is_joined=True))

    def _goes_on_in_item(self, line: str) -> bool:
        return goes_on(line) and not self._items.is_quote

    def _in_items(self, n_open: int, *, is_joined: bool = False) -> Meta:
        """What goes on inside as many of the open items."""
        return Meta(
            list_start=self._items.number,
            is_joined=is_joined,
            is_tight=not (is_joined or self._is_blank),
            lead=self._items.lead(n_open, is_inside=is_joined),
            n_open=n_open,
        )

    def _follow_list(self, line: str) -> None:
        self._in_list |= _ITEM.match(line) is not None and not RULE.match(line)
        if self._in_list:
            self._items.take(line, is_after_blank=self._is_blank or self._is_quote)

    def _classify(self, line: str) -> None:
        if not self._is_cut:
            self._follow_list(line)
        if self._in_list and (fence := _ITEM_FENCE.match(line)):
            self._item_fence = Fence(0, fence[1], fence[2].strip())
        for begin, end in _RAW if "<" in line else ():
            if begin.match(line) and not end.search(line.lstrip()[2:]):
                self._raw_end = end
        tag = _TAG.match(line)
        self._is_html |= tag is not None and tag[1].lower() in block_names
        stripped = line.strip()
        for opening, closing in (("$$", "$$"), ("\\[", "\\]")):
            if stripped.startswith(opening) and closing not in stripped[2:]:
                self._math_end = closing
        if self._n_lines == 1 and "|" in self._done and _DELIMITER_ROW.match(line):
            self._is_table = True

    def _split_long_line(self) -> None:
        """Go on in a new part when one line alone is too long."""
        while len(self._done) + len(self._rest) > HARD_LIMIT and len(self._rest) > HARD_LIMIT // 2:
            if self._meta.fence is not None or self._is_table:
                return
            if self._in_list and (self._item_fence is not None or self._math_end):
                return
            is_html = self._is_html or self._raw_end is not None or self._rest.lstrip().startswith("<")
            if is_html and len(self._done) + len(self._rest) < RAW_LIMIT:
                return
            is_quoted = self._goes_on_quoted(self._rest)
            if self._rest.lstrip()[:1] in (">", "|") and not is_quoted:
                return
            if not self._is_cut:
                self._follow_list(self._rest)
            if self._items.is_quote:
                return
            meta = Meta(is_joined=True, is_quoted=is_quoted, lead="> " if is_quoted else "")
            if n_open := len(self._items):
                meta = self._in_items(n_open, is_joined=True)
            cut = _sentence_end(self._rest)
            self._done += self._rest[:cut]
            self._rest = self._rest[cut:]
            self._begin(meta)
            self._is_begun, self._is_cut, self._is_blank = True, True, False


def _sentence_end(text: str) -> int:
    """Where a line that is too long is cut: what follows must not look like the beginning of something else."""
    for mark in (". ", "。", "! ", "? ", " "):
        at = min(HARD_LIMIT, len(text) - _DECIDABLE)
        while (at := text.rfind(mark, HARD_LIMIT // 4, at)) >= 0:
            if goes_on(text[at + len(mark) : at + len(mark) + _DECIDABLE]):
                return at + len(mark)
    return min(len(text), HARD_LIMIT)
