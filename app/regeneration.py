"""Another version of an answer by another model or preset, without a change of what is chosen for the chat."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence

from PySide6.QtCore import QObject

from app.chat_controller import ChatController
from app.engine_sentences import failure_text
from app.host_client import HostClient
from app.model_controller import ModelController
from app.preferences import Preferences
from app.quantities import format_bytes
from app.tasks import spawn
from app.widgets.main_window import MainWindow
from app.widgets.palette import Entry, Palette
from engine.protocol import (
    Event,
    ListModels,
    LoadModel,
    LoadProgress,
    ModelEntry,
    ModelLoaded,
    ModelsListed,
    RequestFailed,
    Role,
)

_NOTICE = "regeneration"
_TOLD_MS = 20_000
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
        preferences: Preferences,
    ) -> None:
        super().__init__(window)
        self._window, self._client, self._chats = window, client, chats
        self._models, self._preferences = models, preferences
        self._loading: asyncio.Task[bool] | None = None

    def ask_last(self) -> None:
        """Offer it for the last answer."""
        answers = [message.id for message in self._chats.path if message.role is Role.ASSISTANT]
        if answers:
            self.ask(answers[-1])

    def ask(self, message_id: str) -> None:
        """Offer the presets and the models of the library that are ready."""
        if self._chats.can_regenerate(message_id):
            spawn(self._offer(message_id), owner=self, name="offer models")

    async def _offer(self, message_id: str) -> None:
        event = await self._client.request(ListModels(request_id=self._client.new_request_id()))
        if not isinstance(event, ModelsListed):
            self._fail(event)
            return
        ready = {each.model_id: each for each in event.models if each.kind == "chat" and _is_ready(each)}
        theme = self._window.theme
        palette = Palette(theme, self.tr("Regenerate with another model or preset"), self._window)
        palette.setFont(theme.font())
        palette.set_entries([*self._model_entries(tuple(ready.values())), *self._preset_entries()])

        def choose(key: str) -> None:
            if key.startswith(_MODEL):
                self._with_model(message_id, ready[key.removeprefix(_MODEL)])
            else:
                self._with_preset(message_id, key.removeprefix(_PRESET))

        palette.chosen.connect(choose)
        palette.open_over()

    def _model_entries(self, models: Sequence[ModelEntry]) -> list[Entry]:
        entries = []
        for model in sorted(models, key=lambda model: (not model.is_loaded, model.name.casefold())):
            size = format_bytes(model.size_bytes) if model.size_bytes else ""
            parts = (model.quantization, size, self.tr("warm") if model.is_loaded else "")
            detail = " · ".join(part for part in parts if part)
            is_current = model.model_id == self._models.model_id
            entries.append(Entry(_MODEL + model.model_id, model.name or model.model_id, detail, is_current))
        return entries

    def _preset_entries(self) -> list[Entry]:
        current = self._preferences.preset(self._chats.preset_name).name
        presets = self._preferences.settings.presets
        return [Entry(_PRESET + each.name, each.name, self.tr("preset"), each.name == current) for each in presets]

    def _with_preset(self, message_id: str, preset: str) -> None:
        if self._chats.can_regenerate(message_id):
            self._chats.ask(self._chats.answer_again(message_id, time.monotonic(), preset=preset))

    def _with_model(self, message_id: str, model: ModelEntry) -> None:
        if model.model_id == self._models.model_id:
            self._chats.regenerate(message_id)
        elif self._chats.can_regenerate(message_id):
            self._chats.ask(self._load_and_answer(message_id, model), on_stop=self._stop)

    def _stop(self) -> None:
        if self._loading is not None:
            self._loading.cancel()

    async def _load_and_answer(self, message_id: str, model: ModelEntry) -> None:
        """The version before stays what is shown until the model is there."""
        name = model.name or model.model_id
        asked_at = time.monotonic()
        if not model.is_loaded:
            self._loading = spawn(self._load(model.model_id, name), owner=self, name="load another model")
            is_there = False
            with contextlib.suppress(asyncio.CancelledError):
                is_there = await self._loading
            self._window.notices.dismiss(_NOTICE)
            if not is_there:
                return
            asked_at = time.monotonic()  # Loading was told apart; what is measured now is the answer.
        await self._chats.answer_again(message_id, asked_at, model_id=model.model_id)
        self._window.notices.show_notice(
            self.tr("{name} writes this version. The chat goes on with {chosen}.").format(
                name=name, chosen=self._models.status.name
            ),
            key=_NOTICE,
            action=self.tr("Go on with {name}").format(name=name),
            on_action=lambda: self._models.load(model.model_id, name=name),
            lasts_ms=_TOLD_MS,
        )

    async def _load(self, model_id: str, name: str) -> bool:
        """Load it beside the chosen one, with its own settings; a failure is told. Cancelling ends the load."""
        self._show_progress(name, 0.0)
        settings = self._models.settings_of(model_id)
        command = LoadModel(request_id=self._client.new_request_id(), model_id=model_id, settings=settings)
        async with contextlib.aclosing(self._client.stream(command)) as events:
            async for event in events:
                if isinstance(event, LoadProgress):
                    self._show_progress(name, event.fraction)
                elif isinstance(event, ModelLoaded):
                    return True
                elif isinstance(event, RequestFailed):
                    self._fail(event)
        return False

    def _show_progress(self, name: str, fraction: float) -> None:
        text = self.tr("Loading {name} for another version of the answer: {percent}").format(
            name=name, percent=f"{fraction:.0%}"
        )
        if fraction == 0.0:
            self._window.notices.show_notice(text, key=_NOTICE, action=self.tr("Cancel"), on_action=self._stop)
        else:
            self._window.notices.change_text(_NOTICE, text)

    def _fail(self, event: Event) -> None:
        if isinstance(event, RequestFailed):
            self._window.notices.show_notice(failure_text(event.failure), is_warning=True)


def _is_ready(model: ModelEntry) -> bool:
    return model.state in ("ready", "in_use")
