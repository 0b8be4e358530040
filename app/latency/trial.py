"""Tries one prompt under two settings in alternation, and brings the model back as it was; which are worth trying."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

import msgspec
from PySide6.QtCore import QCoreApplication

from app.core.host_client import HostClient, RequestStream
from engine.errors import Failure
from engine.metrics import FinishReason, RequestMetrics
from engine.protocol import (
    ChatMessage,
    EffectiveSettings,
    Generate,
    GenerationFinished,
    KvType,
    LoadModel,
    ModelSettings,
    RequestFailed,
    Role,
    Sampling,
    Speculative,
    Switch,
    Terminal,
)

translate = QCoreApplication.translate
MAX_TOKENS = 128
TrialRuns = tuple[list[RequestMetrics], list[RequestMetrics]]
"""The figures of each run of side A, and of side B."""


def alternation(n_runs: int) -> list[int]:
    """Which side runs when: A B B A A B ..., so that a machine that grows warm or busy favours neither side."""
    return [(number + 1) // 2 % 2 for number in range(2 * n_runs)]


class Trial:
    """Runs that read a new prompt from the start: neither side finds the other's cache."""

    def __init__(self, client: HostClient) -> None:
        self._client = client
        self._answering: RequestStream | None = None
        self._is_cancelled = False

    async def run(
        self, model_id: str, prompt: str, sides: tuple[ModelSettings, ModelSettings], own: ModelSettings, n_runs: int,
        *, progressed: Callable[[int, int], None],
    ) -> TrialRuns | Failure | None:  # fmt: skip
        """Run the prompt `n_runs` times on each side; `own` are the settings that the model has again at the end.

        Returns the runs of both sides, why there are none, or None when it was cancelled; `progressed(done, total)`.
        """
        self._is_cancelled = False
        runs: TrialRuns = ([], [])
        order = alternation(n_runs)
        try:
            for number, side in enumerate(order):
                progressed(number, len(order))
                if number == 0 or order[number - 1] != side:
                    event = await self._load(model_id, sides[side])
                    if isinstance(event, RequestFailed):
                        return event.failure
                if self._is_cancelled:
                    break
                event = await self._answer(model_id, prompt)
                if isinstance(event, RequestFailed):
                    return event.failure
                if isinstance(event, GenerationFinished) and event.finish_reason is not FinishReason.CANCELLED:
                    runs[side].append(event.metrics)
        finally:
            with contextlib.suppress(asyncio.CancelledError):
                await self._load(model_id, own)
        return None if self._is_cancelled else runs

    def cancel(self) -> None:
        """End as soon as the running answer has been stopped."""
        self._is_cancelled = True
        if self._answering is not None:
            self._answering.cancel()

    async def _load(self, model_id: str, settings: ModelSettings) -> Terminal:
        return await self._client.request(LoadModel(model_id=model_id, settings=settings))

    async def _answer(self, model_id: str, prompt: str) -> Terminal:
        self._answering = self._client.stream(
            Generate(
                model_id=model_id, messages=(ChatMessage(role=Role.USER, content=prompt),),
                max_tokens=MAX_TOKENS, sampling=Sampling(temperature=0.0, seed=1), reuse_cache=False,
            )
        )  # fmt: skip
        event = await self._answering.terminal()
        self._answering = None
        return event


def trial_variants(own: ModelSettings, effective: EffectiveSettings) -> list[tuple[str, ModelSettings]]:
    """Names and settings; the first are the model's own, the others each differ from them in one thing.

    The context is kept as it is, so that no side is given more memory to choose from.
    """
    base = msgspec.structs.replace(own, n_ctx=own.n_ctx or effective.n_ctx)
    found = [(translate("trial", "as it is loaded now"), own)]

    def add(text: str, **changes: object) -> None:
        found.append((text, msgspec.structs.replace(base, **changes)))

    for kind in (KvType.F16, KvType.Q8_0, KvType.Q4_0):
        if effective.type_k is not kind:
            flash = own.flash_attn if kind is KvType.F16 else Switch.ON
            add(translate("trial", "KV cache {kind}").format(kind=kind), type_k=kind, type_v=kind, flash_attn=flash)
    if effective.flash_attn and effective.type_v is KvType.F16:
        add(translate("trial", "flash attention off"), flash_attn=Switch.OFF)
    elif not effective.flash_attn:
        add(translate("trial", "flash attention on"), flash_attn=Switch.ON)
    if effective.speculative is Speculative.OFF:
        add(translate("trial", "tokens drafted from the prompt"), speculative=Speculative.LOOKUP)
    else:
        add(translate("trial", "no drafted tokens"), speculative=Speculative.OFF)
    for n_ubatch in (effective.n_ubatch // 2, effective.n_ubatch * 2):
        if 32 <= n_ubatch <= 4096:
            text = translate("trial", "prompt in steps of {n} tokens", None, n_ubatch).format(n=n_ubatch)
            add(text, n_ubatch=n_ubatch, n_batch=max(effective.n_batch, n_ubatch))
    for n_threads in (effective.n_threads - 1, effective.n_threads + 1):
        if n_threads >= 1:
            add(translate("trial", "{n} threads", None, n_threads).format(n=n_threads), n_threads=n_threads)
    return found
