"""Waits for the states of a download."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from engine.library.downloads import PullState
from engine.protocol.records import Pull


class Watcher:
    """Keeps every report, and waits for one that fits."""

    def __init__(self) -> None:
        self.reports: list[Pull] = []
        self._changed = asyncio.Event()

    def __call__(self, pull: Pull) -> None:
        self.reports.append(pull)
        self._changed.set()

    async def until(self, fits: Callable[[Pull], bool]) -> Pull:
        async with asyncio.timeout(60):
            while not (self.reports and fits(self.reports[-1])):
                self._changed.clear()
                await self._changed.wait()
        return self.reports[-1]

    async def state(self, *states: PullState) -> Pull:
        return await self.until(lambda pull: pull.state in states)
