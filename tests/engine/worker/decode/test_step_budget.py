"""The prefill budget follows measured step times."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from engine.worker.decode.step_budget import PLATEAU, SHARE, StepBudget

N_UBATCH = 512


def learn(decode: float, per_token: float, *, n_steps: int = 200, fixed: float = 0.0) -> StepBudget:
    """A budget after steps on a machine where a chunk of n tokens adds fixed + n × per_token seconds."""
    budget = StepBudget(N_UBATCH)
    for _ in range(8):
        budget.observe(1, 0, decode)
        budget.observe(0, 128, 128 * per_token)
    for _ in range(n_steps):
        n_prefill = budget.prefill_tokens(1)
        budget.observe(1, n_prefill, decode + fixed + n_prefill * per_token)
    return budget


@pytest.mark.parametrize("decode", [0.005, 0.03, 0.2])
@pytest.mark.parametrize("per_token", [0.00005, 0.001, 0.01])
def test_a_chunk_lengthens_a_step_by_its_share_at_most(decode: float, per_token: float) -> None:
    n_prefill = learn(decode, per_token).prefill_tokens(1)
    assert n_prefill == 1 or n_prefill * per_token <= decode * SHARE * 1.01
    assert n_prefill >= min(N_UBATCH, int(decode * SHARE / per_token)) * 0.7


def test_a_fixed_cost_of_mixing_is_learned() -> None:
    budget = learn(0.02, 0.0005, fixed=0.004)
    n_prefill = budget.prefill_tokens(1)
    assert 0.004 + n_prefill * 0.0005 <= 0.02 * SHARE * 1.05
    assert n_prefill >= 8


def test_alone_a_chunk_takes_less_than_a_second() -> None:
    budget = StepBudget(N_UBATCH)
    budget.observe(0, 256, 256 * 0.01)
    assert budget.prefill_tokens(0) == 75
    fast = StepBudget(N_UBATCH)
    fast.observe(0, 256, 256 * 0.0001)
    assert fast.prefill_tokens(0) == N_UBATCH
    assert 16 <= fast.prefill_tokens(0, must_yield=True) <= N_UBATCH


def test_without_any_measurement_one_token_goes_along() -> None:
    assert StepBudget(N_UBATCH).prefill_tokens(1) == 1


def test_a_chunk_that_looked_free_does_not_open_the_gates() -> None:
    budget = StepBudget(N_UBATCH)
    for _ in range(8):
        budget.observe(1, 0, 0.08)
        budget.observe(0, 128, 128 * 0.006)
    budget.observe(1, 1, 0.03)
    assert budget.prefill_tokens(1) <= 3


def carry(budget: StepBudget, decode: float, extra: Callable[[int], float], n_steps: int) -> list[int]:
    """The sizes of the chunks of a prompt beside an answer, where a chunk of n tokens adds extra(n) seconds."""
    sizes = []
    for _ in range(n_steps):
        sizes.append(budget.prefill_tokens(1))
        budget.observe(1, sizes[-1], decode + extra(sizes[-1]))
    return sizes


def decoding(decode: float) -> StepBudget:
    budget = StepBudget(N_UBATCH)
    for _ in range(8):
        budget.observe(1, 0, decode)
    return budget


def test_chunks_grow_by_half_at_most_and_never_beyond_what_was_measured() -> None:
    sizes = carry(decoding(0.01), 0.01, lambda n: n * 0.0001, 40)
    assert all(after <= max(before + 1, before * 1.5) for before, after in itertools.pairwise(sizes))
    assert 40 <= sizes[-1] <= 50
    assert max(sizes) * 0.0001 <= 0.01 * SHARE * 1.1


def test_a_size_at_which_kernels_change_is_met_twice_in_a_long_answer() -> None:
    def cliff(n: int) -> float:
        return 0.001 + 0.0001 * n if n < 7 else 0.06

    sizes = carry(decoding(0.01), 0.01, cliff, 255)
    assert sum(size >= 7 for size in sizes) == 2
    assert sizes.count(6) > 200


def test_one_token_that_costs_a_step_takes_others_along_that_cost_nothing() -> None:
    sizes = carry(decoding(0.004), 0.004, lambda n: 0.004 + 0.0001 * (n - 1), 60)
    assert sizes[-1] >= 6
    assert 0.0001 * (max(sizes) - 1) <= PLATEAU * 0.008 * 1.25


def test_a_machine_in_a_bad_moment_opens_no_gates() -> None:
    budget = decoding(0.01)
    for number in range(60):
        size = budget.prefill_tokens(1)
        assert size <= 25
        budget.observe(1, size, 0.01 + size * 0.0005 + (0.1 if number % 2 and number < 12 else 0))


def test_chunks_shrink_as_texts_get_longer() -> None:
    budget = decoding(0.01)
    depth = 0
    extras = []
    for _ in range(255):
        size = budget.prefill_tokens(1)
        extras.append(size * (0.0001 + depth * 1e-6))
        budget.observe(1, size, 0.01 + extras[-1])
        depth += size
    assert depth > 1000
    assert max(extras) < 0.01
    assert sum(extra > 0.01 * SHARE * 1.2 for extra in extras) <= 0.02 * len(extras)


def test_the_first_slow_steps_of_a_prompt_promise_nothing() -> None:
    budget = decoding(0.01)
    for number in range(60):
        size = budget.prefill_tokens(1)
        budget.observe(1, size, 0.01 + size * 0.0005 + (0.02, 0.3)[number] if number < 2 else 0.01 + size * 0.0005)
    assert budget.prefill_tokens(1) <= 10


def test_an_accident_stops_the_growth_for_a_while_only() -> None:
    budget = decoding(0.01)
    for number in range(80):
        size = budget.prefill_tokens(1)
        budget.observe(1, size, 0.1 if number in (3, 9, 40) else 0.01 + size * 0.0001)
    assert budget.prefill_tokens(1) >= 40


def test_each_prompt_begins_with_a_small_chunk() -> None:
    budget = decoding(0.01)
    assert carry(budget, 0.01, lambda n: n * 0.0001, 40)[-1] >= 40
    budget.observe(1, 0, 0.01)
    assert budget.prefill_tokens(1) == 1


def test_one_slow_step_does_not_move_the_median() -> None:
    budget = learn(0.01, 0.001)
    budget.observe(1, 0, 3.0)
    assert budget.decode_time(1) == pytest.approx(0.01)
