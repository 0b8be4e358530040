"""The ways on from a chat that is full and leaves nothing out: a menu at the composer's line about it."""

from __future__ import annotations

import functools
from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QMenu

from app.chat.chat_controller import ChatController
from app.composer.composer import Composer
from app.models.model_controller import ModelController
from engine.protocol import ContextPolicy


class ContextFullMenu(QObject):
    """What is written stays written, whichever way is taken."""

    def __init__(self, composer: Composer, chats: ChatController, models: ModelController) -> None:
        super().__init__(composer)
        self._composer, self._chats, self._models = composer, chats, models
        self._shown = ("", ContextPolicy.SLIDE)
        self._composer.ways_requested.connect(self.open)
        chats.chat_opened.connect(self._on_chat_changed)

    def ways(self) -> list[tuple[str, Callable[[], None]]]:
        """What can be done, in words, and what does it."""
        ways: list[tuple[str, Callable[[], None]]] = [
            (self.tr("Leave out the oldest turns"), functools.partial(self._choose, ContextPolicy.SLIDE)),
            (self.tr("Summarise the oldest turns"), functools.partial(self._choose, ContextPolicy.SUMMARISE)),
            (self.tr("New chat with this message"), self._begin_anew),
        ]
        if self._models.model_id:
            ways.append((self.tr("Larger context…"), self._show_loading))
        return ways

    def open(self) -> None:
        menu = QMenu(self._composer.window())
        menu.aboutToHide.connect(menu.deleteLater)
        for text, take in self.ways():
            menu.addAction(text, take)
        button = self._composer.overflow.button
        size = menu.sizeHint()
        menu.popup(button.mapToGlobal(QPoint(button.width() - size.width(), -size.height())))

    def _choose(self, policy: ContextPolicy) -> None:
        self._chats.change_chat(context_policy=policy)
        self._composer.setFocus()

    def _begin_anew(self) -> None:
        text, files = self._composer.text, self._composer.attachments
        self._composer.clear()  # It leaves this chat's draft.
        self._chats.new_chat()
        self._composer.give_back(text, files)
        self._composer.setFocus()

    def _show_loading(self) -> None:
        self._models.settings_wanted.emit(self._models.model_id, self._models.status.name)

    def _on_chat_changed(self) -> None:
        """Another policy in the same chat, from wherever it came, lets more or less fit."""
        shown = self._chats.choices.id, self._chats.policy(self._chats.chat)
        has_other_policy = shown[0] == self._shown[0] and shown[1] is not self._shown[1]
        self._shown = shown
        if has_other_policy and self._composer.text:
            self._composer.measure_again()
