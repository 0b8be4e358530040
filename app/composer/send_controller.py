"""From Enter to the chat: what may be too long is counted first, and stays in the composer where it is."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject, Signal

from app.chat.chat_controller import ChatController
from app.composer.composer import Composer
from app.composer.draft_controller import DraftController
from app.core.answer_state import AnswerState
from app.core.tasks import spawn
from engine.store.chat_values import Attachment


class SendController(QObject):
    """`sending` before a message goes to the chat: it fits, or nothing is loaded that could tell."""

    sending = Signal()

    def __init__(self, composer: Composer, drafts: DraftController, chats: ChatController) -> None:
        super().__init__(composer)
        self._composer, self._drafts, self._chats = composer, drafts, chats
        self._counting: asyncio.Task[None] | None = None
        drafts.measured.connect(composer.set_size)
        composer.submitted.connect(self._on_submitted)

    def _on_submitted(self, text: str, attachments: tuple[Attachment, ...]) -> None:
        if self._counting is not None:
            self._counting.cancel()
        if self._drafts.is_sure_to_fit(text, attachments):
            self._send(text, attachments)
        else:
            work = self._count_first(self._chats.choices.id, text, attachments)
            self._composer.show_counting()
            self._counting = spawn(work, owner=self, name="count first")

    async def _count_first(self, chat_id: str, text: str, attachments: tuple[Attachment, ...]) -> None:
        size = await self._drafts.measure(text, attachments)
        if not self._is_unchanged(chat_id, text, attachments):
            return
        if size is not None and size.is_blocked:
            self._composer.refuse(size)
        else:
            self._send(text, attachments)

    def _send(self, text: str, attachments: tuple[Attachment, ...]) -> None:
        self.sending.emit()
        self._chats.send(text, attachments)
        self._composer.clear()

    def _is_unchanged(self, chat_id: str, text: str, attachments: tuple[Attachment, ...]) -> bool:
        """Who goes on writing, or opens another chat, has not meant this any more."""
        composer = self._composer
        return (
            composer.state is AnswerState.IDLE
            and (self._chats.choices.id, composer.text) == (chat_id, text)
            and [each.given for each in composer.attachments] == [each.given for each in attachments]
        )
