"""When a draft is read ahead while somebody types."""

from __future__ import annotations

import pytest

from engine.protocol.prewarm_timing import LONGEST, PAUSE, WORD, reading_delay


@pytest.mark.parametrize(
    ("draft", "waiting", "delay"),
    [
        ("the ba", 0.0, PAUSE),
        ("the band ", 0.0, WORD),
        ("the band?", 0.0, WORD),
        ("", 0.0, WORD),
        ("你好", 0.0, PAUSE),
        ("the ba", LONGEST - 0.1, 0.1),
        ("the ba", LONGEST + 1, 0.0),
    ],
)
def test_a_word_is_read_soon_and_nothing_waits_for_long(draft: str, waiting: float, delay: float) -> None:
    assert reading_delay(draft, waiting) == pytest.approx(delay)
