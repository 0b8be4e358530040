"""The metric definitions: percentiles, the parts of TTFT, TPOT, and what is absent when it cannot be known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.metrics import (
    CacheSource,
    RequestTimeline,
    gap_bucket,
    histogram_percentile,
    itl_summary,
    memory_bandwidth_utilisation,
    merge_histograms,
    percentile,
)

DURATIONS = st.floats(min_value=0, max_value=100, allow_nan=False)


@given(st.lists(DURATIONS, min_size=1, max_size=200), st.floats(min_value=0, max_value=100))
def test_percentile_is_numpys_default(values: list[float], q: float) -> None:
    assert math.isclose(percentile(values, q), float(np.percentile(values, q)), rel_tol=1e-9, abs_tol=1e-9)


def test_percentile_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no values"):
        percentile([], 50)


def test_itl_of_no_gap_is_absent() -> None:
    assert itl_summary([]) is None


def test_itl_summary_orders_its_percentiles() -> None:
    itl = itl_summary([0.01, 0.02, 0.03, 0.5])
    assert itl is not None
    assert itl.mean == pytest.approx(0.14)
    assert itl.p50 == pytest.approx(0.025)
    assert itl.p50 <= itl.p90 <= itl.p95 <= itl.p99 <= itl.max == 0.5


@given(
    host_queue=DURATIONS,
    load=DURATIONS,
    steps=st.tuples(DURATIONS, DURATIONS, DURATIONS, DURATIONS),
    gaps=st.lists(DURATIONS, max_size=20),
)
def test_ttft_is_the_sum_of_its_parts(
    host_queue: float, load: float, steps: tuple[float, float, float, float], gaps: list[float]
) -> None:
    now = 1000.0
    timeline = RequestTimeline(now, load_time=load)
    now += host_queue + load
    for moment, step in zip((timeline.start, timeline.template_done, timeline.restore_done), steps, strict=False):
        now += step
        moment(now)
    now += steps[3]
    assert timeline.token(now) == 0.0
    for gap in gaps:
        now += gap
        timeline.token(now)
    metrics = timeline.metrics(now)
    parts = (
        metrics.queued_time + metrics.load_time + metrics.template_time + metrics.cache_restore_time
    ) + metrics.prefill_time
    assert metrics.ttft == pytest.approx(parts, abs=1e-9)
    assert metrics.ttft == pytest.approx(host_queue + load + sum(steps), abs=1e-6)
    assert metrics.decode_time == pytest.approx(sum(gaps), abs=1e-6)
    assert metrics.e2e_latency == pytest.approx(parts + sum(gaps), abs=1e-6)
    assert metrics.n_decoded == len(gaps) + 1


def test_tpot_leaves_out_the_token_of_the_prefill() -> None:
    timeline = RequestTimeline(0.0)
    timeline.start(0.0)
    for now in (1.0, 1.1, 1.3):
        timeline.token(now)
    metrics = timeline.metrics(1.3)
    assert metrics.tpot == pytest.approx(0.15)
    assert metrics.decode_tps == pytest.approx(1 / 0.15)


def test_one_token_has_no_tpot_and_none_has_no_ttft() -> None:
    timeline = RequestTimeline(0.0)
    timeline.start(0.0)
    assert timeline.metrics(5.0).ttft is None
    timeline.token(6.0)
    metrics = timeline.metrics(6.0)
    assert (metrics.ttft, metrics.tpot, metrics.decode_tps, metrics.itl) == (6.0, None, None, None)


def test_a_request_that_waits_in_the_worker_counts_it_as_queued() -> None:
    timeline = RequestTimeline(-0.5)
    timeline.start(2.0)
    timeline.token(3.0)
    metrics = timeline.metrics(3.0)
    assert metrics.queued_time == pytest.approx(2.5)
    assert metrics.prefill_time == pytest.approx(1.0)


def test_a_request_that_never_started_has_only_waited() -> None:
    metrics = RequestTimeline(1.0, load_time=0.5).metrics(4.0)
    assert (metrics.queued_time, metrics.load_time, metrics.e2e_latency) == (2.5, 0.5, 3.0)
    assert (metrics.template_time, metrics.prefill_time, metrics.ttft) == (0.0, 0.0, None)


@pytest.mark.parametrize(("n_cached", "rate"), [(968, 32.0), (969, None)])
def test_prefill_rate_needs_32_tokens(n_cached: int, rate: float | None) -> None:
    timeline = RequestTimeline(0.0)
    timeline.start(0.0)
    timeline.token(1.0)
    metrics = timeline.metrics(1.0, n_prompt_tokens=1000, n_cached_tokens=n_cached, cache_source=CacheSource.SLOT)
    assert metrics.prefill_tps == rate
    assert metrics.cache_source is CacheSource.SLOT


def test_mbu_is_bytes_read_over_bandwidth() -> None:
    assert memory_bandwidth_utilisation(90e6, 10e6, 100, 20e9) == pytest.approx(0.5)


@given(st.lists(st.floats(min_value=2e-4, max_value=60), min_size=1, max_size=300), st.sampled_from([50, 90, 99]))
def test_percentiles_of_a_histogram_are_within_its_bucket(gaps: list[float], q: int) -> None:
    halves = [{gap_bucket(gap): 1} for gap in gaps]
    read = histogram_percentile(merge_histograms(halves), q)
    exact = float(np.percentile(gaps, q, method="inverted_cdf"))
    assert read == pytest.approx(exact, rel=0.03)


def test_the_timeline_keeps_the_histogram_of_its_gaps() -> None:
    timeline = RequestTimeline(0.0)
    timeline.start(0.0)
    for now in (1.0, 1.01, 1.02, 1.5):
        timeline.token(now)
    assert sum(timeline.metrics(1.5).gap_histogram.values()) == 3


def test_an_empty_histogram_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="no values"):
        histogram_percentile({}, 50)


def test_prefill_is_held_against_what_the_machine_can_do() -> None:
    timeline = RequestTimeline(0.0)
    timeline.start(0.0)
    timeline.token(0.5)
    made = timeline.metrics(0.5, prefill_limit=1000.0, n_prompt_tokens=400, n_cached_tokens=100)
    assert made.prefill_tps == pytest.approx(600.0)
    assert made.prefill_utilisation == pytest.approx(0.6)
    assert timeline.metrics(0.5, n_prompt_tokens=400).prefill_utilisation is None
    assert timeline.metrics(0.5, prefill_limit=1000.0, n_prompt_tokens=8).prefill_utilisation is None
