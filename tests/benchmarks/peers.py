"""The peers, run as their users run them: llama-bench, llama-server, and llama-cpp-python's own class."""

from __future__ import annotations

import dataclasses
import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

START_TIMEOUT = 60.0
_PYTHON_PEER = """
import sys, time, llama_cpp
model = llama_cpp.Llama(sys.argv[1], n_ctx=2048, n_threads=int(sys.argv[2]), verbose=False, flash_attn=True)
at = []
for _ in model.create_completion(sys.argv[3], max_tokens=int(sys.argv[4]) + 1, temperature=0.0, stream=True):
    at.append(time.perf_counter())
print((len(at) - 1) / (at[-1] - at[0]))
"""
_XLLAMACPP_PEER = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_parallel = sys.argv[1], 2048, 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(sys.argv[2])
at = []
def seen(chunk):
    if isinstance(chunk, dict) and chunk.get("choices") and chunk["choices"][0].get("text"):
        at.append(time.perf_counter())
request = {"prompt": sys.argv[3], "max_tokens": int(sys.argv[4]) + 1, "temperature": 0, "ignore_eos": True}
xllamacpp.Server(params).handle_completions(request | {"stream": True}, seen)
print((len(at) - 1) / (at[-1] - at[0]), flush=True)
"""


class PeerMissing(Exception):
    """A peer is not where it should be."""


@dataclasses.dataclass(frozen=True)
class LlamaBench:
    """llama-bench with our threads, and attention as ours reports it."""

    program: Path
    model: Path
    n_threads: int
    has_flash_attn: bool = True

    def decode_tps(self, n_tokens: int = 128) -> float:
        return self._run("-p", "0", "-n", str(n_tokens))

    def prefill_tps(self, n_tokens: int) -> float:
        return self._run("-p", str(n_tokens), "-n", "0")

    def _run(self, *arguments: str) -> float:
        command = [str(self.program), "-m", str(self.model), "-t", str(self.n_threads), "-r", "1", "-o", "json"]
        attention = ("-fa", "on" if self.has_flash_attn else "off")
        done = subprocess.run([*command, *attention, *arguments], capture_output=True, check=True)
        return float(json.loads(done.stdout)[0]["avg_ts"])


@dataclasses.dataclass(frozen=True)
class Streamed:
    """One streamed answer; arrivals are seconds since the request was sent."""

    text: str
    arrivals: tuple[float, ...]

    @property
    def ttft(self) -> float:
        return self.arrivals[0]

    @property
    def decode_tps(self) -> float:
        return (len(self.arrivals) - 1) / (self.arrivals[-1] - self.arrivals[0])


class LlamaServer:
    """A running llama-server; use as a context manager."""

    def __init__(self, program: Path, model: Path, *, n_threads: int, n_ctx: int, n_parallel: int = 1) -> None:
        if not program.exists():
            raise PeerMissing(f"{program} is missing: build the peers first.")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self._command = [
            str(program), "-m", str(model), "-t", str(n_threads), "-c", str(n_ctx), "-np", str(n_parallel),
            "--host", "127.0.0.1", "--port", str(self._port), "--log-disable",
        ]  # fmt: skip

    def __enter__(self) -> LlamaServer:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + START_TIMEOUT
        while not self._is_up():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                raise PeerMissing("llama-server did not start.")
            threading.Event().wait(0.1)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(10)

    def chat(self, *texts: str, n_tokens: int, slot: int = -1) -> Streamed:
        """A greedy streamed answer of exactly `n_tokens`, with the prompt cache on."""
        roles = ("user", "assistant")
        messages = [{"role": roles[number % 2], "content": text} for number, text in enumerate(texts)]
        body = {
            "messages": messages, "stream": True, "max_tokens": n_tokens, "temperature": 0, "cache_prompt": True,
            "ignore_eos": True, "id_slot": slot,
        }  # fmt: skip
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=300)
        started = time.perf_counter()
        connection.request("POST", "/v1/chat/completions", json.dumps(body), {"content-type": "application/json"})
        response = connection.getresponse()
        parts: list[str] = []
        arrivals: list[float] = []
        for line in response:
            if not line.startswith(b"data: {"):
                continue
            choices = json.loads(line[6:])["choices"]
            if choices and (text := choices[0]["delta"].get("content")):
                arrivals.append(time.perf_counter() - started)
                parts.append(text)
        connection.close()
        if not arrivals:
            raise PeerMissing(f"llama-server answered nothing (status {response.status}).")
        return Streamed("".join(parts), tuple(arrivals))

    def parallel_tps(self, prompts: list[str], n_tokens: int) -> float:
        """Tokens per second summed over requests that start together."""
        counts: list[int] = []
        started = time.perf_counter()
        threads = [
            threading.Thread(
                target=lambda text: counts.append(len(self.chat(text, n_tokens=n_tokens).arrivals)), args=(text,)
            )
            for text in prompts
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(counts) / (time.perf_counter() - started)

    def _is_up(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=2)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()


def llama_class_tps(model: Path, n_threads: int, prompt: str, n_tokens: int = 128) -> float:
    """Decode rate of llama-cpp-python's high-level class, in a process of its own."""
    return _python_tps(_PYTHON_PEER, model, n_threads, prompt, n_tokens)


def xllamacpp_tps(folder: Path, model: Path, n_threads: int, prompt: str, n_tokens: int = 128) -> float:
    """Decode rate of xllamacpp from `folder`, as `pip install --target` leaves it: a build of its own llama.cpp."""
    return _python_tps(_XLLAMACPP_PEER, model, n_threads, prompt, n_tokens, PYTHONPATH=str(folder))


def _python_tps(program: str, model: Path, n_threads: int, prompt: str, n_tokens: int, **environment: str) -> float:
    command = [sys.executable, "-c", program, str(model), str(n_threads), prompt, str(n_tokens)]
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=os.environ | environment)
    return float(done.stdout.split()[-1])
