"""Makes the context that fits into memory: what was asked for first, then what the load policy says, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
import psutil

from engine.errors import Code, ModelError
from engine.protocol.load_policy import concessions, smaller_contexts
from engine.protocol.values import KvType, ModelSettings, Notice
from engine.translatable import Translatable, sentence
from engine.worker.llama import Context, backend, readings

PROBE_N_CTX = (512, 1024)
"""Contexts that are made to read the memory per token off llama.cpp itself, whatever the architecture."""
N_CTX_MIN = 512
RESERVE = 0.05
"""Share of the free memory that is left alone."""


def make_largest(
    asked: ModelSettings, make: Callable[[ModelSettings], Context], *, weights_bytes: dict[str, int]
) -> tuple[Context, list[str], tuple[Notice, ...]]:
    """The first context that fits and that llama.cpp makes, its log lines, and what was given up for it.

    The sizes of `asked` are all set; its memory_limit_bytes caps the memory of each device, or of the CPU where that is
    alone; 0 takes what is free. Raises ModelError, with OUT_OF_MEMORY where not even the smallest fits.
    """
    refusal: ModelError | None = None
    for settings in _steps(asked):
        try:
            if lack := _lack(settings, make, weights_bytes):
                raise ModelError(
                    Code.OUT_OF_MEMORY,
                    "A context of {n_ctx:,} tokens does not fit: {lack}.",
                    "Choose a shorter context, a smaller quantization or fewer parallel chats.",
                    n_ctx=settings.n_ctx,
                    lack=lack,
                )
            with backend.log.capture() as lines:
                context = make(settings)
        except ModelError as error:
            refusal = error
            continue
        why = refusal.failure.message if refusal else ""
        return context, lines, concessions(asked, settings, why=why)
    assert refusal is not None
    raise refusal


def _steps(asked: ModelSettings) -> Iterator[ModelSettings]:
    """What is tried, in order. A KV type that the model's head size does not allow is answered with f16."""
    plain = msgspec.structs.replace(asked, type_k=KvType.F16, type_v=KvType.F16)
    smaller = smaller_contexts(asked, n_ctx_min=N_CTX_MIN)
    smaller_plain = smaller_contexts(plain, n_ctx_min=N_CTX_MIN, can_quantize=False)
    yield from dict.fromkeys((asked, *smaller, plain, *smaller_plain))


def _lack(
    settings: ModelSettings, make: Callable[[ModelSettings], Context], weights_bytes: dict[str, int]
) -> Translatable:
    """What is missing for a context, as words; empty when it fits."""
    needs = _needs(settings, make)
    limit, has_devices = settings.memory_limit_bytes, any(device != "CPU" for device in needs)
    for device, needed in needs.items():
        if limit and (device != "CPU" or not has_devices):
            available = limit - weights_bytes.get(device, 0)
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


def _needs(settings: ModelSettings, make: Callable[[ModelSettings], Context]) -> dict[str, int]:
    """Bytes of KV cache and compute buffers on each device: a line over n_ctx, through two small contexts."""
    small, large = (min(n_ctx, settings.n_ctx) for n_ctx in PROBE_N_CTX)
    sizes = []
    for n_ctx in (small, large):
        with backend.log.capture() as lines:
            context = make(msgspec.structs.replace(settings, n_ctx=n_ctx, n_ubatch=min(settings.n_ubatch, n_ctx)))
        context.close()
        sizes.append({use.device: use.kv_bytes + use.compute_bytes for use in readings.memory(lines)})
    needs = {}
    for device, second in sizes[1].items():
        growth = max(0.0, (second - sizes[0].get(device, 0)) / (large - small)) if large > small else 0.0
        needs[device] = round(second + growth * (settings.n_ctx - large))
    return needs


def _free(device: str) -> int:
    if device == "CPU":
        return int(psutil.virtual_memory().available)
    for known in backend.devices():
        if known.name == device and known.free_bytes:
            return known.free_bytes
    return 1 << 62
