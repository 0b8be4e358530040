"""Heights of thousands of rows: estimates for unseen messages, and fast sums of them."""

from __future__ import annotations

from collections.abc import Iterable

from app.core.conversation_model import MessageItem
from engine.protocol.values import Role

_FOOTER = 50
_BUBBLE = 40


class RowHeights:
    """Heights of rows in pixels, known or estimated. A Fenwick tree, so that a corrected estimate costs O(log n)."""

    def __init__(self, heights: Iterable[float] = ()) -> None:
        self._values = list(heights)
        self._build()

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, row: int) -> float:
        return self._values[row]

    @property
    def total(self) -> float:
        return self.top(len(self._values))

    def set(self, row: int, height: float) -> None:
        delta = height - self._values[row]
        if delta:
            self._values[row] = height
            index = row + 1
            while index < len(self._tree):
                self._tree[index] += delta
                index += index & -index

    def top(self, row: int) -> float:
        """Sum of the heights before `row`."""
        total, index = 0.0, row
        while index > 0:
            total += self._tree[index]
            index -= index & -index
        return total

    def row_at(self, y: float) -> int:
        """The row that holds `y`, or the nearest one; 0 when there are none."""
        index, left = 0, y
        step = 1 << len(self._values).bit_length()
        while step:
            following = index + step
            if following < len(self._tree) and self._tree[following] <= left:
                index = following
                left -= self._tree[following]
            step >>= 1
        return max(0, min(index, len(self._values) - 1))

    def append(self, heights: Iterable[float]) -> None:
        for height in heights:
            self._values.append(height)
            index = len(self._values)
            covered = height
            child = index - 1
            while child > index - (index & -index):
                covered += self._tree[child]
                child -= child & -child
            self._tree.append(covered)

    def remove(self, first: int, last: int) -> None:
        """Take out the rows from `first` to `last`, both included."""
        del self._values[first : last + 1]
        if first == len(self._values):
            del self._tree[first + 1 :]
        else:
            self._build()

    def _build(self) -> None:
        self._tree = [0.0, *self._values]
        for index in range(1, len(self._tree)):
            parent = index + (index & -index)
            if parent < len(self._tree):
                self._tree[parent] += self._tree[index]


def estimated_height(item: MessageItem, width: int, font_size: float = 14) -> float:
    """Pixels of a message in a column `width` pixels wide, from its text alone: close enough for a scroll bar."""
    per_line = max(10.0, width * (0.7 if item.role is Role.USER else 1.0) / (font_size * 0.5))
    lines = item.content.count("\n") * 0.75 + len(item.content) / per_line + 0.6
    return round(lines) * round(font_size * 1.55) + (_BUBBLE if item.role is Role.USER else _FOOTER)
