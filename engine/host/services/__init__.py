"""What a host offers beside running models: the library, hardware and fit, and the metrics log."""

from __future__ import annotations

from engine.host.host import Host
from engine.host.machine_reader import MachineReader
from engine.host.services.catalog_service import CatalogService
from engine.host.services.hardware_service import HardwareService
from engine.host.services.library_maintenance import LibraryMaintenance
from engine.host.services.library_service import LibraryService
from engine.host.services.metrics_service import MetricsService
from engine.host.services.quantize_service import QuantizeService


class Services:
    """Built for one host; `start` before the first command, `stop` after the last."""

    def __init__(self, host: Host) -> None:
        self.library = LibraryService(host)
        self.maintenance = LibraryMaintenance(host, self.library)
        reader = MachineReader(host.folders)
        self.metrics = MetricsService(host)
        self.hardware = HardwareService(host, self.library, reader, self.metrics.log)
        self.catalog = CatalogService(host, reader)
        self.quantize = QuantizeService(host, self.library)

    async def start(self) -> None:
        await self.library.start()

    async def stop(self) -> None:
        await self.library.stop()
        await self.hardware.stop()
        self.metrics.close()
