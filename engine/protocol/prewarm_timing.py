"""When what is typed is read ahead: the same for the window and for those who measure it."""

from __future__ import annotations

PAUSE = 0.22
"""Seconds without a key after which what is written is read, even in the middle of a word."""
WORD = 0.05
"""The same behind a word or a sentence: the next key may be Enter."""
LONGEST = 0.5
"""What is written does not wait longer than this while somebody types without a pause."""


def reading_delay(draft: str, waiting: float) -> float:
    """Seconds from a key until the draft is read, unless another key comes before.

    `waiting` are the seconds since the first key that has not been read.
    """
    pause = PAUSE if draft[-1:].isalnum() else WORD
    return max(0.0, min(pause, LONGEST - waiting))
