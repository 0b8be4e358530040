"""One worker as a child process: JSON lines in and out, and how it ended."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import dataclasses
import logging
import os
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from engine.process_exit import ending, signal_name
from engine.protocol.codec import encode
from engine.protocol.commands import Command
from engine.translatable import Translatable, joined, phrase, sentence

LINE_LIMIT_BYTES = 64 << 20
"""A longer line is a broken worker, not a message."""
STDERR_LINES = 200
_PIPES_GRACE = 1.0
"""Seconds that the pipes of an ended process may stay open, in case something else still holds them."""

_log = logging.getLogger(__name__)
_PROJECT = Path(__file__).resolve().parents[2]


def worker_command() -> list[str]:
    """The command line of a worker; FIRSTLIGHT_WORKER replaces it."""
    if own := os.environ.get("FIRSTLIGHT_WORKER"):
        return shlex.split(own)
    if getattr(sys, "frozen", False):
        return [sys.executable, "--worker"]
    return [sys.executable, "-m", "engine.worker"]


def worker_environment() -> dict[str, str]:
    """Ours, and the wish for huge pages: a step reads all weights, and finding 4 KiB pages costs a fifth of its time.

    With it glibc (2.35 on) asks for them wherever it takes memory; many a Linux gives them only on request.
    """
    environment = dict(os.environ)
    tunables = environment.get("GLIBC_TUNABLES", "")
    if sys.platform == "linux" and "glibc.malloc.hugetlb" not in tunables:
        environment["GLIBC_TUNABLES"] = ":".join(filter(None, (tunables, "glibc.malloc.hugetlb=1")))
    return environment


_CUDA_ERROR = re.compile(r"CUDA error: (.+)")
_DEVICE_LOST = re.compile(r"DeviceLost|DEVICE_LOST")
_DEVICE_FULL = re.compile(r"OutOfDeviceMemory|OUT_OF_DEVICE_MEMORY")


@dataclasses.dataclass(frozen=True, slots=True)
class WorkerExit:
    """How a worker ended."""

    returncode: int
    was_asked: bool
    """The host wanted it to end."""
    reason: Translatable = ""
    """Why the host ended it, when it did so for a fault of the worker."""
    stderr_tail: str = ""

    @property
    def signal_name(self) -> str:
        """The signal that ended it, or empty."""
        return signal_name(self.returncode)

    def describe(self) -> Translatable:
        """One sentence without advice."""
        if self.reason:
            return sentence("The engine {did} and was stopped.", did=self.reason)
        if device := self._device_fault():
            return device
        last_words = self.last_words() if self.signal_name != "SIGKILL" else ""  # It had none to say about that.
        return joined(
            ending(self.returncode), sentence("Its last words: {words}.", words=last_words) if last_words else ""
        )

    def _device_fault(self) -> Translatable:
        """What happened to the GPU, when the last output tells; empty otherwise."""
        cuda = _CUDA_ERROR.search(self.stderr_tail)
        words = cuda[1].strip() if cuda else "device lost" if _DEVICE_LOST.search(self.stderr_tail) else ""
        if "out of memory" in words or _DEVICE_FULL.search(self.stderr_tail):
            return phrase("The memory of the GPU ran out, which ended the engine.")
        if "kernel image" in words:
            return phrase("The engine was compiled for other GPUs than this one: run the set-up again.")
        if words:
            return sentence(
                "The GPU failed or was reset, as after sleep or by a fault of its driver ({words}).", words=words
            )
        return ""

    def last_words(self) -> str:
        """The last line of stderr that reads like a reason, or empty."""
        for line in reversed(self.stderr_tail.splitlines()):
            text = line.strip().rstrip(".")
            if any(word in text.lower() for word in ("error", "failed", "assert", "abort", "out of memory")):
                return text[:300]
        return ""


class _Straight(asyncio.Protocol):
    """A child's pipe read without the extra turn of the loop in which asyncio passes its data on: a token's way."""

    def __init__(self, former: asyncio.BaseProtocol, take: Callable[[bytes], None]) -> None:
        self._former = former
        self._take = take

    def data_received(self, data: bytes) -> None:
        self._take(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._former.connection_lost(exc)


class WorkerProcess(asyncio.SubprocessProtocol):
    """Starts a worker and passes its lines on, newline included, in the order of arrival.

    `on_exit` is called exactly once, after the last line.
    """

    def __init__(self, on_line: Callable[[bytes], None], on_exit: Callable[[WorkerExit], None]) -> None:
        self._on_line = on_line
        self._on_exit = on_exit
        self._transport: asyncio.SubprocessTransport | None = None
        self._input: asyncio.WriteTransport | None = None
        self._buffer = b""
        self._stderr: collections.deque[str] = collections.deque(maxlen=STDERR_LINES)
        self._stderr_rest = b""
        self._was_asked = False
        self._reason: Translatable = ""
        self._ended = asyncio.get_running_loop().create_future()

    async def start(self, command: list[str]) -> None:
        """Raises OSError when the program cannot be started."""
        # A session of its own, so that Ctrl+C in a terminal reaches the host, which cancels, and not the worker.
        await asyncio.get_running_loop().subprocess_exec(
            lambda: self, *command, cwd=_PROJECT, env=worker_environment(), start_new_session=os.name == "posix"
        )

    @property
    def pid(self) -> int:
        return self._transport.get_pid() if self._transport else 0

    @property
    def has_ended(self) -> bool:
        return self._ended.done()

    def send(self, command: Command) -> None:
        """Queue one command; a worker that has ended drops it, since its requests fail through `on_exit`."""
        if self._input is not None and not self._input.is_closing():
            self._input.write(encode(command))

    def kill(self, reason: Translatable = "") -> None:
        """End it at once; `reason` tells what it did wrong, and is empty when the host merely wants it gone."""
        self._reason = reason
        self._was_asked = not reason
        if self._transport is not None and not self.has_ended:
            with contextlib.suppress(ProcessLookupError):
                self._transport.kill()

    async def stop(self, grace: float = 10.0) -> None:
        """Close stdin, after `grace` seconds terminate, half a second later kill."""
        self._was_asked = True
        if self._transport is None or self.has_ended:
            return
        if self._input is not None:
            self._input.close()
        for end, seconds in ((self._transport.terminate, grace), (self._transport.kill, 0.5)):
            await asyncio.wait([self._ended], timeout=seconds)
            if self._ended.done():
                return
            with contextlib.suppress(ProcessLookupError):
                end()
        await self._ended

    # asyncio.SubprocessProtocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)
        self._input = cast(Any, self._transport.get_pipe_transport(0))
        output = cast(Any, self._transport.get_pipe_transport(1))
        output.set_protocol(_Straight(output.get_protocol(), self._read_lines))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        # What stdout brought before `connection_made` comes here too.
        if fd == 1:
            self._read_lines(data)
        else:
            self._read_stderr(data)

    def process_exited(self) -> None:
        asyncio.get_running_loop().call_later(_PIPES_GRACE, self._end)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()

    def _read_lines(self, data: bytes) -> None:
        lines = (self._buffer + data if self._buffer else data).split(b"\n")
        self._buffer = lines.pop()
        for line in lines:
            # What a worker says after its fault is not to be believed.
            if line and not self._reason:
                self._on_line(line + b"\n")
        if len(self._buffer) > LINE_LIMIT_BYTES:
            self._buffer = b""
            self.kill(phrase("sent a message without an end"))

    def _read_stderr(self, data: bytes) -> None:
        lines = (self._stderr_rest + data).split(b"\n")
        self._stderr_rest = lines.pop()[-LINE_LIMIT_BYTES:]
        for line in lines:
            text = line.decode(errors="replace").rstrip()
            self._stderr.append(text)
            _log.info("worker %d: %s", self.pid, text)

    def _end(self) -> None:
        if self._ended.done() or self._transport is None:
            return
        returncode = self._transport.get_returncode()
        if self._stderr_rest:
            self._read_stderr(b"\n")
        self._transport.close()
        self._ended.set_result(None)
        self._on_exit(
            WorkerExit(
                returncode=returncode if returncode is not None else -1,
                was_asked=self._was_asked,
                reason=self._reason,
                stderr_tail="\n".join(self._stderr),
            )
        )
