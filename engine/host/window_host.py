"""A host for a window, over stdin and stdout, from its start to its end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Callable
from typing import Protocol

from engine.gc_freeze import keep_what_is_loaded
from engine.host.host import Host
from engine.host.log_files import log_to
from engine.host.services import Services
from engine.host.stdio_server import serve_stdio
from engine.settings import folders, load_settings

SPIN_COUNT = "1000"
"""How long OpenMP's threads spin at a barrier before they sleep, for workers beside a window.

Measured on 2 cores with 2 threads and one of the cores busy: a prefill runs at 176 instead of 38 tokens a second and
decode at 34 instead of 4.6; on a quiet machine decode loses 5 to 9 %.
"""


class Addition(Protocol):
    """Something from a higher layer that lives as long as the host, such as the local API."""

    async def apply(self) -> None: ...
    async def stop(self) -> None: ...


def run_windowed(add: Callable[[Host], Addition] | None = None) -> int:
    """Serve until stdin ends; returns the exit code."""
    os.environ.setdefault("GOMP_SPINCOUNT", SPIN_COUNT)
    # Ctrl+C in the terminal that started the window is for the window, which then ends the host in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(_serve(add))
    return 0


async def _serve(add: Callable[[Host], Addition] | None) -> None:
    places = folders()
    log_to(places.logs)
    settings, notice = load_settings(places.settings_file)
    if notice:
        logging.getLogger(__name__).warning("%s", notice)
    host = Host(settings, places, is_windowed=True)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, host.shutdown_asked.set)
    services = Services(host)
    addition = add(host) if add is not None else None
    await host.start(preload=True)
    await services.start()
    if addition is not None:
        host.run_in_background(addition.apply())
    keep_what_is_loaded()
    try:
        await serve_stdio(host)
    finally:
        if addition is not None:
            await addition.stop()
        await services.stop()
