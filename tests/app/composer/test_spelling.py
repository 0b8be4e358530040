"""Spelling: which words are checked, and marks, suggestions and new words in the composer."""

from __future__ import annotations

import pytest
from app_scene import Run, until, window
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QMenu

from app.application import Application
from app.composer import spelling
from app.composer.spelling import Speller, words


class Words:
    """A dictionary of a few words."""

    def __init__(self) -> None:
        self.right = {"the", "cache", "is", "full", "don't"}

    def check(self, word: str) -> bool:
        return word.lower() in self.right

    def suggest(self, word: str) -> list[str]:
        return ["cache"]

    def add(self, word: str) -> None:
        self.right.add(word)


@pytest.fixture
def checker(monkeypatch: pytest.MonkeyPatch) -> Words:
    made = Words()
    monkeypatch.setattr(spelling, "dictionary", lambda _language: made)
    return made


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The cahce, don’t", ["The", "cahce", "don’t"]),
        ("use `cahce` and\n```py\nfoo bar\n```\nend", ["use", "and", "end"]),
        ("```\nopen fence never closed", []),
        ("see https://exmaple.org or ~/fils/x.txt or a_b or me@exmaple.org", ["see", "or", "or", "or"]),
        ("KV RTX n2th camelCase iPhone x", []),
        ("缓存是满的 naïve Straße", ["naïve", "Straße"]),
    ],
)
def test_only_words_are_looked_up(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in words(text)] == found


def test_text_without_spaces_takes_no_time() -> None:
    """Tried from every character on, this took minutes."""
    assert list(words("缓存是满的，" * 30_000)) == []


def test_what_was_looked_up_is_remembered(checker: Words) -> None:
    speller = Speller("en_US")
    assert speller.unknown(["cahce", "cache"]) == ["cache", "cahce"]
    assert speller.look_up(["cahce", "cache", "don’t"])
    assert (speller.unknown(["cahce"]), speller.is_wrong("cahce"), speller.is_wrong("don’t")) == ([], True, False)
    speller.learn("cahce")
    assert not speller.is_wrong("cahce")


def test_without_a_checker_nothing_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spelling, "_broker", lambda: None)
    assert (spelling.languages(), spelling.dictionary("en_US")) == ([], None)
    speller = Speller("en_US")
    assert not speller.look_up(["cahce"])
    assert not speller.is_wrong("cahce")


def test_a_language_is_found_by_its_family(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broker:
        Dict = staticmethod(lambda name: name)
        list_languages = staticmethod(lambda: ["en_GB", "de_DE"])

    monkeypatch.setattr(spelling, "_broker", Broker)
    assert [spelling.dictionary(each) for each in ("en_GB", "en_US", "de", "fr_FR")] == [
        "en_GB",
        "en_GB",
        "de_DE",
        None,
    ]


def marked(application: Application) -> list[str]:
    return [mark.cursor.selectedText() for mark in application.composer.edit.extraSelections()]


def test_wrong_words_are_marked_replaced_and_learnt(run: Run, checker: Words) -> None:
    async def scene() -> None:
        async with window() as app:
            await until(lambda: app.transcript is not None)
            app.composer.set_text("🎈 the cahce is fulll now")
            await until(lambda: marked(app) == ["cahce", "fulll"])
            edit = app.composer.edit
            cursor = QTextCursor(edit.document())
            cursor.setPosition(edit.toPlainText().index("cahce") + 3)
            menu = QMenu(edit)
            menu.addAction("Paste")
            edit.menu_opened.emit(menu, cursor)
            await until(lambda: [each.text() for each in menu.actions()][:2] == ["cache", "Add to the dictionary"])
            menu.actions()[0].trigger()
            assert app.composer.text == "🎈 the cache is fulll now"
            await until(lambda: marked(app) == ["fulll"])
            app.settings_store.change("general", is_spelling_on=False)
            assert marked(app) == []

    run(scene())
