"""Commands about a whole chat, the colours and the model, for the palette and for keys: only what can be done now."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.chat.chat_controller import ChatController
from app.chat_list.chat_list_controller import ChatListController
from app.chat_list.import_export_controller import ImportExportController
from app.core.settings_store import SettingsStore
from app.models.model_controller import ModelController
from app.ui.shortcuts import Actions

if TYPE_CHECKING:
    from app.window.chat_menu import ChatMenu

_OF_A_CHAT = ("rename_chat", "export_chat", "duplicate_chat", "archive_chat", "delete_chat")


class ChatMenuActions(QObject):
    def __init__(
        self, menu: ChatMenu, actions: Actions, *,
        chats: ChatController, organizer: ChatListController, exchange: ImportExportController, models: ModelController,
        preferences: SettingsStore,
    ) -> None:  # fmt: skip
        super().__init__(menu)
        self._chats, self._organizer, self._models = chats, organizer, models
        for name, act in zip(
            _OF_A_CHAT, (menu.rename, menu.export, organizer.duplicate, self._archive, organizer.delete), strict=True
        ):
            actions.add(name, partial(self._with_chat, act), lambda: chats.chat is not None)
        actions.add("export_chats", exchange.ask_export)
        actions.add("import_chats", exchange.ask_import_file)
        actions.add("unload_model", self._unload, lambda: models.status.effective is not None)
        actions.add("loading", lambda: models.settings_wanted.emit(models.model_id, models.status.name))
        actions.add("system_colours", partial(preferences.change, "general", theme="system"))
        for theme in ("light", "dark", "high_contrast"):
            actions.add(theme, partial(preferences.change, "general", theme=theme))

    def _with_chat(self, act: Callable[[str], None]) -> None:
        if (chat := self._chats.chat) is not None:
            act(chat.id)

    def _unload(self) -> None:
        if self._models.status.effective is not None:
            self._models.unload()

    def _archive(self, chat_id: str) -> None:
        if (chat := self._chats.chat) is not None:
            self._organizer.archive(chat_id, not self._organizer.is_archived(chat))
