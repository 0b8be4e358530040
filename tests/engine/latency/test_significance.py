"""Compare: a real difference is told from noise, few runs claim nothing, and the better side is named."""

from __future__ import annotations

import random

import pytest

from engine.latency.significance import ComparedMetric, bootstrap_interval, compare
from engine.metrics import Itl, RequestMetrics


def runs(tpot: float, n: int, *, spread: float = 0.05, seed: int = 1) -> list[RequestMetrics]:
    generator = random.Random(seed)
    made = []
    for _ in range(n):
        value = tpot * generator.uniform(1 - spread, 1 + spread)
        itl = Itl(mean=value, p50=value, p90=value, p95=value, p99=value, max=value)
        made.append(RequestMetrics(ttft=0.1, tpot=value, decode_tps=1 / value, itl=itl, e2e_latency=1.0))
    return made


def named(rows: list[ComparedMetric], name: str) -> ComparedMetric:
    return next(row for row in rows if row.name == name)


def test_a_large_difference_exceeds_the_noise() -> None:
    row = named(compare(runs(0.021, 10), runs(0.017, 10, seed=2)), "tpot")
    assert row.exceeds_noise is True
    assert row.is_better
    assert row.difference == pytest.approx(-0.19, abs=0.05)


def test_the_same_thing_twice_does_not() -> None:
    row = named(compare(runs(0.02, 10), runs(0.02, 10, seed=2)), "tpot")
    assert row.exceeds_noise is False


def test_four_runs_claim_nothing() -> None:
    row = named(compare(runs(0.021, 4), runs(0.01, 10)), "tpot")
    assert row.exceeds_noise is None
    assert (row.n_a, row.n_b) == (4, 10)


def test_higher_is_better_for_rates() -> None:
    row = named(compare(runs(0.02, 6), runs(0.01, 6)), "decode_tps")
    assert row.difference > 0
    assert row.is_better


def test_what_one_side_lacks_is_left_out() -> None:
    names = [row.name for row in compare(runs(0.02, 5), [RequestMetrics(ttft=0.2)])]
    assert names == ["ttft", "e2e_latency"]


def test_the_same_input_gives_the_same_interval() -> None:
    a, b = runs(0.02, 8), runs(0.019, 8, seed=5)
    assert compare(a, b) == compare(a, b)


def test_the_interval_covers_the_true_ratio_about_as_often_as_it_says() -> None:
    generator, covered = random.Random(7), 0
    for _ in range(60):
        a = [generator.gauss(1.0, 0.1) for _ in range(12)]
        b = [generator.gauss(1.2, 0.1) for _ in range(12)]
        low, high = bootstrap_interval(a, b, generator)
        covered += low <= 0.2 <= high
    assert covered >= 51
