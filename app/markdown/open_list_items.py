"""The list items that are open where a growing text ends: another part that goes on in them is parsed inside them."""

from __future__ import annotations

import re
from dataclasses import dataclass

RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_MARKER = re.compile(r"([-+*]|\d{1,9}[.)])([ \t]+(?=\S)|[ \t]*$)")
_BEGINS = re.compile(r"[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$)|#{1,6}(?:\s|$)|[>|<]|`{3}|~{3}|\$\$|\\\[")
"""How a line begins that does not go on with a paragraph, wherever it stands."""
_CODE_INDENT = 4


@dataclass(frozen=True, slots=True)
class _Item:
    column: int
    content: int
    """The column that what belongs to it stands at, or behind."""
    marker: str
    number: int

    @property
    def counted_marker(self) -> str:
        """With the number that it has in its list, where that is no wider than what is written."""
        counted = f"{self.number}{self.marker[-1]}"
        return counted if len(counted) == len(self.marker) > 1 else self.marker


class OpenItems:
    """From the outside in; follows the text line by line."""

    def __init__(self) -> None:
        self._items: list[_Item] = []
        self.is_quote = False
        """The last of them ends with a quote, which another line may go on with."""

    def __len__(self) -> int:
        return len(self._items)

    def clear(self) -> None:
        self._items.clear()
        self.is_quote = False

    def take(self, line: str, *, is_after_blank: bool) -> None:
        """Follow one line that is not blank, and in no code."""
        column, text, number = _column(line), line.lstrip(" \t"), self.number_of(line)
        if not is_after_blank and not self._may_begin(line):
            return  # It goes on with a paragraph wherever it stands.
        self.is_quote = text.startswith(">")
        del self._items[self.holding(line) :]
        while (found := _MARKER.match(text)) and not RULE.match(text) and not self.is_code(column):
            n_spaces = len(found[2].expandtabs(_CODE_INDENT))
            content = column + len(found[1]) + (n_spaces if 1 <= n_spaces <= _CODE_INDENT else 1)
            self._items.append(_Item(column, content, found[1], number))
            column, text = content, text[found.end() :]
            number = _number(text)

    def holding(self, line: str) -> int:
        """How many of them a block that begins with `line` stands in."""
        column = _column(line)
        return sum(item.content <= column for item in self._items)

    @property
    def number(self) -> int:
        """Of the outermost item, as it is counted and not as it is written."""
        return self._items[0].number if self._items else 0

    def number_of(self, line: str) -> int:
        """Which number the item that `line` begins has in its list."""
        text, level = line.lstrip(" \t"), self.holding(line)
        before = self._items[level].marker if level < len(self._items) else ""
        found = _MARKER.match(text)
        is_next = found is not None and before[-1:] == found[1][-1]
        return self._items[level].number + 1 if is_next else _number(text)

    def _may_begin(self, line: str) -> bool:
        """Right below a paragraph `line` begins something else; inside its item, a list only where it counts from 1."""
        text = line.lstrip(" \t")
        is_late = text[:1].isdigit() and _MARKER.match(text) is not None and _number(text) != 1
        if is_late and self.holding(line) == len(self._items) and not self.is_quote:
            return False
        return _BEGINS.match(text) is not None

    def is_code(self, column: int) -> bool:
        """What begins there is indented as code is."""
        return column - (self._items[-1].content if self._items else 0) >= _CODE_INDENT

    def begins_block(self, line: str, *, is_after_blank: bool) -> bool:
        """`line` begins an item inside some of them, or another paragraph."""
        text, n_held = line.lstrip(" \t"), self.holding(line)
        if not n_held or _column(line) - self._items[n_held - 1].content >= _CODE_INDENT:
            return False
        return is_after_blank or (_MARKER.match(text) is not None and self._may_begin(line))

    def lead(self, n: int, *, is_inside: bool = False) -> str:
        """Markdown that opens the first `n` of them again; `is_inside`: text of the last one's paragraph follows."""
        opened = "".join(f"{' ' * item.column}{item.counted_marker}\n" for item in self._items[:n])
        return opened + " " * self._items[n - 1].content if is_inside and n else opened


def _number(text: str) -> int:
    found = _MARKER.match(text)
    return int(found[1][:-1] or 0) if found is not None else 0


def goes_on(line: str) -> bool:
    """`line` is nothing but more of the paragraph that stands before it, if there is one."""
    text = line.lstrip(" \t")
    return bool(text) and "|" not in text and not _BEGINS.match(text) and not RULE.match(text)


def _column(line: str) -> int:
    expanded = line.expandtabs(_CODE_INDENT)
    return len(expanded) - len(expanded.lstrip(" "))
