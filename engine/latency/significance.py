"""Compare two sets of answers: medians, their difference, and whether it is more than noise."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from statistics import median

import msgspec

from engine.metrics import RequestMetrics

MIN_RUNS = 5
"""Fewer runs on a side say nothing about noise."""
N_RESAMPLES = 2000
CONFIDENCE = 0.95


class ComparedMetric(msgspec.Struct, frozen=True, kw_only=True):
    """One metric of both sides. `low` and `high` bound the relative difference of the medians, b against a."""

    name: str
    a: float
    b: float
    difference: float
    """b / a - 1."""
    low: float | None = None
    high: float | None = None
    n_a: int = 0
    n_b: int = 0
    is_lower_better: bool = True

    @property
    def exceeds_noise(self) -> bool | None:
        """Whether the interval leaves out no difference at all; None with fewer than MIN_RUNS on a side."""
        if self.low is None or self.high is None:
            return None
        return self.low > 0 or self.high < 0

    @property
    def is_better(self) -> bool:
        """Whether b is the better side."""
        return (self.difference < 0) == self.is_lower_better


_METRICS: tuple[tuple[str, Callable[[RequestMetrics], float | None], bool], ...] = (
    ("ttft", lambda metrics: metrics.ttft, True),
    ("itl_p50", lambda metrics: metrics.itl.p50 if metrics.itl else None, True),
    ("itl_p99", lambda metrics: metrics.itl.p99 if metrics.itl else None, True),
    ("tpot", lambda metrics: metrics.tpot, True),
    ("decode_tps", lambda metrics: metrics.decode_tps, False),
    ("prefill_tps", lambda metrics: metrics.prefill_tps, False),
    ("e2e_latency", lambda metrics: metrics.e2e_latency, True),
)


def compare(a: Sequence[RequestMetrics], b: Sequence[RequestMetrics], *, seed: int = 0) -> list[ComparedMetric]:
    """Each metric that both sides have; the same input gives the same intervals."""
    generator = random.Random(seed)
    compared = []
    for name, read, is_lower_better in _METRICS:
        left = [value for metrics in a if (value := read(metrics)) is not None]
        right = [value for metrics in b if (value := read(metrics)) is not None]
        if not left or not right or median(left) == 0:
            continue
        low, high = None, None
        if min(len(left), len(right)) >= MIN_RUNS:
            low, high = bootstrap_interval(left, right, generator)
        compared.append(
            ComparedMetric(
                name=name,
                a=median(left),
                b=median(right),
                difference=median(right) / median(left) - 1,
                low=low,
                high=high,
                n_a=len(left),
                n_b=len(right),
                is_lower_better=is_lower_better,
            )
        )
    return compared


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What one step of the ablation benchmark did, against the step before."""

    ratio: float
    """-0.25: a quarter less."""
    is_noise: bool
    """The runs of both steps overlap."""

    @property
    def is_loss(self) -> bool:
        return self.ratio > 0 and not self.is_noise


def changes(steps: Sequence[Sequence[float]]) -> list[Change | None]:
    """The change at each step, from the seconds of its runs; None at the first."""
    found: list[Change | None] = [None] if steps else []
    for before, after in itertools.pairwise(steps):
        overlap = min(before) <= max(after) and min(after) <= max(before)
        found.append(Change(ratio=median(after) / median(before) - 1, is_noise=overlap))
    return found


def bootstrap_interval(
    a: Sequence[float], b: Sequence[float], generator: random.Random, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Percentile bootstrap of median(b) / median(a) - 1.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap, section 13.3.
    """
    ratios = []
    for _ in range(N_RESAMPLES):
        base = median(generator.choices(a, k=len(a)))
        if base:
            ratios.append(median(generator.choices(b, k=len(b))) / base - 1)
    ratios.sort()
    cut = (1 - confidence) / 2
    return ratios[int(cut * (len(ratios) - 1))], ratios[int((1 - cut) * (len(ratios) - 1))]
