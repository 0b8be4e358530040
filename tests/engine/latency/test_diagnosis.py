"""Why slow: each rule has a case that fires it and a near miss that does not; a fast answer gets no diagnosis."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest
from slow_answers import CPU, FAST, FIRES, NEAR_MISSES, itl, ttft

from engine.latency.advice import Action, Outcome, changed_settings, outcome
from engine.latency.diagnosis import RULES, Cause, Evidence, Why, diagnose
from engine.metrics import RequestMetrics
from engine.protocol.values import KvType, ModelSettings, Speculative, Switch


def test_every_cause_has_a_rule_a_case_and_a_near_miss() -> None:
    assert set(FIRES) == set(NEAR_MISSES) == set(Cause)
    assert len(RULES) == len(Cause)


@pytest.mark.parametrize("cause", list(Cause))
def test_the_rule_fires_with_its_own_numbers_and_action(cause: Cause) -> None:
    evidence, action = FIRES[cause]
    found = diagnose(evidence)
    assert found is not None
    assert (found.cause, found.action) == (cause, action)


@pytest.mark.parametrize(
    ("window_seconds", "why", "action"),
    [(0.18, Why.OUR_FAULT, Action.REPORT), (0.17, Why.WINDOW_WAITED, None), (None, Why.WINDOW_LATE, None)],
)
def test_the_window_is_blamed_only_for_what_it_computed_itself(
    window_seconds: float | None, why: Why, action: Action | None
) -> None:
    """Of the 0.35 s between the first token and its paint."""
    found = diagnose(Evidence(metrics=ttft(0.25), perceived_ttft=0.6, window_seconds=window_seconds))
    assert found is not None
    assert (found.why, found.action) == (why, action)


def test_a_window_that_waited_hides_no_cause_with_an_action() -> None:
    busy = FIRES[Cause.WINDOW_WAITED][0]
    slow = dataclasses.replace(busy, metrics=msgspec.structs.replace(busy.metrics, itl=itl(0.06), mbu=0.78))
    found = diagnose(slow)
    assert found is not None
    assert found.cause is Cause.BANDWIDTH


@pytest.mark.parametrize("cause", list(Cause))
def test_a_near_miss_does_not_fire(cause: Cause) -> None:
    assert diagnose(NEAR_MISSES[cause]) is None


def test_a_small_cache_is_no_reason_for_growing_gaps() -> None:
    evidence = FIRES[Cause.LONG_CONTEXT][0]
    small = dataclasses.replace(evidence, metrics=msgspec.structs.replace(evidence.metrics, kv_bytes=6_000_000))
    assert diagnose(small) is None


def test_no_rule_fires_on_a_fast_answer() -> None:
    evidence = Evidence(metrics=FAST, perceived_ttft=0.12, best_prefill_tps=1e6, gaps=[0.001] * 50 + [0.01] * 50)
    assert [rule(evidence) for rule in RULES] == [None] * len(RULES)


@pytest.mark.parametrize(
    ("action", "field", "value"),
    [
        (Action.KV_Q8_0, "type_v", KvType.Q8_0),
        (Action.FLASH_ATTENTION, "flash_attn", Switch.ON),
        (Action.SPECULATIVE, "speculative", Speculative.LOOKUP),
        (Action.MORE_SEQUENCES, "n_parallel", 8),
        (Action.FEWER_THREADS, "n_threads", 1),
        (Action.SHORTER_CONTEXT, "n_ctx", 4096),
        (Action.SMALLER_UBATCH, "n_ubatch", 256),
        (Action.LARGER_UBATCH, "n_ubatch", 1024),
    ],
)
def test_an_action_changes_just_its_setting(action: Action, field: str, value: object) -> None:
    changed = changed_settings(action, ModelSettings(), CPU)
    assert changed is not None
    assert getattr(changed, field) == value


def test_an_action_of_the_app_changes_no_model_settings() -> None:
    assert changed_settings(Action.REPORT, ModelSettings(), CPU) is None


def test_the_next_answer_confirms_or_refutes() -> None:
    found = diagnose(FIRES[Cause.BANDWIDTH][0])
    assert found is not None
    before, after = RequestMetrics(itl=itl(0.021)), RequestMetrics(itl=itl(0.017))
    assert outcome(found.metric, before, after) == Outcome("ITL P50", 0.021, 0.017)
    assert outcome(found.metric, before, RequestMetrics()) is None
