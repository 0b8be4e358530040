"""Explains slow answers, applies what would help, and says whether the next answer was faster for it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal

from app.chat.chat_controller import ChatController
from app.core.host_client import HostClient
from app.core.settings_store import SettingsStore
from app.core.tasks import spawn
from app.latency import diagnosis_texts
from app.models.model_controller import ModelController
from engine.latency.advice import Action, changed_settings, outcome
from engine.latency.diagnosis import Diagnosis, Evidence, diagnose
from engine.metrics import RequestMetrics
from engine.protocol import (
    ContextPolicy,
    EffectiveSettings,
    HardwareSample,
    MetricsRead,
    ReadMetrics,
    TokenDelta,
)
from engine.store.chat_values import Chat, StoredMessage

REMEMBERED = 500
"""Answers of the log that say what this machine has reached."""
MIN_PREFILL = 256
"""A shorter prefill says little about the best rate."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """An answer and why it was slow; no diagnosis for a fast one, or where no rule knows the cause."""

    answer: StoredMessage
    diagnosis: Diagnosis | None


@dataclass(slots=True)
class Observed:
    """What is seen of an answer while it runs."""

    gaps: list[float] = field(default_factory=list)
    gpu: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    window_started: float = 0.0
    """The window's own computing time, in seconds, when the answer was asked for."""
    window_seconds: float | None = None
    """What it computed from there to the first paint."""


class WhySlowController(QObject):
    """Signals: `explained(Explanation)` of each finished or asked-for answer, `told(str)` for what was done,
    `confirmed(str)` when an answer has shown what a change brought, `models_requested` to choose another model.
    """

    explained = Signal(object)
    told = Signal(str)
    confirmed = Signal(str)
    models_requested = Signal()

    def __init__(
        self,
        client: HostClient,
        chats: ChatController,
        models: ModelController,
        settings_store: SettingsStore,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._client, self._chats, self._models, self._settings_store = client, chats, models, settings_store
        self._running: dict[str, tuple[str, Observed]] = {}
        """Chat id → request id and what is seen of it."""
        self._explanations: dict[str, Explanation] = {}
        self._last: Explanation | None = None
        self._change: Explanation | None = None
        """An answer whose advice was taken: the next one tells what it brought."""
        self._best_prefill: dict[str, float] = {}
        self._entered: float | None = None
        client.subscribe(TokenDelta, self._on_token)
        client.subscribe(HardwareSample, self._on_sample)
        chats.answer_started.connect(self._on_answer_started)
        chats.answer_finished.connect(self._on_answer_finished)
        spawn(self._read_best(), owner=self, name="read best rates")

    def note_enter(self) -> None:
        """The user has sent something: what the window computes from now on delays the answer."""
        self._entered = time.thread_time()

    def note_painted(self, _message_id: str) -> None:
        """The open chat's answer has been painted for the first time."""
        _, observed = self._running.get(self._chats.chat.id if self._chats.chat is not None else "", ("", None))
        if observed is not None:
            observed.window_seconds = time.thread_time() - observed.window_started

    def running(self, chat_id: str) -> tuple[str, tuple[float, ...]]:
        """The request id of a chat's running answer and its gaps so far; an empty id without one."""
        request_id, observed = self._running.get(chat_id, ("", Observed()))
        return request_id, tuple(observed.gaps)

    @property
    def last(self) -> Explanation | None:
        """What was explained last."""
        return self._last

    def explain(self, message_id: str) -> Explanation | None:
        """Why an answer of the open chat was slow; None where nothing was measured."""
        found = self._explanations.get(message_id)
        if found is None:
            answer = next((message for message in self._chats.path if message.id == message_id), None)
            if answer is None or answer.metrics is None:
                return None
            found = Explanation(answer, self._diagnose(answer, answer.metrics, Observed()))
        self._last = found
        self.explained.emit(found)
        return found

    def act(self) -> None:
        """Apply the advice about the answer that was explained last."""
        found = self._last
        if found is None or found.diagnosis is None or (action := found.diagnosis.action) is None:
            return
        model_id = self._models.model_id
        effective = found.answer.effective or EffectiveSettings()
        settings = changed_settings(action, self._models.settings_of(model_id), effective)
        if (settings is not None or action is Action.KEEP_WARM) and self._is_by_another(effective):
            text = self.tr("{name} wrote this answer. Choose it as the model first: this changes how it is loaded.")
            self.told.emit(text.format(name=effective.model_name))
        elif settings is not None:
            per_model = self._settings_store.settings.models.per_model | {model_id: settings}
            self._settings_store.change("models", per_model=per_model)
            self._models.load(model_id)
            self._change = found
            text = self.tr("{change}: the model loads again with it. The next answer shows what it brings.")
            self.told.emit(text.format(change=diagnosis_texts.button(action)))
        else:
            self._act_in_app(action, model_id)

    def _is_by_another(self, effective: EffectiveSettings) -> bool:
        """Whether an answer came from another model than the chosen one, as far as both are known."""
        chosen = self._models.status.effective
        wrote = effective.model_name, effective.fingerprint
        return chosen is not None and wrote not in ((chosen.model_name, chosen.fingerprint), ("", ""))

    def _act_in_app(self, action: Action, model_id: str) -> None:
        match action:
            case Action.KEEP_WARM:
                kept = dict.fromkeys((*self._settings_store.settings.models.keep_warm, model_id))
                self._settings_store.change("models", keep_warm=tuple(kept))
                self.told.emit(self.tr("The model stays loaded, and is loaded at each start."))
            case Action.SUMMARISE_HISTORY:
                self._chats.change_chat(context_policy=ContextPolicy.SUMMARISE)
                self.told.emit(self.tr("Old turns of this chat are summarised once the context runs short."))
            case Action.UNDO_PREFIX_CHANGE:
                self.told.emit(
                    self.tr(
                        "Only what begins exactly as before is read from the cache. The system prompt, the template's "
                        "options and old messages count: go back to the version before the edit, or leave them as "
                        "they are."
                    )
                )
            case Action.SMALLER_QUANTIZATION:
                self.models_requested.emit()
            case Action.REPORT:
                self.told.emit(
                    self.tr("Please report it: Settings, About saves diagnostics, without any text of your chats.")
                )

    def _on_answer_started(self, chat_id: str, request_id: str) -> None:
        started, self._entered = self._entered or time.thread_time(), None
        self._running[chat_id] = request_id, Observed(window_started=started)

    def _on_token(self, event: TokenDelta) -> None:
        if event.gap > 0:
            for request_id, observed in self._running.values():
                if request_id == event.request_id:
                    observed.gaps.append(event.gap)

    def _on_sample(self, event: HardwareSample) -> None:
        for _, observed in self._running.values():
            if event.gpu_utilisation is not None:
                observed.gpu.append(event.gpu_utilisation)
            if event.cpu_utilisation is not None:
                observed.cpu.append(event.cpu_utilisation)

    def _on_answer_finished(self, chat: Chat, answer: StoredMessage) -> None:
        _, observed = self._running.pop(chat.id, ("", Observed()))
        if answer.metrics is None:
            return
        found = Explanation(answer, self._diagnose(answer, answer.metrics, observed))
        self._learn(answer.model_name, answer.metrics)
        self._explanations[answer.id] = found
        while len(self._explanations) > REMEMBERED:
            del self._explanations[next(iter(self._explanations))]
        self._confirm(answer.metrics)
        if self._chats.chat is not None and self._chats.chat.id == chat.id:
            self._last = found
            self.explained.emit(found)

    def _confirm(self, after: RequestMetrics) -> None:
        change, self._change = self._change, None
        if change is None or change.diagnosis is None or change.answer.metrics is None:
            return
        if (brought := outcome(change.diagnosis.metric, change.answer.metrics, after)) is not None:
            self.confirmed.emit(diagnosis_texts.brought(change.diagnosis.action, brought))

    def _diagnose(self, answer: StoredMessage, metrics: RequestMetrics, observed: Observed) -> Diagnosis | None:
        return diagnose(
            Evidence(
                metrics=metrics,
                effective=answer.effective or EffectiveSettings(),
                thresholds=self._settings_store.settings.thresholds,
                gaps=observed.gaps,
                perceived_ttft=answer.perceived_ttft,
                window_seconds=observed.window_seconds,
                best_prefill_tps=self._best_prefill.get(answer.model_name),
                gpu_utilisation=_mean(observed.gpu),
                cpu_utilisation=_mean(observed.cpu),
            )
        )

    async def _read_best(self) -> None:
        """What this machine has reached with each model, from the log."""
        query = ReadMetrics(scope="all", limit=REMEMBERED)
        event = await self._client.request(query)
        if isinstance(event, MetricsRead):
            for logged in event.answers:
                self._learn(logged.model, logged.metrics)

    def _learn(self, model: str, metrics: RequestMetrics) -> None:
        if metrics.prefill_tps and metrics.n_prompt_tokens - metrics.n_cached_tokens >= MIN_PREFILL:
            self._best_prefill[model] = max(self._best_prefill.get(model, 0.0), metrics.prefill_tps)


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
