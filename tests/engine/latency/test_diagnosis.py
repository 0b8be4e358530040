"""Why slow: each rule has a case that fires it and a near miss that does not; a fast answer gets no diagnosis."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest

from engine.latency.advice import Action, Outcome, changed_settings, outcome
from engine.latency.diagnosis import RULES, UNITS, Cause, Evidence, Why, diagnose
from engine.metrics import Itl, RequestMetrics
from engine.protocol.values import EffectiveSettings, KvType, ModelSettings, Speculative, Switch

CPU = EffectiveSettings(
    backend="cpu", n_threads=2, n_layers=31, n_ubatch=512, n_batch=2048, n_parallel=4, flash_attn=True,
    n_ctx=8192, model_bytes=100_000_000,
)  # fmt: skip
GPU = msgspec.structs.replace(CPU, backend="cuda", n_gpu_layers=31)


def itl(mean: float, *, p99: float | None = None) -> Itl:
    return Itl(mean=mean, p50=mean, p90=mean, p95=mean, p99=p99 or mean, max=p99 or mean)


def ttft(seconds: float, **fields: object) -> RequestMetrics:
    return msgspec.structs.replace(RequestMetrics(ttft=seconds), **fields)


FAST = RequestMetrics(ttft=0.1, load_time=0.09, queued_time=0.09, prefill_time=0.09, n_prompt_tokens=4000,
                      cache_miss_reason="the history was edited", itl=itl(0.01, p99=0.045), mbu=0.9,
                      n_interfering_steps=5, prefill_tps=1.0)  # fmt: skip

FIRES: dict[Cause, tuple[Evidence, Action | None]] = {
    Cause.COLD_START: (Evidence(metrics=ttft(2.0, load_time=1.5)), Action.KEEP_WARM),
    Cause.QUEUE: (Evidence(metrics=ttft(2.0, queued_time=1.2)), Action.MORE_SEQUENCES),
    Cause.CACHE_MISSED: (
        Evidence(
            metrics=ttft(1.9, prefill_time=1.75, n_prompt_tokens=6210, cache_miss_reason="The system prompt changed.")
        ),
        Action.UNDO_PREFIX_CHANGE,
    ),
    Cause.SLOW_PREFILL: (
        Evidence(
            metrics=ttft(2.0, prefill_time=1.9, prefill_tps=300.0, n_prompt_tokens=570),
            best_prefill_tps=1000.0,
            effective=msgspec.structs.replace(GPU, n_gpu_layers=20),
        ),
        Action.MORE_GPU_LAYERS,
    ),
    Cause.LONG_PROMPT: (
        Evidence(metrics=ttft(2.0, prefill_time=1.9, n_prompt_tokens=6000, prefill_tps=3100.0), effective=CPU),
        Action.SUMMARISE_HISTORY,
    ),
    Cause.RENDERING: (Evidence(metrics=ttft(0.25), perceived_ttft=0.6, window_seconds=0.3), Action.REPORT),
    Cause.WINDOW_WAITED: (Evidence(metrics=ttft(0.25), perceived_ttft=0.6, window_seconds=0.05), None),
    Cause.INTERFERENCE: (
        Evidence(metrics=RequestMetrics(itl=itl(0.02, p99=0.09), n_interfering_steps=7), effective=CPU),
        Action.SMALLER_UBATCH,
    ),
    Cause.LONG_CONTEXT: (
        Evidence(
            metrics=RequestMetrics(itl=itl(0.06), kv_bytes=412_000_000),
            gaps=[0.04] * 20 + [0.06] * 40 + [0.08] * 20,
            effective=CPU,
        ),
        Action.KV_Q8_0,
    ),
    Cause.BANDWIDTH: (Evidence(metrics=RequestMetrics(itl=itl(0.06), mbu=0.78), effective=CPU), Action.SPECULATIVE),
    Cause.CPU_BOUND: (
        Evidence(
            metrics=RequestMetrics(itl=itl(0.08), mbu=0.1),
            gpu_utilisation=0.1,
            effective=msgspec.structs.replace(GPU, n_gpu_layers=20),
        ),
        Action.MORE_GPU_LAYERS,
    ),
}

NEAR_MISSES = {
    Cause.COLD_START: Evidence(metrics=ttft(2.0, load_time=0.9)),
    Cause.QUEUE: Evidence(metrics=ttft(2.0, queued_time=0.9)),
    Cause.CACHE_MISSED: Evidence(metrics=ttft(1.9, prefill_time=1.75, n_prompt_tokens=200, cache_miss_reason="edited")),
    Cause.SLOW_PREFILL: Evidence(
        metrics=ttft(2.0, prefill_time=1.9, prefill_tps=600.0, n_prompt_tokens=200), best_prefill_tps=1000.0
    ),
    Cause.LONG_PROMPT: Evidence(metrics=ttft(2.0, prefill_time=1.9, n_prompt_tokens=6000, n_cached_tokens=5800)),
    Cause.RENDERING: Evidence(metrics=ttft(0.29), perceived_ttft=0.38, window_seconds=0.3),
    Cause.WINDOW_WAITED: Evidence(metrics=ttft(0.29), perceived_ttft=0.38, window_seconds=0.05),
    Cause.INTERFERENCE: Evidence(metrics=RequestMetrics(itl=itl(0.02, p99=0.055), n_interfering_steps=7)),
    Cause.LONG_CONTEXT: Evidence(metrics=RequestMetrics(itl=itl(0.06)), gaps=[0.055] * 40 + [0.065] * 40),
    Cause.BANDWIDTH: Evidence(metrics=RequestMetrics(itl=itl(0.06), mbu=0.5)),
    Cause.CPU_BOUND: Evidence(metrics=RequestMetrics(itl=itl(0.08), mbu=0.1), effective=GPU, gpu_utilisation=0.2),
}


def test_every_cause_has_a_rule_a_case_and_a_near_miss() -> None:
    assert set(FIRES) == set(NEAR_MISSES) == set(Cause)
    assert len(RULES) == len(Cause)


@pytest.mark.parametrize("cause", list(Cause))
def test_the_rule_fires_with_its_own_numbers_and_action(cause: Cause) -> None:
    evidence, action = FIRES[cause]
    found = diagnose(evidence)
    assert found is not None
    assert (found.cause, found.action) == (cause, action)
    assert set(found.figures) <= set(UNITS)
    assert "{" not in found.sentence
    assert sum(character.isdigit() for character in found.sentence) >= len(found.figures)


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


def test_the_sentence_reads_as_one() -> None:
    found = diagnose(FIRES[Cause.CACHE_MISSED][0])
    assert found is not None
    assert found.sentence == "TTFT 1.9 s: 92 % of it prefill of 6,210 tokens. The system prompt changed."


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
