"""Goes on with a cut answer by the model that began it; by the chosen one only where it says so."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QObject

from app.chat.chat_controller import ChatController
from app.core.answer_state import AnswerState
from app.core.host_client import HostClient
from app.models.model_controller import ModelController
from app.models.temporary_model import TOLD_MS, TemporaryModel
from app.window.main_window import MainWindow
from engine.protocol import ListModels, ModelEntry, ModelsListed
from engine.store.chat_values import Chat, StoredMessage


class Continuation(QObject):
    """The chosen model stays chosen, whichever goes on."""

    def __init__(
        self,
        window: MainWindow,
        client: HostClient,
        chats: ChatController,
        models: ModelController,
        beside: TemporaryModel,
    ) -> None:
        super().__init__(window)
        self._window, self._client, self._chats, self._models, self._beside = window, client, chats, models, beside

    def continue_answer(self, message_id: str) -> None:
        """Go on where an answer was cut."""
        chat, place = self._chats.chat, self._chats.place(message_id)
        if chat is None or place < 0 or self._chats.state is not AnswerState.IDLE:
            return
        path = list(self._chats.path[: place + 1])
        if self._is_by_chosen(path[-1]):
            self._chats.continue_answer(message_id)
        else:
            self._chats.ask(self._continue(chat, path), on_stop=self._beside.stop)

    def _is_by_chosen(self, message: StoredMessage) -> bool:
        """Also where nobody knows any more who wrote it."""
        chosen, own = self._models.status.effective, message.effective
        if own is None or chosen is None:
            return not message.model_name
        return (own.model_path, own.model_name) == (chosen.model_path, chosen.model_name)

    async def _continue(self, chat: Chat, path: Sequence[StoredMessage]) -> None:
        message, asked_at = path[-1], time.monotonic()
        event = await self._client.request(ListModels())
        own = own_model(message, event.models) if isinstance(event, ModelsListed) else None
        chosen = self._models.status
        if own is not None and chosen.model_id in (own.model_id, own.path):
            await self._chats.go_on(chat, path, asked_at)
        elif own is None:
            if chosen.name:
                text = self.tr("{name}, which began this answer, is not on this computer. {chosen} goes on with it.")
                said = text.format(name=message.model_name, chosen=chosen.name)
                self._window.notices.show_notice(said, key="continued", lasts_ms=TOLD_MS)
            await self._chats.go_on(chat, path, asked_at)
        else:
            name = own.name or own.model_id
            if not own.is_loaded:
                text = self.tr("Loading {name}, which began this answer, to go on with it: {percent}")
                if not await self._beside.bring(own.model_id, name, text):
                    return
                asked_at = time.monotonic()  # Loading was told apart; what is measured now is the answer.
            await self._chats.go_on(chat, path, asked_at, model_id=own.model_id)
            if chosen.name and self._chats.choices.id == chat.id:
                text = self.tr("{name} goes on with the answer that it began. The chat goes on with {chosen}.")
                self._beside.tell(text.format(name=name, chosen=chosen.name), own.model_id, name)


def own_model(message: StoredMessage, models: Sequence[ModelEntry]) -> ModelEntry | None:
    """The library's model that wrote a message: its file, or another of the same name and quantization."""
    ready = [each for each in models if each.kind == "chat" and each.state in ("ready", "in_use")]
    path = message.effective.model_path if message.effective is not None else ""
    kind = message.effective.quantization if message.effective is not None else ""
    for each in ready:
        if path and each.path == path:
            return each
    named = [each for each in ready if each.name == message.model_name and kind in ("", each.quantization)]
    return named[0] if named else None
