"""A failure as the user reads it."""

from __future__ import annotations

from engine.errors import Failure


def failure_text(failure: Failure) -> str:
    """Its sentence and what to do about it, in the user's language where there is one for it."""
    return failure.sentence()
