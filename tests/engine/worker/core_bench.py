"""A loaded tiny model with its scheduler, in this process: commands in, decoded events out."""

from __future__ import annotations

import itertools
import os

import msgspec

from engine.protocol import commands as c
from engine.protocol import events as e
from engine.protocol.codec import decode_event
from engine.protocol.values import ChatMessage, Role, Sampling
from engine.worker.decode.prewarm import prepare
from engine.worker.engine_core import EngineCore
from engine.worker.loading.loader import Loaded
from engine.worker.outbox import Outbox

_NEVER = [*range(5), *(5 + byte for byte in range(256) if not 32 <= byte < 127)]
GREEDY = Sampling(temperature=0.0, logit_bias=dict.fromkeys(_NEVER, -1e9))
"""Always the likeliest token, never the end of the answer, and only printable bytes."""


class CoreBench:
    """Drives an EngineCore as the worker's loop does."""

    def __init__(self, loaded: Loaded) -> None:
        self._read, write = os.pipe2(os.O_NONBLOCK)
        self.outbox = Outbox(write)
        self._write = write
        self._rest = b""
        self.core = EngineCore(loaded, self.outbox)
        self.events: list[e.Event] = []
        self._ids = itertools.count()

    def submit(self, command: c.Command) -> str:
        assert self.outbox.open(command.request_id)
        try:
            if isinstance(command, c.Prewarm):
                self.core.prewarm(prepare(self.core.prompts, command, finds_border=not self.core.can_cut))
            else:
                self.core.handle(command)
        finally:
            self.collect()
        return command.request_id

    def generate(
        self, text: str, *, max_tokens: int = 8, history: tuple[ChatMessage, ...] = (), **fields: object
    ) -> str:
        """Queue a chat turn; returns its id."""
        messages = (*history, ChatMessage(role=Role.USER, content=text))
        options = {"sampling": GREEDY, **fields}
        return self.submit(
            c.Generate(request_id=f"g{next(self._ids)}", messages=messages, max_tokens=max_tokens, **options)
        )

    def prewarm(self, draft: str, *, history: tuple[ChatMessage, ...] = (), chat_id: str = "chat") -> str:
        command = c.Prewarm(request_id=f"p{next(self._ids)}", messages=history, draft=draft, chat_id=chat_id)
        return self.submit(command)

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            self.core.step()
            self.collect()

    def run(self, request_id: str, *, limit: int = 2000) -> list[e.Event]:
        """Step until the request has ended; its events."""
        for _ in range(limit):
            if self.end(request_id) is not None:
                return self.of(request_id)
            self.step()
        raise AssertionError(f"{request_id} has no end after {limit} steps")

    def collect(self) -> None:
        self.outbox.flush()
        while True:
            try:
                data = os.read(self._read, 1 << 16)
            except BlockingIOError:
                break
            *lines, self._rest = (self._rest + data).split(b"\n")
            self.events.extend(decode_event(line) for line in lines)

    def of(self, request_id: str) -> list[e.Event]:
        return [event for event in self.events if event.request_id == request_id]

    def end(self, request_id: str) -> e.Terminal | None:
        ends = [event for event in self.of(request_id) if isinstance(event, e.Terminal)]
        assert len(ends) <= 1, f"{request_id} ended {len(ends)} times"
        return ends[0] if ends else None

    def finished(self, request_id: str) -> e.GenerationFinished:
        end = self.end(request_id)
        assert isinstance(end, e.GenerationFinished), end
        return end

    def text(self, request_id: str) -> str:
        return "".join(event.text for event in self.of(request_id) if isinstance(event, e.TokenDelta))

    def started(self, request_id: str) -> e.GenerationStarted:
        return next(event for event in self.of(request_id) if isinstance(event, e.GenerationStarted))

    def close(self) -> None:
        self.core.close()
        self.collect()
        self.outbox.close()
        os.close(self._read)
        os.close(self._write)


def answered(text: str, answer: str) -> tuple[ChatMessage, ChatMessage]:
    """A turn of a chat's history."""
    return ChatMessage(role=Role.USER, content=text), ChatMessage(role=Role.ASSISTANT, content=answer)


def with_seed(seed: int) -> Sampling:
    return msgspec.structs.replace(GREEDY, temperature=1.0, seed=seed)
