"""The tree of heights against plain sums."""

from __future__ import annotations

import random

from app.transcript.row_heights import RowHeights


def test_sums_and_rows_equal_plain_addition() -> None:
    draw = random.Random(3)
    plain = [float(draw.randint(1, 90)) for _ in range(300)]
    heights = RowHeights(plain[:200])
    heights.append(plain[200:])
    for _ in range(300):
        row = draw.randrange(len(plain))
        plain[row] = float(draw.randint(1, 90))
        heights.set(row, plain[row])
        assert heights.top(row) == sum(plain[:row])
        assert heights.row_at(heights.top(row)) == row
        assert heights.row_at(heights.top(row) + plain[row] - 1) == row
    assert heights.total == sum(plain)


def test_removal_in_the_middle_and_at_the_end() -> None:
    heights = RowHeights([1.0, 2.0, 3.0, 4.0, 5.0])
    heights.remove(1, 2)
    assert [heights.top(row) for row in range(4)] == [0, 1, 5, 10]
    heights.remove(2, 2)
    heights.append([7.0])
    assert (len(heights), heights.total, heights.row_at(5)) == (3, 12, 2)


def test_the_ends_are_clamped() -> None:
    heights = RowHeights([10.0, 10.0])
    assert (heights.row_at(-5), heights.row_at(500)) == (0, 1)
    assert RowHeights().row_at(3) == 0
