"""A front end of the host for tests: sends commands, keeps every event, and waits for those a test names."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import psutil

from engine.host.host import Host
from engine.protocol import Cancel, ChatMessage, Command, Event, Generate, LoadModel, Priority, Role, Terminal

PATIENCE = 120.0
"""Seconds after which a test gives up waiting; nothing here takes one where the machine has nothing else to do."""

_E = TypeVar("_E", bound=Event)


class Client:
    def __init__(self, host: Host) -> None:
        self.host = host
        self.events: list[Event] = []
        self.broadcasts: list[Event] = []
        self._changed = asyncio.Event()
        self._ids = (f"r{n}" for n in itertools.count(1))
        host.subscribe(self._on_broadcast)

    def send(self, command: Command) -> str:
        self.host.handle(command, self._on_event)
        return command.request_id

    def load(self, model: Path | str, **fields: object) -> str:
        return self.send(LoadModel(request_id=next(self._ids), model_id=str(model), **fields))  # type: ignore[arg-type]

    def generate(self, model: Path | str = "", text: str = "Hi", **fields: object) -> str:
        messages = (ChatMessage(role=Role.USER, content=text),)
        fields.setdefault("priority", Priority.INTERACTIVE)
        command = Generate(request_id=next(self._ids), model_id=str(model), messages=messages, **fields)  # type: ignore[arg-type]
        return self.send(command)

    def cancel(self, request_id: str) -> None:
        self.send(Cancel(request_id="", target_id=request_id))

    def of(self, request_id: str) -> list[Event]:
        return [event for event in self.events if event.request_id == request_id]

    def terminals(self, request_id: str) -> list[Event]:
        return [event for event in self.of(request_id) if isinstance(event, Terminal)]

    def text(self, request_id: str) -> str:
        return "".join(getattr(event, "text", "") for event in self.of(request_id))

    async def request(self, command: Command) -> Terminal:
        return await self.end_of(self.send(command))

    async def end_of(self, request_id: str) -> Terminal:
        return await self.until(Terminal, request_id)  # type: ignore[type-abstract]

    async def until(self, kind: type[_E], request_id: str) -> _E:
        """The first event of a kind for a request."""
        return await self._wait(kind, lambda: self.of(request_id))

    async def until_broadcast(self, kind: type[_E]) -> _E:
        return await self._wait(kind, lambda: self.broadcasts)

    async def until_true(self, condition: Callable[[], bool]) -> None:
        """Looked at again whenever an event came."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def _wait(self, kind, events):  # type: ignore[no-untyped-def]
        async with asyncio.timeout(PATIENCE):
            while True:
                for event in events():
                    if isinstance(event, kind):
                        return event
                self._changed.clear()
                await self._changed.wait()

    def _on_event(self, event: Event) -> None:
        self.events.append(event)
        self._changed.set()

    def _on_broadcast(self, event: Event) -> None:
        self.broadcasts.append(event)
        self._changed.set()


async def gone(pid: int) -> bool:
    """Wait until a process has ended; False when it is still there after a while."""
    return await asyncio.to_thread(_gone, pid)


def _gone(pid: int) -> bool:
    try:
        process = psutil.Process(pid)
    except psutil.NoSuchProcess:
        return True
    return not psutil.wait_procs([process], timeout=PATIENCE)[1]
