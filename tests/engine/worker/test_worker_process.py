"""The worker as a process: the message rules, cancelling, bad input, its end."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.protocol.codec import EVENTS, PROTOCOL_VERSION
from engine.protocol.events import Terminal
from tests.tiny_models import Kind

ROOT = Path(__file__).resolve().parents[3]
TERMINAL = frozenset(kind.__name__ for kind in EVENTS if issubclass(kind, Terminal))
Json = dict[str, Any]


class WorkerProcess:
    """A real worker; every event is kept in order."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "engine.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
        )
        self.events: list[Json] = []
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self._count = 0

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, kind: str, **fields: object) -> str:
        self._count += 1
        request_id = str(fields.pop("request_id", f"r{self._count}"))
        self.write(json.dumps({"type": kind, "request_id": request_id, **fields}).encode())
        return request_id

    def next(self) -> Json | None:
        line = self._lines.get(timeout=300)
        if not line:
            return None
        self.events.append(json.loads(line))
        return self.events[-1]

    def wait(self, test: Callable[[Json], bool]) -> Json:
        """The next event that passes the test."""
        while (event := self.next()) is not None:
            if test(event):
                return event
        raise AssertionError("the worker ended")

    def end(self, request_id: str) -> Json:
        for event in self.events:
            if event.get("request_id") == request_id and event["type"] in TERMINAL:
                return event
        return self.wait(lambda event: event.get("request_id") == request_id and event["type"] in TERMINAL)

    def load(self, path: Path, **settings: object) -> Json:
        chosen = {"n_ctx": 512, "n_threads": 1, "n_ubatch": 64, **settings}
        return self.end(self.send("LoadModel", model_id="m", path=str(path), settings=chosen))

    def generate(self, text: str = "the band", **fields: object) -> str:
        return self.send("Generate", messages=[{"role": "user", "content": text}], **fields)

    def finish(self) -> int:
        """Close stdin and read to the end; the exit status."""
        assert self.process.stdin is not None
        if not self.process.stdin.closed:
            self.process.stdin.close()
        while self.next() is not None:
            pass
        return self.process.wait(timeout=120)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                continue


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    made = WorkerProcess()
    yield made
    made.close()


@pytest.fixture
def ready(worker: WorkerProcess, tiny_path: Callable[..., Path]) -> WorkerProcess:
    assert worker.load(tiny_path())["type"] == "ModelLoaded"
    return worker


def test_ready_comes_first_and_hello_is_answered(worker: WorkerProcess) -> None:
    first = worker.next()
    assert first is not None
    assert (first["type"], first["process"], first["pid"]) == ("Ready", "worker", worker.process.pid)
    worker.send("Hello", protocol_version=PROTOCOL_VERSION)
    assert worker.wait(lambda event: event["type"] == "Ready")
    other = worker.send("Hello", protocol_version=PROTOCOL_VERSION + 1)
    assert worker.end(other)["failure"]["code"] == "protocol"


def test_load_reports_progress_and_what_was_really_set(worker: WorkerProcess, tiny_path: Callable[..., Path]) -> None:
    loaded = worker.load(tiny_path(), n_parallel=3, type_k="q8_0", type_v="q8_0")
    effective = loaded["effective"]
    assert (effective["n_ctx"], effective["n_parallel"], effective["type_v"]) == (512, 3, "q8_0")
    assert effective["flash_attn"] is True
    assert effective["memory"][0]["weights_bytes"] > 0
    assert set(loaded["times"]) == {"open_time", "weights_time", "context_time", "warmup_time"}
    progress = [event for event in worker.events if event["type"] == "LoadProgress"]
    assert progress[0]["fraction"] == 0.0
    assert progress[-1]["fraction"] == 1.0


def test_every_request_ends_exactly_once(ready: WorkerProcess) -> None:
    requests = [ready.generate(f"{n} the band", max_tokens=20) for n in range(6)]
    requests.append(ready.send("CountTokens", prompt="the band"))
    requests.append(ready.send("RenderPrompt", messages=[{"role": "user", "content": "hi"}]))
    requests.append(ready.send("Prewarm", messages=[], draft="the wall and the band", chat_id="p"))
    requests.append(ready.send("Embed", texts=["a"]))
    ready.send("Cancel", target_id=requests[4])
    ready.send("Cancel", target_id=requests[4])
    ready.send("Cancel", target_id="nobody")
    assert ready.finish() == 0
    for request in requests:
        ends = [e for e in ready.events if e.get("request_id") == request and e["type"] in TERMINAL]
        assert len(ends) == 1, request
        last = max(n for n, e in enumerate(ready.events) if e.get("request_id") == request)
        assert ready.events[last] is ends[0]


def test_counting_does_not_wait_behind_an_answer(ready: WorkerProcess) -> None:
    answer = ready.generate(max_tokens=400, sampling={"logit_bias": {"2": -1e9, "0": -1e9}})
    ready.wait(lambda event: event["type"] == "TokenDelta")
    count = ready.send("CountTokens", prompt="the band")
    assert ready.end(count)["n_tokens"] > 0
    assert not any(e["type"] == "GenerationFinished" for e in ready.events)
    ready.send("Cancel", target_id=answer)
    assert ready.end(answer)["finish_reason"] == "cancelled"


def test_a_long_prefill_can_be_cancelled(worker: WorkerProcess, tiny_path: Callable[..., Path]) -> None:
    worker.load(tiny_path(Kind.SWA), n_ctx=4096, n_ubatch=512)
    request = worker.generate("the band and the wall " * 180)
    worker.wait(lambda event: event["type"] == "GenerationStarted")
    worker.send("Cancel", target_id=request)
    assert worker.end(request)["finish_reason"] == "cancelled"
    again = worker.generate("the band", max_tokens=3)
    assert worker.end(again)["type"] == "GenerationFinished"


def test_loading_can_be_cancelled(worker: WorkerProcess, starter: Path) -> None:
    request = worker.send("LoadModel", model_id="m", path=str(starter), settings={"n_threads": 1, "use_mmap": False})
    worker.send("Cancel", target_id=request)
    assert worker.end(request)["failure"]["code"] == "cancelled"
    assert worker.end(worker.generate())["failure"]["code"] == "model_not_loaded"


@pytest.mark.parametrize("line", [b"nonsense", b"[]", b'{"type":"Dance"}', b'{"request_id":"x"}', b"\xff\xfe"])
def test_an_unreadable_line_is_survived(line: bytes, ready: WorkerProcess) -> None:
    ready.write(line)
    assert ready.end(ready.send("CountTokens", prompt="the"))["type"] == "TokensCounted"


def test_an_unknown_command_with_an_id_is_a_clear_error(worker: WorkerProcess) -> None:
    worker.write(b'{"type":"Dance","request_id":"x"}')
    assert worker.end("x")["failure"]["code"] == "protocol"


def test_unknown_fields_are_ignored(ready: WorkerProcess) -> None:
    assert ready.end(ready.send("CountTokens", prompt="the", mood="good"))["type"] == "TokensCounted"


def test_a_kv_type_that_does_not_exist_is_a_clear_error(worker: WorkerProcess, tiny_path: Callable[..., Path]) -> None:
    end = worker.load(tiny_path(), type_k="q3_9")
    assert end["failure"]["code"] == "protocol"
    assert "q3_9" in str(end["failure"]["message"])


def test_the_end_of_input_ends_the_process_and_its_requests(ready: WorkerProcess) -> None:
    request = ready.generate(max_tokens=0)
    ready.wait(lambda event: event["type"] == "TokenDelta")
    assert ready.finish() == 0
    assert ready.end(request)["finish_reason"] == "cancelled"


def test_shutdown_does_the_same(ready: WorkerProcess) -> None:
    request = ready.generate(max_tokens=0)
    ready.send("Shutdown")
    assert ready.end(request)["type"] == "GenerationFinished"
    assert ready.process.wait(timeout=120) == 0


def test_a_dead_reader_ends_the_process(ready: WorkerProcess) -> None:
    read, write = os.pipe()
    os.close(read)
    process = subprocess.Popen(
        [sys.executable, "-m", "engine.worker"], stdin=subprocess.PIPE, stdout=write, cwd=ROOT, stderr=subprocess.PIPE
    )
    os.close(write)
    process.communicate(timeout=120)
    assert process.returncode == 0


def test_a_chat_survives_a_restart(worker: WorkerProcess, tiny_path: Callable[..., Path], tmp_path: Path) -> None:
    bias = {str(token): -1e9 for token in [*range(5), *(5 + b for b in range(256) if not 32 <= b < 127)]}
    sampling = {"temperature": 0.0, "logit_bias": bias}
    worker.load(tiny_path(), snapshot_dir=str(tmp_path))
    first = worker.generate("the band and the wall " * 8, chat_id="a", max_tokens=10, sampling=sampling)
    worker.end(first)
    text = "".join(e.get("text", "") for e in worker.events if e["type"] == "TokenDelta")
    assert worker.finish() == 0
    files = list(tmp_path.glob("*/*.kv"))
    assert len(files) == 1
    assert files[0].stat().st_mode & 0o777 == 0o600
    again = WorkerProcess()
    try:
        again.load(tiny_path(), snapshot_dir=str(tmp_path))
        history = [
            {"role": "user", "content": "the band and the wall " * 8},
            {"role": "assistant", "content": text},
            {"role": "user", "content": "now"},
        ]
        second = again.send("Generate", messages=history, chat_id="a", max_tokens=3, sampling=sampling)
        metrics = again.end(second)["metrics"]
        assert metrics["cache_source"] == "disk"
        started = next(e for e in worker.events if e["type"] == "GenerationStarted")
        assert metrics["n_cached_tokens"] == started["n_prompt_tokens"] + 10 - 1
    finally:
        again.close()


def test_a_killed_worker_says_nothing_more(ready: WorkerProcess) -> None:
    ready.generate(max_tokens=0)
    ready.wait(lambda event: event["type"] == "TokenDelta")
    ready.process.send_signal(signal.SIGKILL)
    while ready.next() is not None:
        pass
    assert ready.process.wait() == -signal.SIGKILL
