"""Adds a message to the chat without asking the model: the user's own, or what the model is to have said."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject, Signal

from app.chat.chat_controller import ChatController
from app.chat.chat_prompt import first_words
from app.composer.composer import Composer
from app.core.answer_state import AnswerState
from app.core.chat_database import ChatDatabase
from app.core.tasks import spawn
from engine.errors import FirstlightError
from engine.protocol import Role
from engine.store.chat_values import Attachment, Chat
from engine.store.chats import ChatStore


class MessageInserter(QObject):
    """Takes the text and the files from the composer. Signals: `failed(Failure)`."""

    failed = Signal(object)

    def __init__(self, chats: ChatController, database: ChatDatabase, composer: Composer) -> None:
        super().__init__(chats)
        self._running: asyncio.Task[None] | None = None
        self._chats, self._database, self._composer = chats, database, composer

    def add_own(self) -> None:
        """Add what is written as the user's message."""
        self._add(Role.USER)

    def add_as_model(self) -> None:
        """Add what is written as the model's message; the files stay where they are."""
        self._add(Role.ASSISTANT)

    def can_add(self, role: Role) -> bool:
        """Whether there is something to add as this role's message, and nothing in its way."""
        is_free = self._chats.state is AnswerState.IDLE and (self._running is None or self._running.done())
        return is_free and bool(self._composer.text.strip() or self._files(role))

    def _files(self, role: Role) -> tuple[Attachment, ...]:
        return self._composer.attachments if role is Role.USER else ()

    def _add(self, role: Role) -> None:
        if self.can_add(role) and not self._composer.edit.is_composing:
            work = self._store(self._chats.choices, role, self._composer.text, self._files(role))
            self._running = spawn(work, owner=self, name="add message")

    async def _store(self, shown: Chat, role: Role, text: str, attachments: tuple[Attachment, ...]) -> None:
        chat = shown
        try:
            if not chat.id:
                chat = await self._database.create_chat(first_words(text or attachments[0].name), shown)
            await self._database.call(ChatStore.add_message, chat.id, role, text, attachments=attachments)
        except FirstlightError as error:
            self.failed.emit(error.failure)
            return
        if self._chats.choices.id == shown.id:  # In another chat by now, its draft stays as it is.
            if self._composer.text == text:
                self._composer.edit.set_text("")
            for attachment in attachments:
                self._composer.files.remove(attachment)
            if not shown.id:
                self._chats.chat_stored.emit(chat)
            self._chats.open_chat(chat.id)
        self._chats.chats_changed.emit()
