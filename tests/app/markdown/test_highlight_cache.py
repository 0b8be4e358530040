"""Colours of code: what the helper process answers, and what is shown without it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pytestqt.qtbot import QtBot

from app.markdown.helper_protocol import Snippet
from app.markdown.highlight_cache import MAX_CHARACTERS, HighlightCache, runs_of
from app.markdown.highlighter_process import colour, lexer_for

CODE = "def f():\n    return 1"
LETTERS = "kkk n        kkkkkk n"
_WINDOW = "import sys, app.transcript; sys.exit(bool({'pygments', 'ziamath'} & set(sys.modules)))"


@pytest.fixture
def book(qtbot: QtBot) -> HighlightCache:
    return HighlightCache()


def test_colours_are_asked_for_once_and_come_later(book: HighlightCache, qtbot: QtBot) -> None:
    assert book.letters("python", CODE) is None
    with qtbot.waitSignal(book.answered):
        pass
    assert book.letters("python", CODE) == LETTERS
    assert not book.is_awaited(Snippet("python", CODE))


def test_the_window_never_loads_what_takes_long() -> None:
    assert subprocess.run([sys.executable, "-c", _WINDOW], check=False).returncode == 0


def test_a_helper_that_dies_leaves_the_code_at_hand_plain(book: HighlightCache, qtbot: QtBot) -> None:
    book.letters("python", CODE)
    book._process.waitForStarted()
    with qtbot.waitSignal(book.answered):
        book._process.kill()
    assert book.letters("python", CODE) == ""
    book.letters("python", "x = 1")
    book.finish()
    assert book.letters("python", "x = 1") == "    n"


def test_without_a_helper_all_code_stays_plain(book: HighlightCache, qtbot: QtBot) -> None:
    book._process.setProgram("no-such-program")
    with qtbot.waitSignal(book._process.errorOccurred):
        book.letters("python", CODE)
    assert book.letters("python", CODE) is None
    assert not book.is_awaited(Snippet("python", CODE))


@pytest.mark.parametrize(("language", "text"), [("", "x"), ("Text", "x"), ("python", "x" * (MAX_CHARACTERS + 1))])
def test_some_code_is_plain_without_asking(book: HighlightCache, language: str, text: str) -> None:
    assert book.letters(language, text) == ""
    assert not book.is_awaited(Snippet(language, text))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", CODE),
        ("python", "\n\n'''a\n\U0001f600'''  \n"),
        ("console", "$ ls\nfile\n"),
        ("json", '{"a": 1}\n\n'),
    ],
)
def test_each_character_has_its_letter(language: str, text: str) -> None:
    assert len(colour(Snippet(language, text))) == len(text)


def test_letters_become_runs() -> None:
    assert list(runs_of(LETTERS)) == [
        (0, 3, "keyword"), (4, 1, "number"), (13, 6, "keyword"), (20, 1, "number"),
    ]  # fmt: skip
    assert list(runs_of("")) == []


@pytest.mark.parametrize(("language", "name"), [("go", "Go"), ("Rust", "Rust"), ("c++", "C++"), ("js", "JavaScript")])
def test_the_info_string_is_matched_exactly(language: str, name: str) -> None:
    lexer = lexer_for(language)
    assert lexer is not None
    assert lexer.name == name


@pytest.mark.parametrize("language", ["nonsense", "pyth"])
def test_nobody_knows_some_languages(language: str) -> None:
    assert colour(Snippet(language, CODE)) == ""
