"""Underlines misspelt words in the composer in every pause of typing, and offers others in its menu."""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject, QTimer
from PySide6.QtGui import QAction, QTextCursor

from app.composer.composer_edit import ComposerEdit
from app.composer.spelling import MAX_CHARACTERS, Speller, languages, words
from app.core.settings_store import SettingsStore
from app.core.tasks import is_possible, run_blocking, spawn
from app.markdown.utf16 import Units
from app.ui.theme import Theme

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu

_PAUSE_MS = 350
_MAX_MARKS = 200


class SpellingController(QObject):
    """Costs nothing where it is switched off or the system has no checker."""

    def __init__(self, edit: ComposerEdit, theme: Theme, settings_store: SettingsStore, parent: QObject) -> None:
        super().__init__(parent)
        self._edit, self._theme, self._settings_store = edit, theme, settings_store
        self._speller: Speller | None = None
        self._lock = asyncio.Lock()
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._on_pause)
        edit.textChanged.connect(self._on_typed)
        edit.menu_opened.connect(self._fill_menu)
        settings_store.changed.connect(self.set_up)
        self.set_up()

    def set_up(self) -> None:
        """Follow the settings."""
        spawn(run_blocking(languages), owner=self, name="find dictionaries")  # Once; the settings show them.
        general = self._settings_store.settings.general
        language = general.spelling_language or general.language or QLocale().name()
        if not general.is_spelling_on:
            self._speller = None
        elif self._speller is None or self._speller.language != language:
            self._speller = Speller(language)
        self._underline([])
        self._on_typed()

    def close(self) -> None:
        """Begin nothing more."""
        self._speller = None
        self._pause.stop()

    def _on_pause(self) -> None:
        if is_possible():
            spawn(self._check(), owner=self, name="check spelling")

    def _on_typed(self) -> None:
        if self._speller is not None and not self._edit.document().isEmpty():
            self._pause.start()

    async def _check(self) -> None:
        text, speller = self._edit.toPlainText(), self._speller
        if speller is None or not text or len(text) > MAX_CHARACTERS:
            self._underline([])
            return
        places = list(words(text))
        if new := speller.unknown(text[start:end] for start, end in places):
            async with self._lock:
                if not await run_blocking(speller.look_up, new):
                    self._speller = None
                    return
        if text == self._edit.toPlainText():
            units, cursor = Units(text), self._edit.textCursor().position()
            wrong = ((units.of(a), units.of(b)) for a, b in places if speller.is_wrong(text[a:b]))
            # The word that is being written is not wrong yet.
            self._underline([place for place in wrong if place[1] != cursor][:_MAX_MARKS])

    def _underline(self, places: list[tuple[int, int]]) -> None:
        self._edit.underline(places, self._theme.color("warn"))

    def _fill_menu(self, menu: QMenu, place: QTextCursor) -> None:
        """Put the suggestions for the word under the pointer on top, as soon as they are there."""
        word = self._edit.underlined_at(place.position())
        if self._speller is not None and word is not None:
            first = menu.actions()[0]
            learn = QAction(self.tr("Add to the dictionary"), menu)
            learn.triggered.connect(functools.partial(self._learn, word.selectedText()))
            menu.insertAction(first, learn)
            menu.insertSeparator(first)
            spawn(self._suggest(menu, learn, word, self._speller), owner=menu, name="suggest words")

    async def _suggest(self, menu: QMenu, before: QAction, cursor: QTextCursor, speller: Speller) -> None:
        async with self._lock:
            suggestions = await run_blocking(speller.suggest, cursor.selectedText())
        for word in suggestions:
            action = QAction(word, menu)
            action.triggered.connect(functools.partial(cursor.insertText, word))
            menu.insertAction(before, action)

    def _learn(self, word: str) -> None:
        if self._speller is not None:
            self._speller.learn(word)
            self._on_typed()
