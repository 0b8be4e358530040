"""The host as a process of its own: JSON lines on its pipes, and nothing left behind when it or its parent dies."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from engine.errors import Code
from engine.protocol import (
    PROTOCOL_VERSION,
    ChatMessage,
    Command,
    Event,
    Generate,
    GenerationFinished,
    Hello,
    Ready,
    RequestFailed,
    Role,
    Shutdown,
    Terminal,
    TokenDelta,
    decode_event,
    encode,
)

PROJECT = Path(__file__).resolve().parents[3]


class HostProcess:
    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.events: list[Event] = []

    def send(self, command: Command) -> None:
        self.write(encode(command))

    def write(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def until(self, kind: type[Event], request_id: str | None = None) -> Event:
        assert self.process.stdout
        for line in self.process.stdout:
            event = decode_event(line)
            self.events.append(event)
            if isinstance(event, kind) and request_id in (None, event.request_id):
                return event
        pytest.fail(f"the host ended before a {kind.__name__} for {request_id} came")

    def close(self) -> None:
        self.process.kill()
        self.process.wait(60)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def workers(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)


@pytest.fixture
def host_process(script: Callable[..., None]) -> Iterator[HostProcess]:
    started = HostProcess([sys.executable, "-m", "engine", "host"])
    yield started
    started.close()


def _generate(request_id: str, model: Path) -> Generate:
    return Generate(request_id=request_id, model_id=str(model), messages=(ChatMessage(role=Role.USER, content="Hi"),))


def _all_gone(processes: list[psutil.Process]) -> bool:
    return not psutil.wait_procs(processes, timeout=60)[1]


def test_it_greets_answers_and_ends(host_process: HostProcess, model: Path) -> None:
    ready = host_process.until(Ready)
    assert isinstance(ready, Ready)
    assert (ready.process, ready.pid) == ("host", host_process.process.pid)
    host_process.send(Hello(request_id="hello", protocol_version=PROTOCOL_VERSION))
    host_process.until(Terminal, "hello")
    host_process.send(_generate("a", model))
    host_process.until(GenerationFinished, "a")
    assert "".join(e.text for e in host_process.events if isinstance(e, TokenDelta)) == "Hello from the fake."
    workers = host_process.workers()
    assert workers
    host_process.send(Shutdown(request_id="end"))
    host_process.until(Terminal, "end")
    assert host_process.process.wait(60) == 0
    assert _all_gone(workers)


@pytest.mark.parametrize(
    ("line", "request_id"),
    [
        (b"not json\n", ""),
        (b'{"type": "Riddle", "request_id": "x"}\n', "x"),
        (b'{"type": "Generate"}\n', ""),
        (b'{"type": "Generate", "request_id": "x", "max_tokens": "many"}\n', "x"),
        (b"\xff\xfe\x00\n", ""),
        (b'{"type": "Generate", "request_id": "x", "prompt": "' + b"y" * (8 << 20) + b"\n", ""),
    ],
)
def test_unreadable_commands_are_answered(host_process: HostProcess, line: bytes, request_id: str) -> None:
    host_process.write(line)
    failed = host_process.until(RequestFailed, request_id)
    assert isinstance(failed, RequestFailed)
    assert failed.failure.code is Code.PROTOCOL
    host_process.send(Hello(request_id="hello", protocol_version=PROTOCOL_VERSION))
    host_process.until(Terminal, "hello")


def test_unknown_fields_are_ignored(host_process: HostProcess) -> None:
    host_process.write(b'{"type": "Hello", "request_id": "h", "protocol_version": 1, "from": "the future"}\n')
    host_process.until(Ready, "h")


def test_end_of_stdin_ends_everything_in_order(host_process: HostProcess, model: Path, script, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    host_process.send(_generate("a", model))
    host_process.until(GenerationFinished, "a")
    workers = host_process.workers()
    assert host_process.process.stdin
    host_process.process.stdin.close()
    assert host_process.process.wait(60) == 0
    assert _all_gone(workers)


def test_a_killed_host_leaves_no_worker(host_process: HostProcess, model: Path) -> None:
    host_process.send(_generate("a", model))
    host_process.until(GenerationFinished, "a")
    workers = host_process.workers()
    host_process.process.kill()
    host_process.process.wait(60)
    assert _all_gone(workers)


def test_a_killed_parent_leaves_nothing(script: Callable[..., None], model: Path) -> None:
    code = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-m', 'engine', 'host'], stdin=subprocess.PIPE, stdout=sys.stdout)\n"
        "for line in sys.stdin.buffer:\n"
        "    child.stdin.write(line); child.stdin.flush()\n"
    )
    parent = HostProcess([sys.executable, "-c", code])
    parent.send(_generate("a", model))
    parent.until(GenerationFinished, "a")
    family = parent.workers()
    assert len(family) >= 2
    parent.close()
    assert _all_gone(family)


def test_a_reader_that_stalls_never_blocks_the_host(host_process: HostProcess, model: Path) -> None:
    for number in range(3000):
        host_process.write(b'{"type": "Riddle", "request_id": "%d", "padding": "%s"}\n' % (number, b"x" * 100))
    host_process.send(_generate("a", model))
    # Nobody has read a line so far; the answer is there all the same.
    host_process.until(GenerationFinished, "a")
