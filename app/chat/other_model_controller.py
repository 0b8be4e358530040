"""Answers by another model than the chosen one: a version that is asked of it, and the rest of one that it began."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.chat.chat_controller import ChatController
from app.core.answer_state import AnswerState
from app.core.engine_texts import failure_text
from app.core.host_client import HostClient
from app.core.settings_store import SettingsStore
from app.core.tasks import spawn
from app.models.model_controller import ModelController
from app.models.model_picker import model_entries
from app.models.temporary_model import TOLD_MS, TemporaryModel
from app.ui.command_palette import CommandPalette, Entry
from app.ui.notice_bar import NoticeBar
from app.ui.theme import Theme
from engine.protocol import ListModels, ModelEntry, ModelsListed, RequestFailed, Role
from engine.store.chat_values import Chat, StoredMessage

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

_MODEL, _PRESET = "model:", "preset:"


class OtherModelController(QObject):
    """Loads the other model where needed, and says whose turn it is afterwards: the chosen one stays chosen."""

    def __init__(
        self, window: QWidget, theme: Theme, notices: NoticeBar, *,
        client: HostClient, chats: ChatController, models: ModelController, settings_store: SettingsStore,
    ) -> None:  # fmt: skip
        """`window` is what the list of models lies over."""
        super().__init__(window)
        self._window, self._theme, self._notices = window, theme, notices
        self._client, self._chats, self._models, self._settings_store = client, chats, models, settings_store
        self._loader = TemporaryModel(notices, client, models)
        chats.chat_opened.connect(lambda chat: self._loader.chat_opened(chat.id if chat is not None else ""))

    # Another version of an answer.

    def offer_last(self) -> None:
        """Offer it for the last answer."""
        answers = [message.id for message in self._chats.path if message.role is Role.ASSISTANT]
        if answers:
            self.offer(answers[-1])

    def offer(self, message_id: str) -> None:
        """Offer the presets and the models of the library that are ready, for another version of an answer."""
        if self._chats.question_of(message_id) is not None:
            spawn(self._offer(message_id), owner=self, name="offer models")

    async def _offer(self, message_id: str) -> None:
        event = await self._client.request(ListModels())
        if isinstance(event, RequestFailed):
            self._notices.show_notice(failure_text(event.failure), is_warning=True)
        if not isinstance(event, ModelsListed):
            return
        ready = {each.model_id: each for each in _ready(event.models)}
        entries = model_entries(tuple(ready.values()), self._models.model_id)
        choices = [replace(each, key=_MODEL + each.key) for each in entries]
        palette = CommandPalette(self._theme, self.tr("Regenerate with another model or preset"), self._window)
        palette.set_entries([*choices, *self._preset_entries()])

        def choose(key: str) -> None:
            if key.startswith(_MODEL):
                self._regenerate(message_id, ready[key.removeprefix(_MODEL)])
            else:
                self._chats.regenerate(message_id, preset=key.removeprefix(_PRESET))

        palette.chosen.connect(choose)
        palette.open_over()

    def _preset_entries(self) -> list[Entry]:
        current = self._settings_store.preset(self._chats.preset_name).name
        shown_names = self._settings_store.preset_names().items()
        return [Entry(_PRESET + name, shown, self.tr("preset"), name == current) for name, shown in shown_names]

    def _regenerate(self, message_id: str, model: ModelEntry) -> None:
        if model.model_id == self._models.model_id:
            self._chats.regenerate(message_id)
        elif (question := self._chats.question_of(message_id)) is not None:
            self._loader.stop()
            work = self._load_and_answer(*question, model)
            self._chats.ask(work, on_stop=None if model.is_loaded else self._loader.stop)

    async def _load_and_answer(self, chat: Chat, parent_id: str | None, model: ModelEntry) -> None:
        """The version before stays what is shown until the model is there; the chat need not stay open till then."""
        asked_at = time.monotonic()
        if not model.is_loaded:
            if not await self._load(model, self.tr("Loading {name} for another version of the answer: {percent}")):
                return
            asked_at = time.monotonic()  # Loading was told apart; what is measured now is the answer.
        await self._chats.answer(chat, parent_id, asked_at, model_id=model.model_id)
        self._tell_turn(chat, model, self.tr("{name} writes this version. The chat goes on with {chosen}."))

    # The rest of a cut answer.

    def continue_answer(self, message_id: str) -> None:
        """Go on where an answer was cut, by the model that began it; by the chosen one only where that is said."""
        chat, place = self._chats.chat, self._chats.place(message_id)
        if chat is None or place < 0 or self._chats.state is not AnswerState.IDLE:
            return
        path = list(self._chats.path[: place + 1])
        if self._is_by_chosen(path[-1]):
            self._chats.continue_answer(message_id)
        else:
            self._chats.ask(self._continue(chat, path), on_stop=self._loader.stop)

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
        if own is None or chosen.model_id in (own.model_id, own.path):
            if own is None and chosen.name:
                text = self.tr("{name}, which began this answer, is not on this computer. {chosen} goes on with it.")
                said = text.format(name=message.model_name, chosen=chosen.name)
                self._notices.show_notice(said, key="continued", lasts_ms=TOLD_MS)
            await self._chats.go_on(chat, path, asked_at)
            return
        if not own.is_loaded:
            if not await self._load(
                own, self.tr("Loading {name}, which began this answer, to go on with it: {percent}")
            ):
                return
            asked_at = time.monotonic()  # Without the loading, as with another version.
        await self._chats.go_on(chat, path, asked_at, model_id=own.model_id)
        text = self.tr("{name} goes on with the answer that it began. The chat goes on with {chosen}.")
        self._tell_turn(chat, own, text)

    # The other model.

    async def _load(self, model: ModelEntry, text: str) -> bool:
        return await self._loader.bring(model.model_id, _name(model), text)

    def _tell_turn(self, chat: Chat, model: ModelEntry, text: str) -> None:
        """`text` has places for the {name} and the {chosen} model's."""
        chosen = self._models.status.name
        if chosen and self._chats.choices.id == chat.id:
            self._loader.tell(text.format(name=_name(model), chosen=chosen), model.model_id, _name(model))


def own_model(message: StoredMessage, models: Sequence[ModelEntry]) -> ModelEntry | None:
    """The library's model that wrote a message: its file, or another of the same name and quantization."""
    ready = _ready(models)
    path = message.effective.model_path if message.effective is not None else ""
    kind = message.effective.quantization if message.effective is not None else ""
    for each in ready:
        if path and each.path == path:
            return each
    named = [each for each in ready if each.name == message.model_name and kind in ("", each.quantization)]
    return named[0] if named else None


def _ready(models: Sequence[ModelEntry]) -> list[ModelEntry]:
    """Those that can answer."""
    return [each for each in models if each.kind == "chat" and each.state in ("ready", "in_use")]


def _name(model: ModelEntry) -> str:
    return model.name or model.model_id
