"""Background work in the app: every task has an owner, and its errors are never lost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from PySide6.QtCore import QObject

_T = TypeVar("_T")
_log = logging.getLogger(__name__)
_running: set[asyncio.Task[Any]] = set()


def is_possible() -> bool:
    """Whether the event loop runs: a timer may still fire while Qt takes a window apart."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def spawn(
    work: Coroutine[Any, Any, _T], *, owner: QObject, name: str = "", inside: Coroutine[Any, Any, Any] | None = None
) -> asyncio.Task[_T]:
    """Start `work`; it is cancelled when `owner` is destroyed, and logged when it fails.

    `inside` is what `work` awaits: cancelled before its first step, it leaves that unbegun.
    """
    task = asyncio.get_running_loop().create_task(work, name=name or None)
    _running.add(task)

    def cancel() -> None:
        task.cancel()

    connection = owner.destroyed.connect(cancel)

    def finished(done: asyncio.Task[_T]) -> None:
        _running.discard(done)
        if inside is not None:
            inside.close()
        try:
            QObject.disconnect(connection)
        except RuntimeError:
            _log.debug("owner of %s is gone", done.get_name())
        if not done.cancelled() and (error := done.exception()) is not None:
            _log.error("task %s failed", done.get_name(), exc_info=error)

    task.add_done_callback(finished)
    return task


async def run_blocking(work: Callable[..., _T], *arguments: object) -> _T:
    """Run `work` in a thread, so that the window stays smooth. It must not touch widgets."""
    return await asyncio.to_thread(work, *arguments)


async def cancel_all() -> None:
    """Cancel what still runs, and what is begun meanwhile, and wait for its end; for the shutdown."""
    while _running:
        for task in list(_running):
            task.cancel()
        await asyncio.gather(*_running, return_exceptions=True)
