"""Between HTTP and the host: a request's events, ended when the client goes away, and server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Self, TypeVar

import msgspec
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from engine.host.host import Host
from engine.protocol.commands import Command
from engine.protocol.events import Event, LoadProgress, Queued, Terminal

_T = TypeVar("_T")

_DONE = b"data: [DONE]\n\n"
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
]


class Call:
    """One command to the host; closing it before its end cancels it."""

    def __init__(self, host: Host, command: Command, *, accepted: float = 0.0) -> None:
        """`accepted` is when the request came, by time.monotonic()."""
        self._host = host
        self._command = command
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._has_ended = False
        host.handle(command, self._events.put_nowait, accepted=accepted)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if not self._has_ended:
            self._host.cancel(self._command.request_id)

    async def next(self) -> Event:
        event = await self._events.get()
        self._has_ended = isinstance(event, Terminal)
        return event

    async def first(self) -> Event:
        """The first event that says something about the answer, after waiting and loading."""
        while isinstance(event := await self.next(), Queued | LoadProgress):
            pass
        return event

    async def end(self) -> tuple[list[Event], Terminal]:
        """All events before the terminal one, and that."""
        events = []
        while not isinstance(event := await self.next(), Terminal):
            events.append(event)
        return events, event


class RequestStream:
    """A response of server-sent events. The call is closed when the client goes away."""

    def __init__(
        self, call: Call, first: Event, head: Sequence[msgspec.Struct], items: Callable[[Event], list[msgspec.Struct]]
    ) -> None:
        """`items` are the JSON objects that an event makes, from `first` on; `head` are those before any."""
        self._call = call
        self._first = first
        self._head = head
        self._items = items

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._call:
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            await _until_gone(receive, self._send_all(send))

    async def _send_all(self, send: Send) -> None:
        # One write for each event: every other thing between a token and its reader is a moment of the wait.
        event, items = self._first, [*self._head, *self._items(self._first)]
        while True:
            is_end = isinstance(event, Terminal)
            body = b"".join(b"data: " + msgspec.json.encode(item) + b"\n\n" for item in items)
            if body or is_end:
                body += _DONE if is_end else b""
                await send({"type": "http.response.body", "body": body, "more_body": not is_end})
            if is_end:
                return
            event = await self._call.next()
            items = self._items(event)


async def unless_gone(request: Request, work: Coroutine[Any, Any, _T]) -> _T | None:
    """The result of `work`; None when the client went away first, which cancels it."""
    return await _until_gone(request.receive, work)


async def _until_gone(receive: Receive, work: Coroutine[Any, Any, _T]) -> _T | None:
    working = asyncio.create_task(work)
    watching = asyncio.create_task(_gone(receive))
    try:
        await asyncio.wait([working, watching], return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        for task in (working, watching):
            task.cancel()
        await asyncio.gather(working, watching, return_exceptions=True)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
