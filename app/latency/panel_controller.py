"""Feeds the latency panel: the open chat's answers and why they were slow, the machine, and the log's percentiles."""

from __future__ import annotations

import time

from PySide6.QtCore import QDateTime, QLocale

from app.chat.chat_controller import ChatController
from app.core.host_client import HostClient
from app.core.request_runner import RequestRunner
from app.core.settings_store import SettingsStore
from app.latency import diagnosis_texts
from app.latency.latency_panel import LatencyPanel
from app.latency.why_slow_controller import Explanation, WhySlowController
from app.models.model_controller import ModelController
from engine.protocol import (
    GenerationFinished,
    HardwareSample,
    MeasureRoofline,
    MetricsRead,
    MetricsUpdate,
    ReadMetrics,
    RooflineMeasured,
    TokenDelta,
    Watch,
)
from engine.settings import Thresholds
from engine.store.chat_values import Chat, StoredMessage

SHOWN_SECONDS = 0.5
IDLE_SECONDS = 1.0
MAX_PAUSE = 5.0
"""Between samples farther apart than this nobody counted tokens by the second."""


class PanelController(RequestRunner):
    """Made with the panel. It shows the open chat's answers; rates and hardware are the whole machine's."""

    def __init__(
        self,
        panel: LatencyPanel,
        *,
        client: HostClient,
        chats: ChatController,
        models: ModelController,
        settings_store: SettingsStore,
        why_slow: WhySlowController,
    ) -> None:
        super().__init__(client, panel)
        self._panel, self._chats, self._models = panel, chats, models
        self._settings_store, self._why_slow = settings_store, why_slow
        self._request_id = ""
        self._n_tokens = 0
        self._sampled_at = time.monotonic()
        self._is_measured = False
        client.subscribe(TokenDelta, self._on_token)
        client.subscribe(HardwareSample, self._on_sample)
        client.subscribe(MetricsUpdate, self._on_metrics)
        client.subscribe(GenerationFinished, self._on_generation_finished)
        chats.answer_started.connect(self._on_answer_started)
        chats.answer_finished.connect(self._on_answer_finished)
        chats.chat_opened.connect(self._on_chat_opened)
        settings_store.changed.connect(self._on_settings_changed)
        panel.percentiles_wanted.connect(self._read_percentiles)
        panel.shown.connect(self._on_shown)
        panel.action_requested.connect(why_slow.act)
        why_slow.explained.connect(self._show_explanation)
        why_slow.confirmed.connect(panel.why.show_outcome)
        self._on_chat_opened(chats.chat)
        self._join_answer()
        if why_slow.last is not None:
            self._show_explanation(why_slow.last)

    def set_shown(self, is_shown: bool) -> None:
        """The machine is read twice a second while somebody looks, and as often as the strip needs otherwise."""
        self._client.send(Watch(interval=SHOWN_SECONDS if is_shown else IDLE_SECONDS))
        if is_shown and not self._is_measured:
            self._is_measured = True
            self.run("bandwidth", self._measure())

    def _join_answer(self) -> None:
        """The open chat's answer may run already: show the gaps it had so far."""
        request_id, gaps = self._why_slow.running(self._open_id)
        if request_id:
            self._request_id = request_id
            self._panel.begin_answer()
            for gap in gaps:
                self._panel.add_gap(gap)

    @property
    def _open_id(self) -> str:
        return self._chats.chat.id if self._chats.chat is not None else ""

    def _on_settings_changed(self) -> None:
        self._panel.set_thresholds(self._settings_store.settings.thresholds)

    def _on_chat_opened(self, _chat: Chat | None) -> None:
        answers = [message for message in self._chats.path if message.metrics is not None]
        if answers and (metrics := answers[-1].metrics) is not None:
            self._panel.begin_answer()
            self._panel.show_metrics(metrics, answers[-1].perceived_ttft)
        self._read_percentiles()

    def _on_answer_started(self, chat_id: str, request_id: str) -> None:
        if self._open_id == chat_id:
            self._request_id = request_id
            self._panel.begin_answer()

    def _on_answer_finished(self, chat: Chat, answer: StoredMessage) -> None:
        if self._open_id == chat.id and answer.metrics is not None:
            self._panel.show_metrics(answer.metrics, answer.perceived_ttft)
        self._read_percentiles()

    def _on_token(self, event: TokenDelta) -> None:
        self._n_tokens += event.n_tokens
        if event.request_id == self._request_id and event.gap > 0:
            self._panel.add_gap(event.gap, is_interfered=event.is_interfered)

    def _on_metrics(self, event: MetricsUpdate) -> None:
        if event.request_id == self._request_id:
            self._panel.show_metrics(event.metrics)

    def _on_generation_finished(self, event: GenerationFinished) -> None:
        if event.request_id == self._request_id:
            self._panel.show_metrics(event.metrics)
            if event.effective is not None:
                self._panel.set_effective(event.effective)

    def _on_sample(self, sample: HardwareSample) -> None:
        now = time.monotonic()
        seconds, self._sampled_at = now - self._sampled_at, now
        n_tokens, self._n_tokens = self._n_tokens, 0
        rate = n_tokens / seconds if 0 < seconds < MAX_PAUSE else 0.0
        self._panel.set_hardware(sample, rate, min(seconds, MAX_PAUSE))

    def _on_shown(self) -> None:
        if (effective := self._models.status.effective) is not None:
            self._panel.set_effective(effective)
        self._read_percentiles()

    def _show_explanation(self, found: Explanation) -> None:
        diagnosis, metrics, limits = found.diagnosis, found.answer.metrics, self._settings_store.settings.thresholds
        moment = QDateTime.fromSecsSinceEpoch(int(found.answer.created_at)).time()
        when = QLocale().toString(moment, QLocale.FormatType.ShortFormat)
        if diagnosis is not None:
            text, button = diagnosis_texts.sentence(diagnosis), diagnosis_texts.button(diagnosis.action)
            self._panel.why.show_diagnosis(when, text, button)
        elif metrics is not None and _is_slow(metrics.ttft, metrics.itl.mean if metrics.itl else None, limits):
            self._panel.why.show_diagnosis(when, self.tr("No known cause explains its figures."), "")
        else:
            self._panel.why.show_fast(when)

    def _read_percentiles(self) -> None:
        if self._panel.isVisible():
            self.run("percentiles", self._read())

    async def _read(self) -> None:
        group = self._panel.group
        query = ReadMetrics(
            scope=self._panel.scope, chat_id=self._open_id,
            model=group.model, quantization=group.quantization, settings=group.settings,
        )  # fmt: skip
        event = await self.request(query, quiet=True)
        if isinstance(event, MetricsRead):
            self._panel.show_read(event)

    async def _measure(self) -> None:
        """The machine's bandwidth: measured once, when the panel is first opened and nothing is answered."""
        event = await self.request(MeasureRoofline(), quiet=True)
        if isinstance(event, RooflineMeasured):
            self._panel.set_bandwidth(event.bandwidth)


def _is_slow(ttft: float | None, itl: float | None, limits: Thresholds) -> bool:
    return (ttft or 0.0) > limits.ttft_notice or (itl or 0.0) > limits.itl_notice
