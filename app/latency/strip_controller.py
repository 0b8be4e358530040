"""Feeds the latency strip from the host's events: the open chat's running or last answer, and the machine."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, SignalInstance

from app.core.host_client import HostClient, HostState
from app.core.throttle import Throttle
from app.latency.strip_readings import Phase, StripReadings
from engine.protocol import (
    EffectiveSettings,
    Event,
    GenerationFinished,
    GenerationStarted,
    HardwareSample,
    MetricsUpdate,
    PrefillProgress,
    Queued,
    RequestFailed,
    TokenDelta,
    Watch,
)
from engine.store.chat_values import Chat, StoredMessage

_REPAINT_MS = 100
_SAMPLE_SECONDS = 1.0
_OF_ANSWERS: tuple[type[Event], ...] = (
    Queued, GenerationStarted, PrefillProgress, TokenDelta, MetricsUpdate, GenerationFinished, RequestFailed,
)  # fmt: skip


class StripController(QObject):
    """`figures_changed(StripReadings)` at most ten times a second."""

    figures_changed = Signal(object)

    def __init__(self, client: HostClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        self._chat_id = ""
        self._running: dict[str, str] = {}
        """Chat id to the request id of its running answer."""
        self._figures = StripReadings()
        self._throttle = Throttle(_REPAINT_MS, lambda: self.figures_changed.emit(self._figures), self)
        client.subscribe(HardwareSample, self._on_sample)
        for kind in _OF_ANSWERS:
            client.subscribe(kind, self._on_event)
        client.state_changed.connect(self._on_host_state)

    @property
    def figures(self) -> StripReadings:
        return self._figures

    def follow(self, answer_started: SignalInstance, answer_finished: SignalInstance) -> None:
        """Listen to a chat controller's answers."""
        answer_started.connect(self.answer_started)
        answer_finished.connect(self.answer_finished)

    def show_chat(self, chat_id: str, last: StoredMessage | None) -> None:
        """Another chat is open, or there is something new about it; `last` is its last answer with metrics."""
        if chat_id == self._chat_id and chat_id in self._running:
            return
        self._chat_id = chat_id
        metrics = last.metrics if last is not None else None
        n_context = metrics.n_prompt_tokens + metrics.n_decoded if metrics is not None else None
        perceived = last.perceived_ttft if last is not None else None
        self._show(phase=Phase.IDLE, metrics=metrics, perceived_ttft=perceived, prefill=None, n_context=n_context)
        if last is not None and last.effective is not None:
            self.set_effective(last.effective)

    def answer_started(self, chat_id: str, request_id: str) -> None:
        """An answer was asked for."""
        self._running[chat_id] = request_id
        if chat_id == self._chat_id:
            self._show(phase=Phase.QUEUED, prefill=None)  # The last answer's figures stay until it has some.

    def answer_finished(self, chat: Chat, answer: StoredMessage) -> None:
        """The whole wait is known once the window has painted."""
        if chat.id == self._chat_id and chat.id not in self._running:
            self._show(perceived_ttft=answer.perceived_ttft)

    def set_effective(self, effective: EffectiveSettings | None) -> None:
        """What the engine reports about the model in use."""
        if effective is not None:
            self._show(kv_type=str(effective.type_k), n_ctx=effective.n_ctx)

    def _on_sample(self, event: HardwareSample) -> None:
        self._show(hardware=event)

    def _on_event(self, event: Event) -> None:
        if not event.request_id or self._running.get(self._chat_id) != event.request_id:
            if isinstance(event, GenerationFinished | RequestFailed):
                self._running = {chat: rid for chat, rid in self._running.items() if rid != event.request_id}
            return
        figures = self._figures
        if isinstance(event, TokenDelta):
            self._show(phase=Phase.DECODE, n_context=(figures.n_context or 0) + event.n_tokens)
        elif isinstance(event, MetricsUpdate):
            self._show(metrics=event.metrics, perceived_ttft=None)
        elif isinstance(event, Queued):
            self._show(phase=Phase.LOADING if event.reason == "loading" else Phase.QUEUED)
        elif isinstance(event, GenerationStarted):
            self._show(phase=Phase.PREFILL, n_context=event.n_prompt_tokens)
        elif isinstance(event, PrefillProgress):
            self._show(phase=Phase.PREFILL, prefill=event)
        elif isinstance(event, GenerationFinished):
            self._running.pop(self._chat_id, None)
            metrics = event.metrics
            n_context = metrics.n_prompt_tokens + metrics.n_decoded
            self._show(phase=Phase.IDLE, metrics=metrics, perceived_ttft=None, n_context=n_context)
            self.set_effective(event.effective)
            self._throttle.flush()
        elif isinstance(event, RequestFailed):
            self._running.pop(self._chat_id, None)
            perceived = figures.perceived_ttft if event.metrics is None else None
            self._show(phase=Phase.IDLE, metrics=event.metrics or figures.metrics, perceived_ttft=perceived)

    def _on_host_state(self, state: HostState) -> None:
        if state is HostState.READY:
            self._client.send(Watch(interval=_SAMPLE_SECONDS))

    def _show(self, **changes: object) -> None:
        self._figures = self._figures._replace(**changes)  # type: ignore[arg-type]
        self._throttle.trigger()
