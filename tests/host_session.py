"""A client of a host in the same process: sends commands and waits for what comes back."""

from __future__ import annotations

import asyncio

from engine.host.host import Host
from engine.protocol import Command, Event, PullProgress, Terminal


class HostSession:
    """Keeps every event that came."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.events: list[Event] = []
        self._changed = asyncio.Event()
        host.subscribe(self.take)

    def take(self, event: Event) -> None:
        self.events.append(event)
        self._changed.set()

    async def until(self, kind: type[Event], request_id: str = "") -> Event:
        async with asyncio.timeout(10):
            while True:
                for event in self.events:
                    if isinstance(event, kind) and event.request_id == request_id:
                        return event
                self._changed.clear()
                await self._changed.wait()

    async def bytes_of(self, pull_id: str) -> None:
        """Wait until the pull has fetched something."""
        async with asyncio.timeout(10):
            while not any(isinstance(event, PullProgress) and event.pull.done_bytes for event in self.events):
                self._changed.clear()
                await self._changed.wait()

    async def request(self, command: Command) -> Event:
        self.host.handle(command, self.take)
        return await self.until(Terminal, command.request_id)
