"""python -m engine.host: the host for a window, over stdin and stdout."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys

from engine.host.front_end import serve_stdio
from engine.host.host import Host
from engine.host.logs import log_to
from engine.host.services import Services
from engine.settings import folders, load_settings


async def _serve() -> None:
    places = folders()
    log_to(places.logs)
    settings, notice = load_settings(places.settings_file)
    if notice:
        logging.getLogger(__name__).warning("%s", notice)
    host = Host(settings, places, is_windowed=True)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, host.shutdown_asked.set)
    services = Services(host)
    await host.start(preload=True)
    await services.start()
    try:
        await serve_stdio(host)
    finally:
        await services.stop()


SPIN_COUNT = "1000"
"""How long OpenMP's threads spin at a barrier before they sleep, for workers beside a window.

Measured on 2 cores with 2 threads and one of the cores busy: a prefill runs at 176 instead of 38 tokens a second and
decode at 34 instead of 4.6; on a quiet machine decode loses 5 to 9 %.
"""


def main() -> int:
    os.environ.setdefault("GOMP_SPINCOUNT", SPIN_COUNT)
    # Ctrl+C in the terminal that started the window is for the window, which then ends the host in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(_serve())
    return 0


if __name__ == "__main__":
    sys.exit(main())
