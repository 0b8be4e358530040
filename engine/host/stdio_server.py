"""The host behind stdin and stdout, from its start to its end: commands come as JSON lines, events go as JSON lines."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Protocol

from engine.errors import FirstlightError
from engine.gc_freeze import keep_what_is_loaded
from engine.host.host import Host, host_ready
from engine.host.log_files import log_to
from engine.host.services import Services
from engine.protocol.codec import decode_command, encode, request_id_of
from engine.protocol.events import Event, RequestFailed
from engine.settings import folders, load_settings

SPIN_COUNT = "1000"
"""How long OpenMP's threads spin at a barrier before they sleep, for workers beside a window.

Measured on 2 cores with 2 threads and one of the cores busy: a prefill runs at 176 instead of 38 tokens a second and
decode at 34 instead of 4.6; on a quiet machine decode loses 5 to 9 %.
"""


class Extension(Protocol):
    """Something from a higher layer that lives as long as the host, such as the local API."""

    async def apply(self) -> None: ...
    async def stop(self) -> None: ...


def run(extend: Callable[[Host], Extension]) -> int:
    """Serve a window until stdin ends; returns the exit code. `extend` makes what lives beside the host."""
    os.environ.setdefault("GOMP_SPINCOUNT", SPIN_COUNT)
    # Ctrl+C in the terminal that started the window is for the window, which then ends the host in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(_run(extend))
    return 0


async def _run(extend: Callable[[Host], Extension]) -> None:
    where = folders()
    log_to(where.logs)
    settings, notice = load_settings(where.settings_file)
    if notice:
        logging.getLogger(__name__).warning("%s", notice)
    host = Host(settings, where, is_windowed=True)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, host.shutdown_asked.set)
    services = Services(host)
    extension = extend(host)
    await host.start(preload=True)
    await services.start()
    host.run_in_background(extension.apply())
    keep_what_is_loaded()
    try:
        await serve(host)
    finally:
        await extension.stop()
        await services.stop()


class Output:
    """Writes whole lines to a file descriptor and never blocks the loop: what the reader is slow for waits here."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._transport: asyncio.WriteTransport | None = None

    async def open(self) -> None:
        if os.name != "posix":
            return
        try:
            self._transport, _ = await asyncio.get_running_loop().connect_write_pipe(
                asyncio.BaseProtocol, os.fdopen(self._fd, "wb", buffering=0)
            )
        except ValueError:
            # Redirected into a regular file, which never makes a writer wait.
            self._transport = None

    def write(self, line: bytes) -> None:
        if self._transport is not None:
            self._transport.write(line)
            return
        view = memoryview(line)
        while view:
            view = view[os.write(self._fd, view) :]

    def emit(self, event: Event) -> None:
        self.write(encode(event))


async def serve(host: Host) -> None:
    """Serve until stdin ends or a Shutdown comes; then every request ends and no worker is left."""
    output = Output(sys.stdout.fileno())
    await output.open()
    host.subscribe(output.emit)
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()

    def take(line: bytes, accepted: float) -> None:
        try:
            command = decode_command(line)
        except FirstlightError as error:
            output.emit(RequestFailed(request_id=request_id_of(line), failure=error.failure))
            return
        host.handle(command, output.emit, output.write, accepted=accepted)

    output.emit(host_ready())
    _read_lines(loop, take, ended.set)
    waits = [asyncio.create_task(ended.wait()), asyncio.create_task(host.shutdown_asked.wait())]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()
    await host.stop()


def _read_lines(loop: asyncio.AbstractEventLoop, take: Callable[[bytes, float], None], end: Callable[[], None]) -> None:
    """Read stdin in a thread, which works for every kind of stdin on every system."""
    # Not through sys.stdin: a daemon thread that waits in it holds a lock that Python wants when it ends.
    fd = sys.stdin.fileno()

    def read() -> None:
        rest = b""
        while chunk := os.read(fd, 1 << 16):
            now = time.monotonic()
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if line.strip():
                    loop.call_soon_threadsafe(take, line, now)
        loop.call_soon_threadsafe(end)

    threading.Thread(target=read, name="stdin", daemon=True).start()
