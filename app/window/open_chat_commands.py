"""Commands about the open chat that have no place of their own: what keys and the palette do with it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QGuiApplication

from app.chat.chat_controller import ChatController
from app.chat_list.chat_list_model import ChatListModel
from app.composer.composer import Composer
from app.composer.message_inserter import MessageInserter
from app.core.chat_database import ChatDatabase
from app.core.conversation_model import ConversationModel
from app.core.settings_store import SettingsStore
from app.core.tool_markup import join_tool_call
from engine.protocol import Role
from engine.settings import General

_MIN_SIZE, _MAX_SIZE = 10, 24


class OpenChatCommands:
    def __init__(
        self,
        chats: ChatController,
        listed: ChatListModel,
        conversation: ConversationModel,
        settings_store: SettingsStore,
        *,
        database: ChatDatabase,
        composer: Composer,
    ) -> None:
        self._chats, self._listed, self._conversation = chats, listed, conversation
        self._settings_store = settings_store
        self.inserter = MessageInserter(chats, database, composer)

    def handlers(self) -> dict[str, Callable[[], None]]:
        """What the commands of app/ui/shortcuts.py do, by their names."""
        return {
            "regenerate": self.regenerate_last, "copy_answer": self.copy_last,
            "add_message": self.inserter.add_own, "add_answer": self.inserter.add_as_model,
            "next_chat": self.next_chat, "previous_chat": self.previous_chat,
            "larger": self.larger, "smaller": self.smaller, "usual_size": self.usual_size,
        }  # fmt: skip

    def conditions(self) -> dict[str, Callable[[], bool]]:
        """Which of the commands about the open chat can do anything now."""
        return {
            "regenerate": self._can_regenerate, "regenerate_with": self._can_regenerate,
            "copy_answer": lambda: bool(self._last_answer()), "find": lambda: bool(self._chats.path),
            "show_prompt": lambda: self._chats.chat is not None,
            "add_message": lambda: self.inserter.can_add(Role.USER),
            "add_answer": lambda: self.inserter.can_add(Role.ASSISTANT),
            "next_chat": lambda: self._neighbour(1) is not None,
            "previous_chat": lambda: self._neighbour(-1) is not None,
        }  # fmt: skip

    def copy_message(self, message_id: str) -> None:
        """Put a message's text on the clipboard, with its tool call."""
        if (row := self._conversation.row_of(message_id)) is not None:
            item = self._conversation.item(row)
            QGuiApplication.clipboard().setText(join_tool_call(item.content, item.tool_call))

    def copy_last(self) -> None:
        self.copy_message(self._last_answer())

    def regenerate_last(self) -> None:
        self._chats.regenerate(self._last_answer())

    def next_chat(self) -> None:
        self._step(1)

    def previous_chat(self) -> None:
        self._step(-1)

    def larger(self) -> None:
        self._zoom(1)

    def smaller(self) -> None:
        self._zoom(-1)

    def usual_size(self) -> None:
        """The text size that Firstlight comes with."""
        self._settings_store.change("general", font_size=General().font_size)

    def _last_answer(self) -> str:
        answers = [message.id for message in self._chats.path if message.role is Role.ASSISTANT]
        return answers[-1] if answers else ""

    def _can_regenerate(self) -> bool:
        return self._chats.question_of(self._last_answer()) is not None

    def _step(self, step: int) -> None:
        if (chat_id := self._neighbour(step)) is not None:
            self._chats.open_chat(chat_id)

    def _neighbour(self, step: int) -> str | None:
        """The chat before or behind the open one in the list; the first where that is not listed."""
        ids = [chat.id for chat in self._listed.chats]
        current = self._chats.chat.id if self._chats.chat is not None else ""
        place = ids.index(current) + step if current in ids else 0
        return ids[place] if 0 <= place < len(ids) else None

    def _zoom(self, step: int) -> None:
        size = self._settings_store.settings.general.font_size + step
        self._settings_store.change("general", font_size=max(_MIN_SIZE, min(_MAX_SIZE, size)))
