"""Detokenizing: the same text, whatever bytes the tokens carry, and stop strings found wherever their borders lie."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.worker.sampling.detokenizer import Detokenizer, StopScanner

LETTERS = st.text(alphabet="abc", max_size=40)
STOPS = st.lists(st.text(alphabet="abc", min_size=1, max_size=4), max_size=3)


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


def scan(stops: list[str], pieces: list[str]) -> tuple[str, str]:
    """The text that was let through, and the stop string that ended it."""
    scanner = StopScanner(stops)
    shown = "".join(scanner.feed(piece) for piece in pieces)
    return shown + scanner.finish(), scanner.hit


def first_stop(stops: list[str], text: str) -> tuple[str, str]:
    """The same by definition: read on until some stop string is complete."""
    for end in range(1, len(text) + 1):
        complete = [stop for stop in stops if text[:end].endswith(stop)]
        if complete:
            longest = max(complete, key=len)
            return text[: end - len(longest)], longest
    return text, ""


@given(STOPS, LETTERS, st.lists(st.integers(min_value=0, max_value=40)))
def test_the_result_is_the_first_complete_stop_however_the_text_is_cut(
    stops: list[str], text: str, borders: list[int]
) -> None:
    places = [0, *sorted(min(border, len(text)) for border in borders), len(text)]
    pieces = [text[start:end] for start, end in itertools.pairwise(places)]
    assert scan(stops, pieces) == first_stop(stops, text)


@given(STOPS, LETTERS)
def test_nothing_is_shown_that_is_taken_back(stops: list[str], text: str) -> None:
    expected, _ = first_stop(stops, text)
    scanner, shown = StopScanner(stops), ""
    for letter in text:
        shown += scanner.feed(letter)
        assert expected.startswith(shown)


@pytest.mark.parametrize(
    ("stops", "pieces", "shown", "hit"),
    [
        (["<|im_end|>"], ["Hello <|im", "_end", "|> more"], "Hello ", "<|im_end|>"),
        (["\n\n"], ["one\n", "\ntwo"], "one", "\n\n"),
        (["</s>"], ["a </", "b>"], "a </b>", ""),
        (["aab"], ["a", "a", "a", "b"], "a", "aab"),
        ([], ["free"], "free", ""),
        ([""], ["free"], "free", ""),
        (["終わり"], ["話は終", "わり。"], "話は", "終わり"),
    ],
)
def test_stop_strings_end_the_text(stops: list[str], pieces: list[str], shown: str, hit: str) -> None:
    assert scan(stops, pieces) == (shown, hit)


def test_only_what_may_become_a_stop_is_held_back() -> None:
    scanner = StopScanner(["STOP"])
    assert scanner.feed("all of it ST") == "all of it "
    assert scanner.feed("ILL ") == "STILL "
    assert scanner.feed("STOP") == ""
    assert scanner.feed("never") == ""
