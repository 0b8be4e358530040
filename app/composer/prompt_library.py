"""The prompt library over the composer: choose a prompt, fill in its blanks, and keep a text as a new one."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QObject, QPoint, Signal

from app.chat.chat_prompt import first_words
from app.composer.composer import Composer
from app.composer.prompt_form import PromptForm
from app.core.prompt_variables import blanks, filled
from app.core.settings_store import SettingsStore
from app.ui.command_palette import CommandPalette, Entry
from app.ui.notice_bar import NoticeBar
from app.ui.theme import Theme
from engine.settings import PromptTemplate

_GAP = 8
"""Pixels between the list and the composer."""


class PromptLibrary(QObject):
    """`editor_requested` when there is no prompt yet and one is to be written."""

    editor_requested = Signal()

    def __init__(self, theme: Theme, composer: Composer, settings_store: SettingsStore, notices: NoticeBar) -> None:
        super().__init__(composer)
        self._theme, self._composer, self._settings_store, self._notices = theme, composer, settings_store, notices
        composer.prompts_requested.connect(self.show)

    def show(self) -> None:
        """Choose a prompt for the message."""
        prompts = self._settings_store.settings.prompts
        entries = [Entry(key=prompt.text, text=prompt.name, detail=first_words(prompt.text, 40)) for prompt in prompts]
        if not entries:
            entries = [Entry(key="", text=self.tr("Write a prompt…"), detail=self.tr("there are none yet"))]
        window = self._composer.window()
        palette = CommandPalette(self._theme, self.tr("Prompts"), window)
        palette.set_entries(entries)
        palette.chosen.connect(lambda text: self.insert(text) if text else self.editor_requested.emit())
        palette.open_at(self._composer.mapTo(window, QPoint(self._composer.card_left, -_GAP)), is_bottom=True)

    def insert(self, prompt: str) -> None:
        """Put a prompt into the composer, after asking for what belongs into its blanks."""
        if names := blanks(prompt):
            form = PromptForm(names, self._composer.window())
            form.filled.connect(lambda values: self._composer.set_text(filled(prompt, values)))
            form.open()
        else:
            self._composer.set_text(prompt)
        self._composer.setFocus()

    def add(self, text: str) -> None:
        """Keep a text as a prompt."""
        settings = self._settings_store.settings
        prompt = PromptTemplate(name=first_words(text, 40), text=text)
        self._settings_store.replace(msgspec.structs.replace(settings, prompts=(*settings.prompts, prompt)))
        self._notices.show_notice(
            self.tr("Added to the prompt library. Type / in an empty message to use it."), lasts_ms=6000
        )
