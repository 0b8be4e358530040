"""What became of a change is said in words, not only in figures."""

from __future__ import annotations

import pytest

from app.latency.diagnosis_texts import brought
from engine.latency.advice import Action, Outcome


@pytest.mark.parametrize(
    ("after", "text"),
    [(0.017, "21 ms → 17 ms, faster."), (0.0214, "21 ms → 21 ms, no real difference."),
     (0.027, "21 ms → 27 ms, slower. Settings, Loading takes it back.")],
)  # fmt: skip
def test_an_outcome_says_whether_it_helped(after: float, text: str) -> None:
    said = brought(Action.KV_Q8_0, Outcome("ITL P50", 0.021, after))
    assert said == f"Keep the KV cache in q8_0: ITL P50 {text}"
