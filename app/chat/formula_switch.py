"""Whether formulas are drawn: as the open chat has it, else as the settings say."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from app.chat.chat_controller import ChatController
from app.core.settings_store import SettingsStore


class FormulaSwitch(QObject):
    """Shows it in the transcript, and offers it in the menu of the chat."""

    def __init__(self, chats: ChatController, preferences: SettingsStore, parent: QObject) -> None:
        super().__init__(parent)
        self._chats, self._preferences = chats, preferences
        self._show: Callable[[bool], None] | None = None
        chats.chat_opened.connect(lambda _chat: self._apply())
        preferences.changed.connect(self._apply)

    @property
    def is_on(self) -> bool:
        chosen = self._chats.choices.is_math_on
        return chosen if chosen is not None else self._preferences.settings.general.is_math_on

    def set_view(self, show: Callable[[bool], None]) -> None:
        """`show(is_on)` draws the formulas of the open chat, or shows their LaTeX."""
        self._show = show
        self._apply()

    def toggle(self) -> None:
        """The other way in this chat; the settings stay."""
        self._chats.change_chat(is_math_on=not self.is_on)

    def add_to(self, menu: QMenu) -> None:
        """The three choices, the one in force marked."""
        usual = self.tr("drawn") if self._preferences.settings.general.is_math_on else self.tr("as LaTeX")
        for is_math_on, text in (
            (None, self.tr("As in the settings: {usual}").format(usual=usual)),
            (True, self.tr("Drawn")),
            (False, self.tr("As LaTeX")),
        ):
            action = menu.addAction(text)
            action.triggered.connect(lambda _checked=False, value=is_math_on: self._chats.change_chat(is_math_on=value))
            action.setCheckable(True)
            action.setChecked(is_math_on is self._chats.choices.is_math_on)

    def _apply(self) -> None:
        if self._show is not None:
            self._show(self.is_on)
