"""Each diagnosis is a sentence with its own numbers; what became of a change is said in words, not only in figures."""

from __future__ import annotations

import pytest
from slow_answers import FIRES

from app.latency.diagnosis_texts import brought, sentence
from engine.latency.advice import Action, Outcome
from engine.latency.diagnosis import Cause, diagnose


@pytest.mark.parametrize(
    ("after", "text"),
    [(0.017, "21 ms → 17 ms, faster."), (0.0214, "21 ms → 21 ms, no real difference."),
     (0.027, "21 ms → 27 ms, slower. Settings, Loading takes it back.")],
)  # fmt: skip
def test_an_outcome_says_whether_it_helped(after: float, text: str) -> None:
    said = brought(Action.KV_Q8_0, Outcome("ITL P50", 0.021, after))
    assert said == f"Keep the KV cache in q8_0: ITL P50 {text}"


@pytest.mark.parametrize("cause", list(Cause))
def test_each_cause_is_a_sentence_with_its_numbers(cause: Cause) -> None:
    found = diagnose(FIRES[cause][0])
    assert found is not None
    said = sentence(found)
    assert "{" not in said
    assert sum(character.isdigit() for character in said) >= len(found.figures)


def test_the_sentence_reads_as_one() -> None:
    found = diagnose(FIRES[Cause.CACHE_MISSED][0])
    assert found is not None
    assert sentence(found) == "TTFT 1.9 s: 92 % of it prefill of 6,210 tokens. The system prompt changed."
