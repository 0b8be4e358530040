"""The figures of the latency strip as plain values, and their levels by the thresholds of the settings."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engine.metrics import RequestMetrics
    from engine.protocol.events import HardwareSample, PrefillProgress
    from engine.settings import Thresholds


class Phase(enum.Enum):
    IDLE = "idle"
    LOADING = "loading"
    QUEUED = "queued"
    PREFILL = "prefill"
    DECODE = "decode"


class Level(enum.Enum):
    """How a figure is to be read; PLAIN figures have no threshold."""

    PLAIN = "plain"
    GOOD = "good"
    NOTICE = "notice"
    WARNING = "warning"


class StripReadings(NamedTuple):
    """The running or the last answer, and the machine. Absent readings are None."""

    phase: Phase = Phase.IDLE
    metrics: RequestMetrics | None = None
    perceived_ttft: float | None = None
    """Seconds from Enter to the first painted glyph, where that was measured; the engine's own part is in metrics."""
    prefill: PrefillProgress | None = None
    n_context: int | None = None
    """Tokens of the chat in the context."""
    n_ctx: int = 0
    kv_type: str = ""
    hardware: HardwareSample | None = None

    @property
    def ttft(self) -> float | None:
        """What the user waited, as the figures under an answer and the panel say it."""
        engine = self.metrics.ttft if self.metrics is not None else None
        return self.perceived_ttft if self.perceived_ttft is not None and engine is not None else engine


def ttft_level(seconds: float, thresholds: Thresholds | None) -> Level:
    """Level of one request's time to first token; PLAIN without thresholds."""
    if thresholds is None:
        return Level.PLAIN
    return _level(seconds, thresholds.ttft_notice, thresholds.ttft_warning)


def itl_level(seconds: float, thresholds: Thresholds | None) -> Level:
    """Level of a gap between tokens; PLAIN without thresholds."""
    if thresholds is None:
        return Level.PLAIN
    return _level(seconds, thresholds.itl_notice, thresholds.itl_warning)


def vram_level(used_bytes: int, total_bytes: int, thresholds: Thresholds | None) -> Level:
    """Level of the GPU memory in use; PLAIN without thresholds."""
    if thresholds is None:
        return Level.PLAIN
    return Level.NOTICE if total_bytes and used_bytes / total_bytes > thresholds.vram_notice else Level.PLAIN


def context_level(used: int, total: int) -> Level:
    """Level of the context in use: a notice when under a tenth of it is left."""
    if not total:
        return Level.PLAIN
    return Level.WARNING if used >= total else Level.NOTICE if used / total > 0.9 else Level.PLAIN


def _level(value: float, notice: float, warning: float) -> Level:
    return Level.WARNING if value > warning else Level.NOTICE if value > notice else Level.GOOD
