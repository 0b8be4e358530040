"""Spelling of what is written: which words are looked up, and the system's checker, where there is one."""

from __future__ import annotations

import functools
import importlib
import logging
import re
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

MAX_CHARACTERS = 20_000
"""A longer text is not checked: nobody wrote it here."""
_log = logging.getLogger(__name__)
_SKIPPED = re.compile(
    r"(?ms)^ {0,3}(?P<fence>```+|~~~+).*?(?:^ {0,3}(?P=fence)|\Z)"  # fenced code, closed or not
    r"|`[^`\n]+`"
    r"|\b\w+://\S+|\bwww\.\S+|(?<!\S)\S+@\S+"
    r"|(?<!\S)\S*[/\\_]\S*"  # paths and names of programs
)
"""What may hold anything is tried where a word begins only: text without spaces would take seconds otherwise."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_UNSPACED = re.compile("[\u0e00-\u0eff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]")


class Dictionary(Protocol):
    """What the checker gives for one language."""

    def check(self, word: str) -> bool: ...

    def suggest(self, word: str) -> list[str]: ...

    def add(self, word: str) -> None: ...


def words(text: str) -> Iterator[tuple[int, int]]:
    """Where the words are that can be misspelt, as offsets from and to.

    No code, addresses, paths, abbreviations, words with capitals or digits inside, and no scripts without spaces.
    """
    at = 0
    for skipped in [*_SKIPPED.finditer(text), None]:
        end = skipped.start() if skipped is not None else len(text)
        for found in _WORD.finditer(text, at, end):
            if _is_checked(text, found):
                yield found.span()
        at = skipped.end() if skipped is not None else end


def _is_checked(text: str, found: re.Match[str]) -> bool:
    word = found[0]
    around = text[found.start() - 1 : found.start()] + text[found.end() : found.end() + 1]
    is_plain = word.islower() or word.istitle() or word[0] + word[1:].lower() == word
    return len(word) > 1 and is_plain and not _UNSPACED.search(word) and not any(map(str.isdigit, around))


@functools.cache
def _broker() -> Any:
    """The checker's module; None where it, its library or every dictionary is missing."""
    try:
        return importlib.import_module("enchant")
    except ImportError:
        return None


def languages() -> list[str]:
    """Languages that can be checked here, such as en_US; empty where there is no checker."""
    broker = _broker()
    return sorted(broker.list_languages()) if broker is not None else []


def dictionary(language: str) -> Dictionary | None:
    """The dictionary for a language, or the nearest of its family; None where there is none."""
    known = languages()
    family = language.partition("_")[0]
    near = [each for each in known if each == language] or [each for each in known if each.partition("_")[0] == family]
    if not near:
        return None
    try:
        made: Dictionary = _broker().Dict(near[0])
    except Exception as error:  # noqa: BLE001 - a broken dictionary must not end the app
        _log.warning("the dictionary %s cannot be used: %s", near[0], error)
        return None
    return made


class Speller:
    """Remembers what it looked up; `look_up` and `suggest` may take long and belong into a thread."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._dictionary: Dictionary | None = None
        self._is_open = False
        self._known: dict[str, bool] = {}

    def unknown(self, among: Iterable[str]) -> list[str]:
        """Words that were not looked up yet."""
        return sorted(set(among) - self._known.keys())

    def is_wrong(self, word: str) -> bool:
        return not self._known.get(word, True)

    def look_up(self, new: Iterable[str]) -> bool:
        """Look words up; returns whether there is a dictionary at all."""
        if not self._is_open:
            self._is_open, self._dictionary = True, dictionary(self.language)
        if self._dictionary is None:
            return False
        self._known.update({word: self._dictionary.check(word.replace("’", "'")) for word in new})
        return True

    def suggest(self, word: str, limit: int = 5) -> list[str]:
        return self._dictionary.suggest(word)[:limit] if self._dictionary is not None else []

    def learn(self, word: str) -> None:
        """Take a word into the user's own dictionary."""
        self._known[word] = True
        if self._dictionary is not None:
            self._dictionary.add(word)
