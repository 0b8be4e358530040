"""The versions of the open chat's messages: edits, deletes with undo, other versions, and chats that branch off."""

from __future__ import annotations

import asyncio
import time

from PySide6.QtCore import QObject

from app.chat.chat_controller import ChatController
from app.core.answer_state import AnswerState
from app.core.chat_database import ChatDatabase, Ended, report_failure
from engine.protocol import Role
from engine.store.chat_values import Chat
from engine.store.chats import ChatStore


class MessageVersions(QObject):
    """What is told goes through the chat controller's signals."""

    def __init__(self, chats: ChatController, database: ChatDatabase) -> None:
        super().__init__(chats)
        self._chats, self._database = chats, database

    def edit(self, message_id: str, text: str, ended: Ended = lambda _fault: None) -> None:
        """Another version of a message; a user's is answered anew. Whoever holds the text keeps it until `ended`."""
        asked_at = time.monotonic()
        if self._chats.state is not AnswerState.IDLE:
            ended(self.tr("An answer is still being written. Stop it or wait for its end, then save this again."))
        elif not text.strip():
            ended(self.tr("A message cannot be empty. Delete it instead."))
        elif self._chats.place(message_id) < 0:
            ended(self.tr("This message is no longer shown. Copy the text into a new one."))
        else:
            self._chats.ask(self._edit(self._chats.choices, message_id, text, asked_at, ended))

    def delete(self, message_id: str) -> None:
        """Take one message out; undo_offered brings it back."""
        if self._chats.place(message_id) >= 0 and self._chats.state is AnswerState.IDLE:
            self._chats.spawn_guarded(self._delete(message_id), "delete message")

    def show_version(self, message_id: str, index: int) -> None:
        """Show another version of a message, with what followed it."""
        if self._chats.state is AnswerState.IDLE:
            self._chats.spawn_guarded(self._show_version(message_id, index), "show version")

    def branch(self, message_id: str) -> None:
        """A new chat with everything up to this message."""
        if (chat := self._chats.chat) is not None:
            self._chats.spawn_guarded(self._branch(chat.id, message_id), "branch")

    async def _edit(self, chat: Chat, message_id: str, text: str, asked_at: float, ended: Ended) -> None:
        storing = asyncio.ensure_future(self._database.call(ChatStore.edit_message, message_id, text))
        if not await report_failure(storing, ended):
            return
        message = storing.result()
        await self._show_again(chat.id)
        if message.role is Role.USER:
            await self._chats.answer(chat, message.id, asked_at)

    async def _delete(self, message_id: str) -> None:
        message = await self._database.call(ChatStore.message, message_id)
        deletion = await self._database.call(ChatStore.delete_message, message_id)
        await self._show_again(message.chat_id)

        async def bring_back() -> None:
            await self._database.call(ChatStore.undo, deletion)
            await self._show_again(message.chat_id)

        self._chats.undo_offered.emit(
            self.tr("The message was deleted."),
            lambda: self._chats.spawn_guarded(bring_back(), "undo delete"),
        )

    async def _show_version(self, message_id: str, index: int) -> None:
        siblings = await self._database.call(ChatStore.siblings, message_id)
        if 0 <= index < len(siblings):
            await self._database.call(ChatStore.set_head, siblings[index].id)
            await self._show_again(siblings[index].chat_id)

    async def _branch(self, chat_id: str, message_id: str) -> None:
        copy = await self._database.call(ChatStore.duplicate_chat, chat_id, up_to=message_id)
        self._chats.chats_changed.emit()
        await self._chats.show(copy.id)

    async def _show_again(self, chat_id: str) -> None:
        """As it is stored now, unless another chat was opened meanwhile."""
        if self._chats.choices.id == chat_id:
            await self._chats.show(chat_id)
