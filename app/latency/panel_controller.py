"""Feeds the latency panel from the host's events; made when the panel is first opened."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from app.chat.chat_controller import ChatController
from app.core.host_client import HostClient
from app.core.tasks import spawn
from app.latency.latency_panel import LatencyPanel
from engine.protocol import (
    EffectiveSettings,
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
from engine.store.chat_values import Chat, StoredMessage

SHOWN_SECONDS = 0.5
IDLE_SECONDS = 1.0
MAX_PAUSE = 5.0
"""Between samples farther apart than this nobody counted tokens by the second."""


class PanelController(QObject):
    """The panel shows the open chat's answers; rates and hardware are the whole machine's."""

    def __init__(
        self,
        panel: LatencyPanel,
        client: HostClient,
        chats: ChatController,
        effective: Callable[[], EffectiveSettings | None],
    ) -> None:
        super().__init__(panel)
        self._panel, self._client, self._chats, self._effective = panel, client, chats, effective
        self._request_id = ""
        self._n_tokens = 0
        self._sampled_at = time.monotonic()
        self._is_measured = False
        self._reading: asyncio.Task[None] | None = None
        client.subscribe(TokenDelta, self._on_token)
        client.subscribe(HardwareSample, self._on_sample)
        client.subscribe(MetricsUpdate, self._on_metrics)
        client.subscribe(GenerationFinished, self._on_generation_finished)
        chats.answer_started.connect(self._on_answer_started)
        chats.answer_finished.connect(self._on_answer_finished)
        chats.chat_opened.connect(self._on_chat_opened)
        panel.percentiles_wanted.connect(self._read_percentiles)
        panel.shown.connect(self._on_shown)
        self._on_chat_opened(chats.chat)

    def join_answer(self, request_id: str, gaps: Sequence[float]) -> None:
        """The open chat's answer runs already, and had these gaps so far."""
        self._request_id = request_id
        self._panel.begin_answer()
        for gap in gaps:
            self._panel.add_gap(gap)

    def set_shown(self, is_shown: bool) -> None:
        """The machine is read twice a second while somebody looks, and as often as the strip needs otherwise."""
        interval = SHOWN_SECONDS if is_shown else IDLE_SECONDS
        self._client.send(Watch(interval=interval))
        if is_shown and not self._is_measured:
            self._is_measured = True
            spawn(self._measure(), owner=self, name="measure bandwidth")

    def _on_chat_opened(self, _chat: Chat | None) -> None:
        answers = [message for message in self._chats.path if message.metrics is not None]
        if answers and (metrics := answers[-1].metrics) is not None:
            self._panel.begin_answer()
            self._panel.show_metrics(metrics, answers[-1].perceived_ttft)
        self._read_percentiles()

    def _on_answer_started(self, chat_id: str, request_id: str) -> None:
        if self._chats.chat is not None and self._chats.chat.id == chat_id:
            self._request_id = request_id
            self._panel.begin_answer()

    def _on_answer_finished(self, chat: Chat, answer: StoredMessage) -> None:
        is_open = self._chats.chat is not None and self._chats.chat.id == chat.id
        if is_open and answer.metrics is not None:
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

    async def _measure(self) -> None:
        """The machine's bandwidth: measured once, when the panel is first opened and nothing is answered."""
        event = await self._client.request(MeasureRoofline())
        if isinstance(event, RooflineMeasured):
            self._panel.set_bandwidth(event.bandwidth)

    def _on_shown(self) -> None:
        if (effective := self._effective()) is not None:
            self._panel.set_effective(effective)
        self._read_percentiles()

    def _read_percentiles(self) -> None:
        if not self._panel.isVisible():
            return
        if self._reading is not None:
            self._reading.cancel()
        self._reading = spawn(self._read(), owner=self, name="read percentiles")

    async def _read(self) -> None:
        chat_id = self._chats.chat.id if self._chats.chat is not None else ""
        group = self._panel.group
        query = ReadMetrics(
            scope=self._panel.scope, chat_id=chat_id,
            model=group.model, quantization=group.quantization, settings=group.settings,
        )  # fmt: skip
        event = await self._client.request(query)
        if isinstance(event, MetricsRead):
            self._panel.show_read(event)
