"""What becomes of something typed that is to be stored: who holds it lets go of it only when it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from app.core.engine_texts import failure_text
from engine.errors import FirstlightError

Ended = Callable[[str], None]
"""Called once: with an empty text when it is stored, else with a sentence that says why not and what to do."""


async def report_failure(work: Awaitable[object], ended: Ended) -> bool:
    """Store it, and tell `ended`; returns whether it is stored."""
    try:
        await work
    except FirstlightError as error:
        ended(failure_text(error.failure))
        return False
    ended("")
    return True
