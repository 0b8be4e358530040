"""Titles for new chats, from the loaded model at the lowest priority; the first words stay when it has none."""

from __future__ import annotations

import asyncio
import re

from PySide6.QtCore import QObject, Signal

from app.chat.answer import background_answer
from app.chat.chat_prompt import first_words
from app.core.chat_database import ChatDatabase
from app.core.host_client import HostClient
from app.core.tasks import spawn
from engine.errors import FirstlightError
from engine.protocol import ChatMessage, Role
from engine.store.chat_values import Chat, MessageState, StoredMessage
from engine.store.chats import ChatStore

_MAX_TOKENS = 24
_QUOTED_CHARACTERS = 600
_ASK = "Give this conversation a title of two to five words. Answer with the title alone."


class ChatTitles(QObject):
    """`titled(chat_id)` when a chat got its title."""

    titled = Signal(str)

    def __init__(self, client: HostClient, database: ChatDatabase, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client, self._database = client, database
        self._running: asyncio.Task[None] | None = None

    def answer_finished(self, chat: Chat, answer: StoredMessage) -> None:
        """Make a title after a chat's first answer, unless the user has given one."""
        if answer.state is MessageState.COMPLETE:
            self.cancel()
            self._running = spawn(self._make(chat, answer), owner=self, name="title")

    def cancel(self) -> None:
        """Something more urgent is asked of the model."""
        if self._running is not None:
            self._running.cancel()
            self._running = None

    async def _make(self, chat: Chat, answer: StoredMessage) -> None:
        try:
            path = await self._database.call(ChatStore.path, chat.id)
            now = await self._database.call(ChatStore.chat, chat.id)
            users = [message for message in path if message.role is Role.USER]
            if len(users) != 1 or not users[0].content or now.title != first_words(users[0].content):
                return
            title = clean_title(await self._ask(users[0].content, answer.content))
            if not title:
                return
            if await self._database.call(_name_untouched, chat.id, now.title, title):
                self.titled.emit(chat.id)
        except FirstlightError:
            # The first words stay: a title is not worth a message.
            return

    async def _ask(self, question: str, answer: str) -> str:
        said = f"{question[:_QUOTED_CHARACTERS]}\n\n{answer[:_QUOTED_CHARACTERS]}"
        messages = (ChatMessage(role=Role.USER, content=f"{said}\n\n{_ASK}"),)
        return await background_answer(self._client, messages, _MAX_TOKENS)


def _name_untouched(store: ChatStore, chat_id: str, first: str, title: str) -> bool:
    """Store a title unless the user has given one meanwhile; whether it was."""
    if store.chat(chat_id).title != first:
        return False
    store.update_chat(chat_id, title=title)
    return True


def clean_title(text: str) -> str:
    """The title in what a model said, or an empty text when there is none to be had."""
    line = next((line for line in text.strip().splitlines() if line.strip()), "")
    line = re.sub(r"^(\**\s*)?(title|标题)\s*[:：]\s*", "", line.strip(), flags=re.IGNORECASE)
    line = line.strip(" \"'“”‘’*#_`").rstrip(".")
    return line if 2 <= len(line) <= 60 and "<" not in line else ""
