"""Detokenizing: the same text, whatever bytes the tokens carry."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from engine.worker.sampling.detokenizer import Detokenizer


def cut(data: bytes, borders: list[int]) -> list[bytes]:
    """The bytes in pieces that end at these borders, empty pieces included."""
    places = [0, *sorted(border % (len(data) + 1) for border in borders), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(places)]


def feed(pieces: list[bytes]) -> list[str]:
    detokenizer = Detokenizer(lambda token: pieces[token])
    return [*(detokenizer.feed(token) for token in range(len(pieces))), detokenizer.finish()]


@given(st.text(), st.lists(st.integers(min_value=0)))
def test_any_cut_of_a_text_gives_the_text(text: str, borders: list[int]) -> None:
    shown = feed(cut(text.encode(), borders))
    assert "".join(shown) == text
    assert text.startswith("".join(shown[:-1]))


@given(st.binary(), st.lists(st.integers(min_value=0)))
def test_any_bytes_give_the_same_text_however_they_are_cut(data: bytes, borders: list[int]) -> None:
    assert "".join(feed(cut(data, borders))) == "".join(feed([data]))


def test_a_character_appears_with_its_last_token() -> None:
    family = "👩‍👧".encode()
    shown = feed([family[:2], family[2:5], family[5:]])
    assert shown == ["", "👩", "\u200d👧", ""]


def test_bytes_that_belong_to_no_character_are_replaced_at_once() -> None:
    assert feed([b"a\xff", b"b", b"\xe2\x82", b"c"]) == ["a\ufffd", "b", "", "\ufffdc", ""]


def test_a_character_that_never_ends_is_left_out() -> None:
    assert feed([b"ok", "é".encode()[:1]]) == ["ok", "", ""]
