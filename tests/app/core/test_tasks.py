"""Background work: what was begun is ended in order."""

from __future__ import annotations

import gc
from collections.abc import Awaitable

from app_scene import Run
from PySide6.QtCore import QObject

from app.core import tasks


async def wrapping(work: Awaitable[None]) -> None:
    await work


def test_what_was_just_begun_is_cancelled_with_what_it_wraps(run: Run) -> None:
    """Python warns of a coroutine that nobody awaited, and a warning fails the test."""
    done: list[str] = []

    async def work() -> None:
        await tasks.run_blocking(str)
        done.append("work")

    async def scene() -> None:
        owner = QObject()
        inside = work()
        task = tasks.spawn(wrapping(inside), owner=owner, inside=inside)
        await tasks.cancel_all()
        assert task.cancelled()
        del task, inside
        gc.collect()

    run(scene())
    assert done == []
