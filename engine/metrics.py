"""Latency metrics: what each figure means, and the one place where it is computed.

The definitions are those of vLLM and NVIDIA's GenAI-Perf for TTFT, ITL, TPOT and end-to-end latency, so that a
figure can be held against any server. All times are seconds of the monotonic clock that a computer's processes share.
"""

from __future__ import annotations

import enum
import math
from bisect import insort
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from engine.translatable import Translatable

PREFILL_TPS_MIN_TOKENS = 32
"""Below this many prefilled tokens a rate is noise, and is not shown."""


GAP_FLOOR = 1e-4
"""Seconds; shorter gaps share the lowest bucket of a gap histogram."""
GAP_RATIO = 1.05
"""Width of a histogram bucket: percentiles read from it are within 2.5 %."""
_LOG_RATIO = math.log(GAP_RATIO)


class CacheSource(enum.StrEnum):
    """Where the reused prefix of a prompt came from."""

    NONE = "none"
    SLOT = "slot"
    MEMORY = "memory"
    DISK = "disk"


class FinishReason(enum.StrEnum):
    """How an answer ended normally."""

    STOP = "stop"
    LENGTH = "length"
    CANCELLED = "cancelled"


class Itl(msgspec.Struct, frozen=True, gc=False):
    """Inter-token latency: the gaps between successive output tokens of one sequence, in seconds."""

    mean: float
    p50: float
    p90: float
    p95: float
    p99: float
    max: float


class RequestMetrics(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What one request felt like, and why. Absent readings are None, never 0."""

    queued_time: float = 0.0
    """From the host accepting the request to the worker starting on it."""
    load_time: float = 0.0
    """Model loading that this request had to wait for; 0 when warm."""
    template_time: float = 0.0
    """Chat template and tokenization."""
    cache_restore_time: float = 0.0
    """Restoring a KV snapshot."""
    prefill_time: float = 0.0
    """From the first prefill batch submitted to the first token sampled."""
    ttft: float | None = None
    """From acceptance to the first output token: the sum of the five above. None when no token came."""
    decode_time: float = 0.0
    """From the first to the last output token."""
    e2e_latency: float = 0.0
    """From acceptance to the last token."""
    itl: Itl | None = None
    gap_histogram: dict[int, int] = {}
    """Gap bucket to count, so that percentiles over many answers can be had; see `gap_bucket`."""
    tpot: float | None = None
    """decode_time / (n_decoded - 1); None for fewer than two tokens."""
    decode_tps: float | None = None
    """1 / tpot."""
    prefill_tps: float | None = None
    """(n_prompt_tokens - n_cached_tokens) / prefill_time; None for fewer than 32 tokens."""
    n_prompt_tokens: int = 0
    n_cached_tokens: int = 0
    n_prepared_tokens: int = 0
    """Of the cached tokens, those prefilled while the user typed."""
    n_decoded: int = 0
    cache_source: CacheSource = CacheSource.NONE
    cache_miss_reason: Translatable = ""
    """Why no more of the prompt was cached; empty when nothing was missed."""
    n_drafted: int = 0
    n_accepted: int = 0
    batch_size_mean: float = 1.0
    """Sequences per step while this one decoded."""
    n_interfering_steps: int = 0
    """Decode steps of this answer that also carried another sequence's prefill."""
    step_p50: float | None = None
    """Median step time: differs from the ITL with speculative decoding."""
    kv_bytes: int = 0
    """Bytes of KV cache that this sequence holds."""
    mbu: float | None = None
    """Memory bandwidth utilisation, 0 to 1, against the measured bandwidth."""
    prefill_utilisation: float | None = None
    """prefill_tps against the best that this machine's arithmetic allows, as measured or reached here."""


def percentile(values: Sequence[float], q: float) -> float:
    """The q-th percentile (0 to 100) with linear interpolation between ranks, as numpy's default.

    Raises ValueError for no values.
    """
    if not values:
        raise ValueError("no values")
    return _ranked(sorted(values), q)


def _ranked(ordered: Sequence[float], q: float) -> float:
    rank = (len(ordered) - 1) * q / 100
    low = math.floor(rank)
    high = math.ceil(rank)
    return ordered[low] + (ordered[high] - ordered[low]) * (rank - low)


def itl_summary(ordered: Sequence[float]) -> Itl | None:
    """Summary of the gaps between tokens, in seconds and in rising order; None for no gap."""
    if not ordered:
        return None
    p50, p90, p95, p99 = (_ranked(ordered, q) for q in (50, 90, 95, 99))
    return Itl(mean=sum(ordered) / len(ordered), p50=p50, p90=p90, p95=p95, p99=p99, max=ordered[-1])


def gap_bucket(gap: float) -> int:
    """The histogram bucket of a gap in seconds: bucket b holds GAP_FLOOR × GAP_RATIO**b up to the next."""
    return 0 if gap <= GAP_FLOOR else int(math.log(gap / GAP_FLOOR) / _LOG_RATIO)


def merge_histograms(histograms: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """The counts of several gap histograms together."""
    merged: dict[int, int] = {}
    for histogram in histograms:
        for bucket, count in histogram.items():
            merged[bucket] = merged.get(bucket, 0) + count
    return merged


def histogram_percentile(histogram: Mapping[int, int], q: float) -> float:
    """The q-th percentile in seconds, as the geometric middle of its bucket. Raises ValueError for no counts."""
    rank = sum(histogram.values()) * q / 100
    seen = 0
    for bucket in sorted(histogram):
        seen += histogram[bucket]
        if seen >= rank and seen:
            return GAP_FLOOR * math.exp(_LOG_RATIO * (bucket + 0.5))
    raise ValueError("no values")


class RequestTimeline:
    """Collects the moments of one request inside the worker and turns them into RequestMetrics.

    The moments are contiguous, so that the parts of TTFT add up to it exactly: accepted → started → templated →
    restored → first token. Time between two of them always belongs to the later part. What of the first is loading
    is `load_time`.
    """

    def __init__(self, accepted: float, *, load_time: float = 0.0) -> None:
        self._accepted = accepted
        self._load_time = load_time
        self._started: float | None = None
        self._templated = 0.0
        self._restored = 0.0
        self._first: float | None = None
        self._last = accepted
        self._gaps: list[float] = []
        """In rising order, so that live figures of a long answer cost no sorting."""
        self._new_gaps: list[float] = []
        """Those that are not sorted in yet."""
        self._histogram: dict[int, int] = {}
        self.n_decoded = 0

    def start(self, now: float) -> None:
        """The worker begins on the request."""
        self._started = self._templated = self._restored = now

    def template_done(self, now: float) -> None:
        self._templated = self._restored = now

    def restore_done(self, now: float) -> None:
        self._restored = now

    def token(self, now: float) -> float:
        """Count one output token; returns the gap since the previous one, 0 for the first."""
        self.n_decoded += 1
        if self._first is None:
            self._first = self._last = now
            return 0.0
        gap = now - self._last
        self._new_gaps.append(gap)
        self._last = now
        return gap

    def _sort_in(self) -> None:
        for gap in self._new_gaps:
            insort(self._gaps, gap)
            bucket = gap_bucket(gap)
            self._histogram[bucket] = self._histogram.get(bucket, 0) + 1
        self._new_gaps.clear()

    @property
    def prefill_started(self) -> float:
        """The moment when the prefill could begin, for live rates."""
        return self._restored

    @property
    def decode_time(self) -> float:
        """From the first to the last output token."""
        return self._last - self._first if self._first is not None else 0.0

    def metrics(self, now: float, *, prefill_limit: float = 0.0, **counts: object) -> RequestMetrics:
        """The request's metrics as of `now`; `counts` are RequestMetrics fields that are not times.

        `prefill_limit` is the rate of prefill at best, in tokens per second; 0 where unknown.
        """
        started = now if self._started is None else self._started
        queued = max(0.0, started - self._accepted - self._load_time)
        template = restore = prefill = 0.0
        if self._started is not None:
            template = self._templated - started
            restore = self._restored - self._templated
            prefill = (self._first if self._first is not None else now) - self._restored
        before = queued + self._load_time + template + restore + prefill
        self._sort_in()
        decode = self.decode_time
        tpot = decode / (self.n_decoded - 1) if self.n_decoded > 1 else None
        made = RequestMetrics(
            queued_time=queued,
            load_time=self._load_time,
            template_time=template,
            cache_restore_time=restore,
            prefill_time=prefill,
            ttft=before if self._first is not None else None,
            decode_time=decode,
            e2e_latency=before + decode,
            itl=itl_summary(self._gaps),
            gap_histogram=dict(self._histogram),
            tpot=tpot,
            decode_tps=1 / tpot if tpot else None,
            n_decoded=self.n_decoded,
        )
        made = msgspec.structs.replace(made, **counts)
        new = made.n_prompt_tokens - made.n_cached_tokens
        if self._first is not None and new >= PREFILL_TPS_MIN_TOKENS and prefill > 0:
            utilisation = new / prefill / prefill_limit if prefill_limit else None
            made = msgspec.structs.replace(made, prefill_tps=new / prefill, prefill_utilisation=utilisation)
        return made


def memory_bandwidth_utilisation(
    weight_bytes_per_token: float, kv_bytes_per_token: float, decode_tps: float, bandwidth: float
) -> float:
    """mbu = (weight bytes + KV bytes read per token) × decode_tps / measured bandwidth in bytes per second."""
    return (weight_bytes_per_token + kv_bytes_per_token) * decode_tps / bandwidth
