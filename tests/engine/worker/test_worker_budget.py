"""The prefill budget follows measured step times."""

from __future__ import annotations

import pytest

from engine.worker.budget import SHARE, StepBudget

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
    assert 16 <= fast.prefill_tokens(0, is_prewarm=True) <= N_UBATCH


def test_without_any_measurement_one_token_goes_along() -> None:
    assert StepBudget(N_UBATCH).prefill_tokens(1) == 1


def test_a_chunk_that_looked_free_does_not_open_the_gates() -> None:
    budget = StepBudget(N_UBATCH)
    for _ in range(8):
        budget.observe(1, 0, 0.08)
        budget.observe(0, 128, 128 * 0.006)
    budget.observe(1, 1, 0.03)
    assert budget.prefill_tokens(1) <= 3


def test_one_slow_step_does_not_move_the_median() -> None:
    budget = learn(0.01, 0.001)
    budget.observe(1, 0, 3.0)
    assert budget.decode_time(1) == pytest.approx(0.01)
