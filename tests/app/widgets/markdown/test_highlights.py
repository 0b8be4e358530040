"""Syntax colours: what holds up the window and what does not."""

from __future__ import annotations

import threading

import pytest
from pygments.lexer import Lexer
from pytestqt.qtbot import QtBot

from app.widgets.markdown import highlights, parser
from app.widgets.markdown.highlights import HighlightBook
from app.widgets.markdown.parser import Parser


def test_a_lexer_is_made_in_a_thread_and_the_code_coloured_when_it_is_there(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_in: list[threading.Thread] = []
    may_go_on = threading.Event()
    make = highlights.lexer_for

    def make_slowly(language: str) -> Lexer | None:
        may_go_on.wait(10)
        made_in.append(threading.current_thread())
        return make(language)

    monkeypatch.setattr(highlights, "lexer_for", make_slowly)
    highlights._lexer_in_making.cache_clear()
    book = HighlightBook()
    assert book.lines("brainfuck", "+-") is None
    book._work()
    assert not made_in
    assert not book.is_done("brainfuck", "+-")
    with qtbot.waitSignal(book.coloured):
        may_go_on.set()
    assert made_in != [threading.main_thread()]
    assert book.is_done("brainfuck", "+-")
    highlights._lexer_in_making.cache_clear()


def test_code_in_another_language_does_not_wait_for_a_lexer_in_the_making(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = threading.Event()
    make = highlights.lexer_for

    def make_slowly(language: str) -> Lexer | None:
        if language == "brainfuck":
            may_go_on.wait(10)
        return make(language)

    monkeypatch.setattr(highlights, "lexer_for", make_slowly)
    highlights._lexer_in_making.cache_clear()
    book = HighlightBook()
    book.lines("ini", "[a]\nb = 1")
    book.finish()
    book.lines("ini", "[a]\nb = 2")
    book.lines("brainfuck", "+-")
    qtbot.waitUntil(lambda: book.is_done("ini", "[a]\nb = 2"))
    assert not book.is_done("brainfuck", "+-")
    may_go_on.set()
    book.finish()
    assert book.is_done("brainfuck", "+-")
    highlights._lexer_in_making.cache_clear()


def test_the_first_addresses_in_a_text_compile_no_pattern() -> None:
    known = dict(parser._LINKS.re)
    inline = Parser().inline("See http://first.example, //second.example and mailto:third@example.com for more.")
    assert [span.target for span in inline.spans] == [
        "http://first.example",
        "//second.example",
        "mailto:third@example.com",
    ]
    assert parser._LINKS.re == known
