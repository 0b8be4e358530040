"""Talks to one worker, a command at a time: for GPU tests and measurements that want no host between."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from engine import protocol
from engine.protocol import Command, Event, Generate, LoadModel, ModelLoaded, ModelSettings, Sampling, Terminal

_E = TypeVar("_E", bound=Terminal)


class WorkerFailed(Exception):
    """The worker answered with an error, died, or did not answer in time."""


@dataclass
class Answer:
    """One generation as it was streamed."""

    text: str
    started: protocol.GenerationStarted
    finished: protocol.GenerationFinished
    first_token_time: float
    """Seconds from sending the command to the first token, on this side's clock."""


@dataclass
class Worker:
    """A worker process and its events."""

    process: subprocess.Popen[bytes]
    events: queue.Queue[Event | None] = field(default_factory=queue.Queue)
    _next_id: int = 0

    def read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.events.put(protocol.decode_event(line))
        self.events.put(None)

    def new_id(self) -> str:
        self._next_id += 1
        return f"r{self._next_id}"

    def send(self, command: Command) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(protocol.encode(command))
        self.process.stdin.flush()

    def next_event(self, deadline: float) -> Event:
        try:
            event = self.events.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty as error:
            raise WorkerFailed("The worker did not answer in time.") from error
        if event is None:
            raise WorkerFailed(f"The worker ended with status {self.process.wait()}.")
        return event

    def request(self, command: Command, kind: type[_E], timeout: float = 120.0) -> _E:
        """Send a command and return its terminal event. Raises WorkerFailed."""
        self.send(command)
        deadline = time.monotonic() + timeout
        while True:
            event = self.next_event(deadline)
            if event.request_id == command.request_id and isinstance(event, Terminal):
                return _expect(event, kind)

    def load(self, path: Path, settings: ModelSettings, timeout: float = 300.0) -> ModelLoaded:
        command = LoadModel(request_id=self.new_id(), model_id=str(path), path=str(path), settings=settings)
        return self.request(command, ModelLoaded, timeout)

    def generate(self, prompt: str, max_tokens: int, *, chat_id: str = "", timeout: float = 300.0) -> Answer:
        """Complete a raw prompt greedily; the end token of random models is never chosen."""
        sampling = Sampling(temperature=0.0, logit_bias={2: -1e9})
        command = Generate(
            request_id=self.new_id(), prompt=prompt, max_tokens=max_tokens, chat_id=chat_id, sampling=sampling
        )
        began = time.monotonic()
        self.send(command)
        text, first, started = "", 0.0, None
        while True:
            event = self.next_event(began + timeout)
            if event.request_id != command.request_id:
                continue
            if isinstance(event, protocol.GenerationStarted):
                started = event
            elif isinstance(event, protocol.TokenDelta):
                first = first or time.monotonic() - began
                text += event.text
            elif isinstance(event, Terminal):
                finished = _expect(event, protocol.GenerationFinished)
                assert started is not None
                return Answer(text, started, finished, first)


def _expect(event: Terminal, kind: type[_E]) -> _E:
    if isinstance(event, protocol.RequestFailed):
        raise WorkerFailed(event.failure.sentence())
    if not isinstance(event, kind):
        raise WorkerFailed(f"The worker answered {type(event).__name__} instead of {kind.__name__}.")
    return event


@contextlib.contextmanager
def worker(command: Sequence[str], environment: Mapping[str, str], log: Path) -> Iterator[Worker]:
    """A running worker; it has ended when the block is left."""
    with (
        log.open("ab") as errors,
        subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=dict(environment)
        ) as process,
    ):
        running = Worker(process)
        threading.Thread(target=running.read, daemon=True).start()
        try:
            yield running
        finally:
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()


def describe(command: Sequence[str], environment: Mapping[str, str]) -> dict[str, object]:
    """What `python -m engine.worker --describe` prints."""
    answer = subprocess.run(
        [*command, "--describe"], capture_output=True, env=dict(environment), check=True, timeout=120
    )
    described: dict[str, object] = json.loads(answer.stdout)
    return described
