"""Shares of a frame's time."""

from __future__ import annotations

from unittest.mock import Mock

from app.markdown.frame_budget import LAYOUT_MS, FrameBudget, Pace


def clock(elapsed_ms: float) -> Mock:
    return Mock(**{"isValid.return_value": True, "elapsed.return_value": elapsed_ms})


def test_a_budget_tells_that_work_was_put_off() -> None:
    empty, ample = FrameBudget(0), FrameBudget(60_000)
    assert not empty.was_short
    assert empty.is_spent()
    assert empty.was_short
    assert not ample.is_spent()
    assert not ample.was_short


def test_right_after_a_budget_was_spent_the_next_is_empty() -> None:
    pace = Pace()
    assert pace.budget()._duration_ms == LAYOUT_MS
    pace._since = clock(0)
    assert pace.budget().is_spent()
    pace._since = clock(3)
    assert pace.budget()._duration_ms == LAYOUT_MS
