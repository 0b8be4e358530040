"""What the user typed into a search: how the index is asked, and where the text is highlighted."""

from __future__ import annotations

import re
import unicodedata

import msgspec

CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
MAX_QUERY_CHARS = 500
MAX_PARTS = 24
SNIPPET_CHARS = 180
_LEAD_CHARS = 50
_MAX_FOLDED_CHARS = 200_000

_CJK_RUN = re.compile(f"[{CJK}]+")
_TERM = re.compile(r'"([^"]*)("?)|([^\s"]+)')
_WORD = re.compile(r"[^\W_]+")
_WORD_CHAR = rf"[^\W_{CJK}]"


def grams(text: str) -> str:
    """The text as the index sees it: each run of CJK characters becomes its overlapping pairs.

    Scripts without spaces have no words that a tokenizer could find. With one token for each character and its
    successor, any piece of two or more characters is a phrase, and a single character is a prefix.
    """
    if text.isascii():
        return text
    return _CJK_RUN.sub(lambda match: f" {' '.join(_pairs(match.group()))} ", text)


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run))]


class QueryPart(msgspec.Struct, frozen=True):
    """A piece of the query that is looked for as one phrase."""

    text: str
    is_prefix: bool
    """The last word may go on."""

    @property
    def match(self) -> str:
        """The part in FTS5's query language; whatever the user typed is inside a quoted string."""
        text, is_prefix = self.text, self.is_prefix
        if _CJK_RUN.fullmatch(text):
            is_prefix = len(text) == 1
            text = " ".join(_pairs(text)[:-1]) or text
        quoted = text.replace('"', '""')
        return f'"{quoted}"*' if is_prefix else f'"{quoted}"'

    @property
    def pattern(self) -> str:
        """A regular expression that finds the part in folded text."""
        if _CJK_RUN.fullmatch(self.text):
            return re.escape(self.text)
        words = r"[\W_]+".join(re.escape(word) for word in _WORD.findall(fold(self.text)))
        end = "" if self.is_prefix else f"(?!{_WORD_CHAR})"
        return f"(?<!{_WORD_CHAR}){words}{end}"


class Query(msgspec.Struct, frozen=True):
    """A search: all parts must be found. Words match their beginnings, "quoted text" matches as it stands."""

    text: str
    parts: tuple[QueryPart, ...]
    """Empty when the query holds no letter or digit; the text is then looked for as it is."""

    @property
    def match(self) -> str:
        return " AND ".join(part.match for part in self.parts)

    def pattern(self) -> re.Pattern[str]:
        """Finds every part in folded text."""
        if not self.parts:
            return re.compile(re.escape(self.text))
        return re.compile("|".join(part.pattern for part in self.parts))


def parse(text: str) -> Query:
    """Any text is a valid query."""
    text = text.replace("\0", " ").encode("utf-8", "replace").decode().strip()[:MAX_QUERY_CHARS]
    parts: list[QueryPart] = []
    for match in _TERM.finditer(text):
        phrase, closing, word = match.groups()
        parts.extend(_parts(word, True) if word is not None else _parts(phrase, not closing))
    return Query(text, tuple(parts[:MAX_PARTS]))


def _parts(text: str, is_prefix: bool) -> list[QueryPart]:
    pieces: list[str] = []
    end = 0
    for run in _CJK_RUN.finditer(text):
        pieces += [text[end : run.start()], run.group()]
        end = run.end()
    pieces.append(text[end:])
    # A single letter begins half of all words: it is looked for as a word of its own.
    return [QueryPart(piece, is_prefix and len(piece) > 1) for piece in pieces if _WORD.search(piece)]


def fold(text: str) -> str:
    """The text without case and accents, each character in its place."""
    lowered = text.lower()
    if text.isascii():
        return lowered
    return "".join(map(_fold_character, text))


def _fold_character(character: str) -> str:
    if character < "\x80":
        return character.lower()
    if "\uac00" <= character <= "\ud7af":
        return character
    return unicodedata.normalize("NFD", character)[0].lower()[0]


def snippet(text: str, pattern: re.Pattern[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """A line of `text` around the first place that `pattern` finds, and the ranges in it to highlight."""
    found = _first(text, pattern)
    start = max(0, found - _LEAD_CHARS)
    if start:
        space = text.find(" ", start, found)
        start = space + 1 if space >= 0 else start
    window = text[start : start + SNIPPET_CHARS]
    line = re.sub(r"\s", " ", window)
    lead = "…" if start else ""
    tail = "…" if start + SNIPPET_CHARS < len(text) else ""
    ranges = [(each.start(), each.end()) for each in pattern.finditer(fold(window)) if each.end() > each.start()]
    return f"{lead}{line}{tail}", tuple((a + len(lead), b + len(lead)) for a, b in ranges)


def _first(text: str, pattern: re.Pattern[str]) -> int:
    lowered = text.lower()
    found = pattern.search(lowered) if len(lowered) == len(text) else None
    if found is None and not text.isascii():
        found = pattern.search(fold(text[:_MAX_FOLDED_CHARS]))
    return found.start() if found else 0
