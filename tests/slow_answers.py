"""Answers that are slow for one reason each, and others that just miss it."""

from __future__ import annotations

import msgspec

from engine.latency.advice import Action
from engine.latency.diagnosis import Cause, Evidence
from engine.metrics import Itl, RequestMetrics
from engine.protocol.values import EffectiveSettings

CPU = EffectiveSettings(
    backend="cpu", n_threads=2, n_layers=31, n_ubatch=512, n_batch=2048, n_parallel=4, flash_attn=True,
    n_ctx=8192, model_bytes=100_000_000,
)  # fmt: skip
GPU = msgspec.structs.replace(CPU, backend="cuda", n_gpu_layers=31)


def itl(mean: float, *, p99: float | None = None) -> Itl:
    return Itl(mean=mean, p50=mean, p90=mean, p95=mean, p99=p99 or mean, max=p99 or mean)


def ttft(seconds: float, **fields: object) -> RequestMetrics:
    return msgspec.structs.replace(RequestMetrics(ttft=seconds), **fields)


FAST = RequestMetrics(ttft=0.1, load_time=0.09, queued_time=0.09, prefill_time=0.09, n_prompt_tokens=4000,
                      cache_miss_reason="the history was edited", itl=itl(0.01, p99=0.045), mbu=0.9,
                      n_interfering_steps=5, prefill_tps=1.0)  # fmt: skip

FIRES: dict[Cause, tuple[Evidence, Action | None]] = {
    Cause.COLD_START: (Evidence(metrics=ttft(2.0, load_time=1.5)), Action.KEEP_WARM),
    Cause.QUEUE: (Evidence(metrics=ttft(2.0, queued_time=1.2)), Action.MORE_SEQUENCES),
    Cause.CACHE_MISSED: (
        Evidence(
            metrics=ttft(1.9, prefill_time=1.75, n_prompt_tokens=6210, cache_miss_reason="The system prompt changed.")
        ),
        Action.UNDO_PREFIX_CHANGE,
    ),
    Cause.SLOW_PREFILL: (
        Evidence(
            metrics=ttft(2.0, prefill_time=1.9, prefill_tps=300.0, n_prompt_tokens=570),
            best_prefill_tps=1000.0,
            effective=msgspec.structs.replace(GPU, n_gpu_layers=20),
        ),
        Action.MORE_GPU_LAYERS,
    ),
    Cause.LONG_PROMPT: (
        Evidence(metrics=ttft(2.0, prefill_time=1.9, n_prompt_tokens=6000, prefill_tps=3100.0), effective=CPU),
        Action.SUMMARISE_HISTORY,
    ),
    Cause.RENDERING: (Evidence(metrics=ttft(0.25), perceived_ttft=0.6, window_seconds=0.3), Action.REPORT),
    Cause.WINDOW_WAITED: (Evidence(metrics=ttft(0.25), perceived_ttft=0.6, window_seconds=0.05), None),
    Cause.INTERFERENCE: (
        Evidence(metrics=RequestMetrics(itl=itl(0.02, p99=0.09), n_interfering_steps=7), effective=CPU),
        Action.SMALLER_UBATCH,
    ),
    Cause.LONG_CONTEXT: (
        Evidence(
            metrics=RequestMetrics(itl=itl(0.06), kv_bytes=412_000_000),
            gaps=[0.04] * 20 + [0.06] * 40 + [0.08] * 20,
            effective=CPU,
        ),
        Action.KV_Q8_0,
    ),
    Cause.BANDWIDTH: (Evidence(metrics=RequestMetrics(itl=itl(0.06), mbu=0.78), effective=CPU), Action.SPECULATIVE),
    Cause.CPU_BOUND: (
        Evidence(
            metrics=RequestMetrics(itl=itl(0.08), mbu=0.1),
            gpu_utilisation=0.1,
            effective=msgspec.structs.replace(GPU, n_gpu_layers=20),
        ),
        Action.MORE_GPU_LAYERS,
    ),
}

NEAR_MISSES = {
    Cause.COLD_START: Evidence(metrics=ttft(2.0, load_time=0.9)),
    Cause.QUEUE: Evidence(metrics=ttft(2.0, queued_time=0.9)),
    Cause.CACHE_MISSED: Evidence(metrics=ttft(1.9, prefill_time=1.75, n_prompt_tokens=200, cache_miss_reason="edited")),
    Cause.SLOW_PREFILL: Evidence(
        metrics=ttft(2.0, prefill_time=1.9, prefill_tps=600.0, n_prompt_tokens=200), best_prefill_tps=1000.0
    ),
    Cause.LONG_PROMPT: Evidence(metrics=ttft(2.0, prefill_time=1.9, n_prompt_tokens=6000, n_cached_tokens=5800)),
    Cause.RENDERING: Evidence(metrics=ttft(0.29), perceived_ttft=0.38, window_seconds=0.3),
    Cause.WINDOW_WAITED: Evidence(metrics=ttft(0.29), perceived_ttft=0.38, window_seconds=0.05),
    Cause.INTERFERENCE: Evidence(metrics=RequestMetrics(itl=itl(0.02, p99=0.055), n_interfering_steps=7)),
    Cause.LONG_CONTEXT: Evidence(metrics=RequestMetrics(itl=itl(0.06)), gaps=[0.055] * 40 + [0.065] * 40),
    Cause.BANDWIDTH: Evidence(metrics=RequestMetrics(itl=itl(0.06), mbu=0.5)),
    Cause.CPU_BOUND: Evidence(metrics=RequestMetrics(itl=itl(0.08), mbu=0.1), effective=GPU, gpu_utilisation=0.2),
}
