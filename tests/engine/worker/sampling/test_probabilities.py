"""The weights of a whole vocabulary: their cuts and draws against plain sums."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import EngineError
from engine.worker.sampling.mirostat import Mirostat
from engine.worker.sampling.probabilities import Probabilities, Rng, draw, top_ids


def filled(logits: np.ndarray, temperature: float = 1.0) -> Probabilities:
    weights = Probabilities(len(logits))
    weights.fill(logits.astype(np.float32), temperature)
    return weights


class Loaded(Rng):
    """Always rolls the same."""

    def __init__(self, share: float) -> None:
        self._share = share

    def roll(self) -> float:
        return self._share


@given(st.integers(1, 3000), st.integers(0, 1 << 30), st.sampled_from([0.3, 1.0, 4.0]), st.floats(0, 1))
def test_a_draw_is_where_the_running_sum_reaches_the_roll(n: int, seed: int, spread: float, share: float) -> None:
    weights = np.exp2(np.random.default_rng(seed).normal(0, spread, n)).astype(np.float32)
    weights[:: 1 + seed % 5] = 0
    weights[seed % n] = 1
    place = draw(weights, Loaded(share))
    reached = weights.cumsum(dtype=np.float64)
    target, rounding = share * reached[-1], 1e-6 * reached[-1]
    assert reached[place] >= target - rounding
    assert place == 0 or reached[place - 1] <= target + rounding
    assert weights[place] > 0 or share == 0


def test_draws_follow_the_weights() -> None:
    """Chi-square over more tokens than a block holds; the seed is fixed, so the figure is always the same."""
    weights = np.random.default_rng(2).uniform(0.3, 1, 700).astype(np.float32)
    rng, n = Rng(1), 7000
    counts = Counter(draw(weights, rng) for _ in range(n))
    expected = weights / weights.sum(dtype=np.float64) * n
    square = sum((counts[token] - share) ** 2 / share for token, share in enumerate(expected))
    # 699 degrees of freedom: three standard deviations.
    assert square < 699 + 3 * math.sqrt(2 * 699)


def test_cuts_of_a_flat_distribution_take_as_many_as_they_need() -> None:
    logits = np.random.default_rng(4).normal(0, 0.01, 60_000)
    weights = filled(logits)
    assert len(weights.nucleus(0.9)) == pytest.approx(54_000, rel=0.01)
    assert len(weights.typical(logits.astype(np.float32), 0.5)) == pytest.approx(30_000, rel=0.01)
    assert len(weights.nucleus(1.0)) <= 60_000


def test_ruled_out_tokens_weigh_nothing() -> None:
    logits = np.array([1.0, -math.inf, 0.0, -1e9], np.float32)
    weights = filled(logits)
    assert weights.values[[1, 3]].tolist() == [0, 0]
    assert weights.typical(logits, 0.99).tolist() == [0, 2]
    assert {draw(weights.values, Loaded(share)) for share in (0.0, 0.5, 0.999999, 1.0)} == {0, 2}


@pytest.mark.parametrize("temperature", [1e-9, 1e-3])
def test_the_coldest_temperature_leaves_the_likeliest(temperature: float) -> None:
    assert filled(np.array([1.0, 2.0, 1.9]), temperature).at_least(1e-6).tolist() == [1]


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_logits_that_are_no_numbers_are_refused(value: float) -> None:
    with pytest.raises(EngineError, match="not a number"), np.errstate(invalid="ignore"):
        filled(np.array([0.0, value]))
    with pytest.raises(EngineError, match="not a number"), np.errstate(invalid="ignore"):
        filled(np.array([-math.inf, -math.inf]))


@pytest.mark.parametrize(
    ("version", "logits", "mu", "kept"),
    [
        (2, [3.0, 0.0, 0.0], -5000.0, {0}),
        (2, [3.0, 0.0, 0.0], 5000.0, {0, 1, 2}),
        (1, [3.0], 10.0, {0}),
        (1, [0.0, 0.0, 0.0], 1.0, {0, 1, 2}),
        (1, [3.0, -math.inf, -math.inf], 10.0, {0}),
        (1, [3.0, 0.0, -1.0], -5000.0, {0}),
        (1, [3.0, 0.0, -1.0], 5000.0, {0, 1, 2}),
    ],
)
def test_mirostat_chooses_at_its_limits_too(version: int, logits: list[float], mu: float, kept: set[int]) -> None:
    course = Mirostat(version, tau=5.0, eta=0.1)
    course.mu = mu
    weights, rng = filled(np.array(logits)), Rng(1)
    assert {course.choose(weights, rng) for _ in range(200)} <= kept


def test_mirostat_learns_once_a_token() -> None:
    course, weights, rng = Mirostat(2, tau=5.0, eta=1.0), filled(np.zeros(4)), Rng(1)
    course.choose(weights, rng)
    course.choose(weights, rng)
    assert course.mu == 10
    course.learn()
    assert course.mu == pytest.approx(10 - (2 - 5))


@given(st.integers(1, 3000), st.integers(1, 300), st.integers(0, 1 << 30), st.booleans())
def test_top_ids_are_the_largest(n: int, k: int, seed: int, is_coarse: bool) -> None:
    logits = np.random.default_rng(seed).normal(size=n * 8).astype(np.float32)
    logits = np.round(logits) if is_coarse else logits
    ids = top_ids(logits, k)
    least = np.sort(logits)[::-1][min(k, len(logits)) - 1]
    assert set(np.flatnonzero(logits > least)) <= set(ids)
    assert len(ids) >= min(k, len(logits))
