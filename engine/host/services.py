"""What a host offers beside running models: the library and the metrics log."""

from __future__ import annotations

from engine.host.host import Host
from engine.host.library_service import LibraryService
from engine.host.metrics_service import MetricsService


class Services:
    """Built for one host; `start` before the first command, `stop` after the last."""

    def __init__(self, host: Host) -> None:
        self.library = LibraryService(host)
        self.metrics = MetricsService(host)

    async def start(self) -> None:
        await self.library.start()

    async def stop(self) -> None:
        await self.library.stop()
        self.metrics.close()
