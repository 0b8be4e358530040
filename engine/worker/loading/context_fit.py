"""Fits a context into memory: what was asked for first, then step by step less, each step said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import psutil

from engine.errors import Code, ModelError
from engine.protocol.values import KvType, Notice
from engine.translatable import Translatable, joined, sentence
from engine.worker.llama import Context, backend, readings

PROBE_N_CTX = (512, 1024)
"""Contexts that are made to read the memory per token off llama.cpp itself, whatever the architecture."""
MIN_N_CTX = 512
MIN_N_UBATCH = 64
RESERVE = 0.05
"""Share of the free memory that is left alone."""


@dataclass(frozen=True, slots=True)
class Rung:
    """The settings of a context that decide its memory."""

    n_ctx: int
    n_ubatch: int
    type_k: KvType
    type_v: KvType


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes on one device as a line over n_ctx."""

    fixed: float
    per_token: float

    def at(self, n_ctx: int) -> int:
        return round(self.fixed + self.per_token * n_ctx)


def descend(
    asked: Rung,
    make: Callable[[Rung], Context],
    *,
    weights_bytes: dict[str, int],
    limit: int,
    notices: list[Notice],
) -> tuple[Context, list[str]]:
    """The first context down the ladder that fits and that llama.cpp makes, and its log lines.

    Each step down adds a notice. `limit` caps the memory of each device in bytes, or of the CPU where it is alone; 0
    takes what is free. Raises ModelError with OUT_OF_MEMORY at the bottom.
    """
    refusal: ModelError | None = None
    before = asked
    for rung in _rungs(asked):
        try:
            lack = _lack(rung, make, weights_bytes, limit)
        except ModelError as error:
            refusal = error
            continue
        if lack:
            refusal = ModelError(
                Code.OUT_OF_MEMORY,
                "A context of {n_ctx:,} tokens does not fit: {lack}.",
                "Choose a shorter context, a smaller quantization or fewer parallel chats.",
                n_ctx=rung.n_ctx,
                lack=lack,
            )
            continue
        with backend.log.capture() as lines:
            try:
                context = make(rung)
            except ModelError as error:
                refusal = error
                continue
        notices.extend(_notices(before, rung, refusal))
        return context, lines
    assert refusal is not None
    raise refusal


def _rungs(asked: Rung) -> Iterator[Rung]:
    """What is tried, in order: smaller micro-batches, a smaller KV type, a shorter context."""
    yield asked
    rung = asked
    while rung.n_ubatch > MIN_N_UBATCH:
        rung = replace(rung, n_ubatch=max(MIN_N_UBATCH, rung.n_ubatch // 2))
        if rung.n_ubatch <= 128:
            yield rung
    if {rung.type_k, rung.type_v} & {KvType.F32, KvType.F16, KvType.BF16}:
        yield replace(rung, type_k=KvType.Q8_0, type_v=KvType.Q8_0)
    # A KV type that the model's head size does not allow is answered with f16.
    for type_k, type_v in ((KvType.Q8_0, KvType.Q8_0), (KvType.F16, KvType.F16)):
        n_ctx = rung.n_ctx
        while n_ctx > MIN_N_CTX:
            n_ctx = max(MIN_N_CTX, n_ctx // 2)
            yield replace(rung, n_ctx=n_ctx, type_k=type_k, type_v=type_v)


def _lack(rung: Rung, make: Callable[[Rung], Context], weights_bytes: dict[str, int], limit: int) -> Translatable:
    """What is missing for a context, as words; empty when it fits."""
    needs = _needs(rung, make)
    has_devices = any(device != "CPU" for device in needs)
    for device, need in needs.items():
        needed = need.at(rung.n_ctx)
        if limit and (device != "CPU" or not has_devices):
            needed, available = needed + weights_bytes.get(device, 0), limit
        else:
            available = round(_free(device) * (1 - RESERVE))
        if needed > available:
            return sentence(
                "{device} has {free:.2f} GiB for it and {needed:.2f} GiB are needed",
                device=device,
                free=available / 2**30,
                needed=needed / 2**30,
            )
    return ""


def _needs(rung: Rung, make: Callable[[Rung], Context]) -> dict[str, Need]:
    """Bytes of KV cache and compute buffers on each device, measured with two small contexts."""
    small, large = (min(n_ctx, rung.n_ctx) for n_ctx in PROBE_N_CTX)
    sizes = []
    for n_ctx in (small, large):
        with backend.log.capture() as lines:
            context = make(replace(rung, n_ctx=n_ctx, n_ubatch=min(rung.n_ubatch, n_ctx)))
        context.close()
        sizes.append({use.device: use.kv_bytes + use.compute_bytes for use in readings.memory(lines)})
    needs = {}
    for device in sizes[1]:
        first, second = sizes[0].get(device, 0), sizes[1][device]
        per_token = max(0.0, (second - first) / (large - small)) if large > small else 0.0
        needs[device] = Need(fixed=second - per_token * large, per_token=per_token)
    return needs


def _free(device: str) -> int:
    if device == "CPU":
        return int(psutil.virtual_memory().available)
    for known in backend.devices():
        if known.name == device and known.free_bytes:
            return known.free_bytes
    return 1 << 62


def _notices(asked: Rung, made: Rung, reason: ModelError | None) -> Iterator[Notice]:
    why = reason.failure.message if reason else ""
    if made.n_ubatch != asked.n_ubatch:
        message = sentence(
            "n_ubatch was lowered from {asked} to {made} to save memory.", asked=asked.n_ubatch, made=made.n_ubatch
        )
        yield Notice(code="n_ubatch_lowered", message=joined(message, why))
    if (made.type_k, made.type_v) != (asked.type_k, asked.type_v):
        message = sentence(
            "The KV cache is {made} instead of {type_k}/{type_v}.",
            made=made.type_k,
            type_k=asked.type_k,
            type_v=asked.type_v,
        )
        yield Notice(code="kv_type_changed", message=joined(message, why), is_warning=True)
    if made.n_ctx != asked.n_ctx:
        message = sentence(
            "The context is {made:,} tokens instead of {asked:,}: more does not fit into memory.",
            made=made.n_ctx,
            asked=asked.n_ctx,
        )
        yield Notice(code="n_ctx_lowered", message=joined(message, why), is_warning=True)
