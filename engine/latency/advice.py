"""What can be done about a slow answer: the actions, the settings that they change, and what they brought."""

from __future__ import annotations

import enum
from typing import NamedTuple

import msgspec

from engine.metrics import RequestMetrics
from engine.protocol.values import EffectiveSettings, KvType, ModelSettings, Speculative, Switch


class Action(enum.StrEnum):
    """What the button does; those with a settings change are applied by `changed_settings`."""

    KEEP_WARM = "keep_warm"
    MORE_SEQUENCES = "more_sequences"
    UNDO_PREFIX_CHANGE = "undo_prefix_change"
    SUMMARISE_HISTORY = "summarise_history"
    LARGER_UBATCH = "larger_ubatch"
    FLASH_ATTENTION = "flash_attention"
    KV_Q8_0 = "kv_q8_0"
    MORE_GPU_LAYERS = "more_gpu_layers"
    SMALLER_QUANTIZATION = "smaller_quantization"
    SPECULATIVE = "speculative"
    FEWER_THREADS = "fewer_threads"
    SMALLER_UBATCH = "smaller_ubatch"
    SHORTER_CONTEXT = "shorter_context"
    REPORT = "report"


def changed_settings(action: Action, settings: ModelSettings, effective: EffectiveSettings) -> ModelSettings | None:
    """The model settings after `action`; None when the action is not a change of model settings."""
    change: dict[str, object]
    match action:
        case Action.MORE_SEQUENCES:
            change = {"n_parallel": effective.n_parallel * 2}
        case Action.LARGER_UBATCH:
            change = {"n_ubatch": effective.n_ubatch * 2, "n_batch": max(effective.n_batch, effective.n_ubatch * 2)}
        case Action.SMALLER_UBATCH:
            change = {"n_ubatch": max(32, effective.n_ubatch // 2)}
        case Action.FLASH_ATTENTION:
            change = {"flash_attn": Switch.ON}
        case Action.KV_Q8_0:
            change = {"type_k": KvType.Q8_0, "type_v": KvType.Q8_0, "flash_attn": Switch.ON}
        case Action.MORE_GPU_LAYERS:
            change = {"n_ctx": max(2048, effective.n_ctx // 2), "n_gpu_layers": -1}
        case Action.SHORTER_CONTEXT:
            change = {"n_ctx": max(2048, effective.n_ctx // 2)}
        case Action.SPECULATIVE:
            change = {"speculative": Speculative.LOOKUP}
        case Action.FEWER_THREADS:
            change = {"n_threads": max(1, effective.n_threads - 1)}
        case _:
            return None
    return msgspec.structs.replace(settings, **change)


class Outcome(NamedTuple):
    """What an action brought, in seconds."""

    name: str
    """TTFT, ITL P50 or ITL P99."""
    before: float
    after: float


def outcome(metric: str, before: RequestMetrics, after: RequestMetrics) -> Outcome | None:
    """A diagnosis's metric in an answer before the action and in one after it; None where one is missing."""
    old, new = _figure(metric, before), _figure(metric, after)
    if old is None or new is None:
        return None
    return Outcome({"itl": "ITL P50", "itl_p99": "ITL P99"}.get(metric, "TTFT"), old, new)


def _figure(metric: str, metrics: RequestMetrics) -> float | None:
    if metric == "itl":
        return metrics.itl.p50 if metrics.itl else None
    if metric == "itl_p99":
        return metrics.itl.p99 if metrics.itl else None
    return metrics.ttft
