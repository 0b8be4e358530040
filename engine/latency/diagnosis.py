"""Why an answer was slow: rules that find one cause from its figures, and at most one action.

Each rule looks at one cause, in the order of what is likeliest: it speaks only when its metric crossed a threshold and
its own evidence is there, so a fast answer gets no diagnosis, and a slow one whose cause is unknown gets none either.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from engine.latency.advice import Action
from engine.metrics import RequestMetrics
from engine.protocol.values import EffectiveSettings, KvType, Speculative
from engine.settings import Thresholds
from engine.translatable import Translatable

MOST = 0.5
"""A part is `most of it` from this share of the whole."""
FAR_UNDER = 0.5
"""A rate is far under the best known one below this fraction of it."""
MBU_CEILING = 0.6
"""From here decode is bound by memory bandwidth; real kernels reach 0.6 to 0.9 of a measured copy."""
MBU_LOW = 0.3
GROWTH = 1.3
"""The last quarter's median gap over the first quarter's, from where ITL counts as growing."""
KV_WEIGHT = 0.2
"""A cache smaller than this part of the model is no reason for growing gaps."""
MANY_TOKENS = 256
PAINT_EXCESS = 0.1
"""Seconds between ttft and perceived_ttft, or of the window's own work in them, that are too many."""


class Cause(enum.StrEnum):
    COLD_START = "cold_start"
    QUEUE = "queue"
    CACHE_MISSED = "cache_missed"
    SLOW_PREFILL = "slow_prefill"
    LONG_PROMPT = "long_prompt"
    RENDERING = "rendering"
    INTERFERENCE = "interference"
    LONG_CONTEXT = "long_context"
    BANDWIDTH = "bandwidth"
    CPU_BOUND = "cpu_bound"
    WINDOW_WAITED = "window_waited"


class Why(enum.StrEnum):
    """What a sentence adds after its figures."""

    LAYERS_ON_CPU = "layers_on_cpu"
    NO_FLASH_ATTENTION = "no_flash_attention"
    BUSY_MACHINE = "busy_machine"
    OTHER_PROMPTS = "other_prompts"
    OTHER_PROGRAMS = "other_programs"
    SHARED_THREADS = "shared_threads"
    OUR_FAULT = "our_fault"
    WINDOW_WAITED = "window_waited"
    WINDOW_LATE = "window_late"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that is known about one answer; unknown readings are None."""

    metrics: RequestMetrics
    effective: EffectiveSettings = field(default_factory=EffectiveSettings)
    thresholds: Thresholds = field(default_factory=Thresholds)
    gaps: Sequence[float] = ()
    """The gaps between tokens in their order, in seconds."""
    perceived_ttft: float | None = None
    window_seconds: float | None = None
    """What the window's own thread computed between Enter and the first paint; None where nobody watched."""
    best_prefill_tps: float | None = None
    """This machine's best prefill rate for the model, tokens per second."""
    gpu_utilisation: float | None = None
    """Mean while decoding, 0 to 1; None without a GPU."""
    cpu_utilisation: float | None = None
    """Mean of the whole machine while decoding, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """A cause with its own numbers, and at most one action; the app says it in a sentence."""

    cause: Cause
    metric: str
    """ttft, itl, itl_p99 or perceived_ttft."""
    figures: dict[str, float]
    """What the cause's sentence names: seconds, shares, counts, and `kv` in bytes."""
    reason: Translatable = ""
    """Why the cache was missed."""
    action: Action | None = None
    why: Why | None = None


def diagnose(evidence: Evidence) -> Diagnosis | None:
    """The first rule that explains why this answer was slow; None for a fast or an unexplained one."""
    for rule in RULES:
        if (found := rule(evidence)) is not None:
            return found
    return None


def _slow_ttft(evidence: Evidence) -> float | None:
    ttft = evidence.metrics.ttft
    return ttft if ttft is not None and ttft > evidence.thresholds.ttft_notice else None


def _slow_itl(evidence: Evidence) -> float | None:
    itl = evidence.metrics.itl
    return itl.mean if itl is not None and itl.mean > evidence.thresholds.itl_notice else None


def _found(
    cause: Cause, action: Action | None = None, why: Why | None = None, reason: Translatable = "", /, **figures: float
) -> Diagnosis:
    metric = METRICS.get(cause, "ttft")
    return Diagnosis(cause=cause, metric=metric, figures=figures, reason=reason, action=action, why=why)


def cold_start(evidence: Evidence) -> Diagnosis | None:
    """Loading is most of the wait."""
    ttft, load = _slow_ttft(evidence), evidence.metrics.load_time
    if ttft is None or load < MOST * ttft:
        return None
    return _found(Cause.COLD_START, Action.KEEP_WARM, ttft=ttft, load=load)


def queue(evidence: Evidence) -> Diagnosis | None:
    """Requests wait for each other."""
    ttft, queued = _slow_ttft(evidence), evidence.metrics.queued_time
    if ttft is None or queued < MOST * ttft:
        return None
    return _found(Cause.QUEUE, Action.MORE_SEQUENCES, ttft=ttft, queued=queued)


def cache_missed(evidence: Evidence) -> Diagnosis | None:
    """Prefill is most of the wait although there was something to reuse."""
    metrics, ttft = evidence.metrics, _slow_ttft(evidence)
    new = metrics.n_prompt_tokens - metrics.n_cached_tokens
    if ttft is None or metrics.prefill_time < MOST * ttft or not metrics.cache_miss_reason or new < MANY_TOKENS:
        return None
    return _found(
        Cause.CACHE_MISSED,
        Action.UNDO_PREFIX_CHANGE,
        None,
        metrics.cache_miss_reason,
        ttft=ttft,
        share=metrics.prefill_time / ttft,
        new=new,
    )


def slow_prefill(evidence: Evidence) -> Diagnosis | None:
    """The prefill rate is far under what this machine has shown for this model."""
    metrics, ttft, best = evidence.metrics, _slow_ttft(evidence), evidence.best_prefill_tps
    rate = metrics.prefill_tps
    if ttft is None or rate is None or best is None or metrics.prefill_time < MOST * ttft or rate > FAR_UNDER * best:
        return None
    effective = evidence.effective
    if effective.backend != "cpu" and effective.n_gpu_layers < effective.n_layers:
        action, why, count = Action.MORE_GPU_LAYERS, Why.LAYERS_ON_CPU, _layers_on_cpu(effective)
    elif not effective.flash_attn:
        action, why, count = Action.FLASH_ATTENTION, Why.NO_FLASH_ATTENTION, {}
    else:
        action, why, count = None, Why.BUSY_MACHINE, {}
    return _found(Cause.SLOW_PREFILL, action, why, ttft=ttft, rate=rate, best=best, **count)


def long_prompt(evidence: Evidence) -> Diagnosis | None:
    """Many new tokens had to be prefilled."""
    metrics, ttft = evidence.metrics, _slow_ttft(evidence)
    new = metrics.n_prompt_tokens - metrics.n_cached_tokens
    if ttft is None or metrics.prefill_time < MOST * ttft or new < MANY_TOKENS:
        return None
    if not evidence.effective.flash_attn:
        action = Action.FLASH_ATTENTION
    elif evidence.effective.n_ubatch < 512 and new > evidence.effective.n_ubatch:
        action = Action.LARGER_UBATCH
    else:
        action = Action.SUMMARISE_HISTORY
    return _found(Cause.LONG_PROMPT, action, ttft=ttft, share=metrics.prefill_time / ttft, new=new)


def rendering(evidence: Evidence) -> Diagnosis | None:
    """The window showed the first token late because it was busy itself."""
    excess, window = _late_paint(evidence), evidence.window_seconds
    if excess is None or window is None or window < max(PAINT_EXCESS, MOST * excess):
        return None
    return _painted_late(evidence, Cause.RENDERING, Action.REPORT, Why.OUR_FAULT, window=window)


def interference(evidence: Evidence) -> Diagnosis | None:
    """The slow gaps are far over the usual one, while others were prefilled or the machine was busy."""
    metrics, itl = evidence.metrics, evidence.metrics.itl
    if itl is None or itl.p99 <= evidence.thresholds.itl_notice or itl.p99 < 3 * itl.p50:
        return None
    busy = evidence.cpu_utilisation is not None and evidence.cpu_utilisation > 0.9
    if metrics.n_interfering_steps:
        why, action, count = Why.OTHER_PROMPTS, Action.SMALLER_UBATCH, {"n": metrics.n_interfering_steps}
    elif busy and evidence.effective.backend == "cpu" and evidence.effective.n_threads > 1:
        why, action, count = Why.OTHER_PROGRAMS, Action.FEWER_THREADS, {}
    else:
        return None
    return _found(Cause.INTERFERENCE, action, why, p99=itl.p99, p50=itl.p50, **count)


def long_context(evidence: Evidence) -> Diagnosis | None:
    """ITL grows with the position, as the KV cache to read grows."""
    slow, growth = _slow_itl(evidence), itl_growth(evidence.gaps)
    if slow is None or growth is None or growth[1] < GROWTH * growth[0]:
        return None
    if evidence.metrics.kv_bytes < KV_WEIGHT * evidence.effective.model_bytes:
        return None
    quantized = evidence.effective.type_k not in (KvType.F16, KvType.BF16, KvType.F32)
    return _found(
        Cause.LONG_CONTEXT,
        Action.SHORTER_CONTEXT if quantized else Action.KV_Q8_0,
        first=growth[0],
        last=growth[1],
        kv=evidence.metrics.kv_bytes,
    )


def bandwidth(evidence: Evidence) -> Diagnosis | None:
    """Decode runs at the memory's limit."""
    slow, mbu = _slow_itl(evidence), evidence.metrics.mbu
    if slow is None or mbu is None or mbu < MBU_CEILING:
        return None
    if evidence.effective.type_k in (KvType.F16, KvType.BF16) and evidence.metrics.kv_bytes * 4 > (
        evidence.effective.model_bytes
    ):
        action = Action.KV_Q8_0
    elif evidence.effective.speculative is Speculative.OFF:
        action = Action.SPECULATIVE
    else:
        action = Action.SMALLER_QUANTIZATION
    return _found(Cause.BANDWIDTH, action, itl=slow, mbu=mbu)


def cpu_bound(evidence: Evidence) -> Diagnosis | None:
    """Neither the memory nor the GPU is busy: threads, layers on the CPU, or another program."""
    slow, mbu, effective = _slow_itl(evidence), evidence.metrics.mbu, evidence.effective
    if slow is None or mbu is None or mbu > MBU_LOW:
        return None
    if evidence.gpu_utilisation is not None and evidence.gpu_utilisation > evidence.thresholds.gpu_low_notice:
        return None
    missing = effective.n_layers - effective.n_gpu_layers
    if effective.backend != "cpu" and missing > 0:
        why, action, count = Why.LAYERS_ON_CPU, Action.MORE_GPU_LAYERS, _layers_on_cpu(effective)
    elif effective.n_threads > 1 and (evidence.cpu_utilisation or 0) > 0.9:
        why, action, count = Why.SHARED_THREADS, Action.FEWER_THREADS, {"n": effective.n_threads}
    else:
        return None
    return _found(Cause.CPU_BOUND, action, why, itl=slow, mbu=mbu, **count)


def window_waited(evidence: Evidence) -> Diagnosis | None:
    """The window showed the first token late, and it was not its own work: nothing to be done, so the last to speak."""
    if _late_paint(evidence) is None:
        return None
    if (window := evidence.window_seconds) is None:
        return _painted_late(evidence, Cause.WINDOW_WAITED, None, Why.WINDOW_LATE)
    return _painted_late(evidence, Cause.WINDOW_WAITED, None, Why.WINDOW_WAITED, window=window)


def _late_paint(evidence: Evidence) -> float | None:
    """Seconds from the first token to its paint, where they are many; else None."""
    ttft, perceived = evidence.metrics.ttft, evidence.perceived_ttft
    if ttft is None or perceived is None or perceived <= evidence.thresholds.ttft_notice:
        return None
    return perceived - ttft if perceived - ttft >= max(PAINT_EXCESS, 0.5 * ttft) else None


def _painted_late(evidence: Evidence, cause: Cause, action: Action | None, why: Why, /, **figures: float) -> Diagnosis:
    return _found(
        cause, action, why, ttft=evidence.metrics.ttft or 0.0, perceived=evidence.perceived_ttft or 0.0, **figures
    )


RULES: tuple[Callable[[Evidence], Diagnosis | None], ...] = (
    cold_start,
    queue,
    cache_missed,
    slow_prefill,
    long_prompt,
    rendering,
    interference,
    long_context,
    bandwidth,
    cpu_bound,
    window_waited,
)


def itl_growth(gaps: Sequence[float]) -> tuple[float, float] | None:
    """Median gap of the first and of the last quarter, in seconds; None for fewer than 40 gaps."""
    if len(gaps) < 40:
        return None
    quarter = len(gaps) // 4
    return median(gaps[:quarter]), median(gaps[-quarter:])


def _layers_on_cpu(effective: EffectiveSettings) -> dict[str, int]:
    return {"n": effective.n_layers - effective.n_gpu_layers, "of": effective.n_layers}


METRICS = {
    Cause.RENDERING: "perceived_ttft",
    Cause.WINDOW_WAITED: "perceived_ttft",
    Cause.INTERFERENCE: "itl_p99",
    Cause.LONG_CONTEXT: "itl",
    Cause.BANDWIDTH: "itl",
    Cause.CPU_BOUND: "itl",
}
"""What each cause makes slow; for the others TTFT."""
