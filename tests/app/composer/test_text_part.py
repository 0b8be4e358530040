"""Parts of a long text: where it can be cut, how its tokens are spread, and what fits."""

from __future__ import annotations

import itertools

import pytest

from app.composer.text_part import Cuts, TokenCurve, Unit, from_beginning, pieces, to_end


def test_lines_pages_and_long_lines_are_cut_where_they_begin() -> None:
    lines = Cuts("one\ntwo\n\nfour")
    assert (lines.unit, [lines.place(number) for number in range(5)]) == (Unit.LINE, [0, 4, 8, 9, 13])
    pages = Cuts("one\ntwo\n\nfour", (0, 8))
    assert (pages.unit, pages.n_units, pages.place(1), pages.place(2)) == (Unit.PAGE, 2, 8, 13)
    sections = Cuts("word " * 2_000)
    assert (sections.unit, sections.place(1)) == (Unit.SECTION, 405)
    assert [lines.unit_at(place) for place in (0, 3, 4, 12, 99)] == [0, 0, 1, 3, 3]
    assert [lines.nearest(place) for place in (0, 1, 3, 13)] == [0, 0, 1, 4]


def test_only_line_breaks_end_lines() -> None:
    """The model is told the numbers of these lines, and other programs show the same ones."""
    assert (Cuts("one\ftwo\u2028x\nthree\n").n_units, Cuts("a\n\n").n_units) == (2, 2)


def test_an_empty_text_has_one_line() -> None:
    assert (Cuts("").n_units, Cuts("").place(1), pieces("")) == (1, 0, [])


def test_the_curve_is_even_until_pieces_are_counted() -> None:
    curve = TokenCurve(100, 50)
    assert (curve.between(0, 50), curve.total) == (25, 50)
    curve.set_pieces([40], [30])
    assert (curve.before(20), curve.before(40)) == (15, 30)
    assert curve.before(100) == pytest.approx(60)
    curve.set_pieces([40, 100], [30, 6])
    assert (curve.total, curve.between(40, 70)) == (36, 3)


@pytest.mark.parametrize(
    ("room", "first", "last"), [(0, (0, 1), (9, 10)), (25, (0, 2), (8, 10)), (500, (0, 10), (0, 10))]
)
def test_the_longest_part_that_fits_is_taken(room: int, first: tuple[int, int], last: tuple[int, int]) -> None:
    text = "ten chars\n" * 10
    cuts, curve = Cuts(text), TokenCurve(len(text), 100)
    assert from_beginning(cuts, curve, room) == first
    assert to_end(cuts, curve, room) == last


def test_pieces_cover_the_text_and_end_with_lines() -> None:
    text = "a line of text\n" * 30_000
    found = pieces(text)
    assert found[0][0] == 0
    assert found[-1][1] == len(text)
    assert all(before[1] == after[0] for before, after in itertools.pairwise(found))
    assert all(text[end - 1] == "\n" for _, end in found)
    assert len(found) <= 25
