"""Another version of an answer by another model or preset, without a change of what is chosen for the chat."""

from __future__ import annotations

import time
from dataclasses import replace

from PySide6.QtCore import QObject

from app.chat.chat_controller import ChatController
from app.core.engine_texts import failure_text
from app.core.host_client import HostClient
from app.core.settings_store import SettingsStore
from app.core.tasks import spawn
from app.models.model_controller import ModelController
from app.models.model_picker import model_entries
from app.models.temporary_model import TemporaryModel
from app.ui.command_palette import CommandPalette, Entry
from app.window.main_window import MainWindow
from engine.protocol import (
    Event,
    ListModels,
    ModelEntry,
    ModelsListed,
    RequestFailed,
    Role,
)
from engine.store.chat_values import Chat

_MODEL, _PRESET = "model:", "preset:"


class Regeneration(QObject):
    """Offers what is ready to answer, loads it where needed, and says whose turn it is afterwards."""

    def __init__(
        self,
        window: MainWindow,
        *,
        client: HostClient,
        chats: ChatController,
        models: ModelController,
        preferences: SettingsStore,
        beside: TemporaryModel,
    ) -> None:
        super().__init__(window)
        self._window, self._client, self._chats = window, client, chats
        self._models, self._preferences, self._beside = models, preferences, beside

    def ask_last(self) -> None:
        """Offer it for the last answer."""
        answers = [message.id for message in self._chats.path if message.role is Role.ASSISTANT]
        if answers:
            self.ask(answers[-1])

    def ask(self, message_id: str) -> None:
        """Offer the presets and the models of the library that are ready."""
        if self._chats.question_of(message_id) is not None:
            spawn(self._offer(message_id), owner=self, name="offer models")

    async def _offer(self, message_id: str) -> None:
        event = await self._client.request(ListModels())
        if not isinstance(event, ModelsListed):
            self._fail(event)
            return
        ready = {
            each.model_id: each for each in event.models if each.kind == "chat" and each.state in ("ready", "in_use")
        }
        models = model_entries(tuple(ready.values()), self._models.model_id)
        choices = [replace(each, key=_MODEL + each.key) for each in models]
        theme = self._window.theme
        palette = CommandPalette(theme, self.tr("Regenerate with another model or preset"), self._window)
        palette.set_entries([*choices, *self._preset_entries()])

        def choose(key: str) -> None:
            if key.startswith(_MODEL):
                self._with_model(message_id, ready[key.removeprefix(_MODEL)])
            else:
                self._chats.regenerate(message_id, preset=key.removeprefix(_PRESET))

        palette.chosen.connect(choose)
        palette.open_over()

    def _preset_entries(self) -> list[Entry]:
        current = self._preferences.preset(self._chats.preset_name).name
        shown_names = self._preferences.preset_names().items()
        return [Entry(_PRESET + name, shown, self.tr("preset"), name == current) for name, shown in shown_names]

    def _with_model(self, message_id: str, model: ModelEntry) -> None:
        if model.model_id == self._models.model_id:
            self._chats.regenerate(message_id)
        elif (question := self._chats.question_of(message_id)) is not None:
            self._beside.stop()
            work = self._load_and_answer(*question, model)
            self._chats.ask(work, on_stop=None if model.is_loaded else self._beside.stop)

    async def _load_and_answer(self, chat: Chat, parent_id: str | None, model: ModelEntry) -> None:
        """The version before stays what is shown until the model is there; the chat need not stay open till then."""
        name = model.name or model.model_id
        asked_at = time.monotonic()
        if not model.is_loaded:
            text = self.tr("Loading {name} for another version of the answer: {percent}")
            if not await self._beside.bring(model.model_id, name, text):
                return
            asked_at = time.monotonic()  # Loading was told apart; what is measured now is the answer.
        await self._chats.answer(chat, parent_id, asked_at, model_id=model.model_id)
        chosen = self._models.status.name
        if chosen and self._chats.choices.id == chat.id:
            said = self.tr("{name} writes this version. The chat goes on with {chosen}.")
            self._beside.tell(said.format(name=name, chosen=chosen), model.model_id, name)

    def _fail(self, event: Event) -> None:
        if isinstance(event, RequestFailed):
            self._window.notices.show_notice(failure_text(event.failure), is_warning=True)
