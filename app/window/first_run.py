"""What a first start says: which hardware was found, what suits it, and where models are found."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.core.engine_texts import translated
from app.core.host_client import HostClient
from app.core.tasks import spawn
from app.ui.quantities import format_bytes
from engine.protocol import CatalogListed, Device, DevicesListed, ListCatalog, ListDevices, MeasureRoofline
from engine.translatable import joined


class FirstRun(QObject):
    """`found(sentence)` once, when the engine has looked at the hardware; then `recommended(CatalogEntry, reason)`."""

    found = Signal(str)
    recommended = Signal(object, str)

    def __init__(self, client: HostClient, settings_file: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        self._is_first = not settings_file.exists()

    def start(self) -> None:
        """Look at the hardware, unless Firstlight was here before."""
        if self._is_first:
            spawn(self._look(), owner=self, name="first run")

    def sentence(self, devices: tuple[Device, ...]) -> str:
        """What these devices mean for the user."""
        gpus = [device for device in devices if device.kind != "cpu"]
        more = self.tr("Models of every size can be added under Models.")
        if not gpus:
            found = self.tr("No graphics card was found that this build can use, so models run on the processor.")
            return translated(joined(found, more))
        gpu = max(gpus, key=lambda device: device.total_bytes or 0)
        memory = self.tr(" with {size}").format(size=format_bytes(gpu.total_bytes)) if gpu.total_bytes else ""
        found = self.tr("Found {name}{memory}: models run on it.").format(
            name=gpu.description or gpu.name, memory=memory
        )
        return translated(joined(found, more))

    async def _look(self) -> None:
        event = await self._client.request(ListDevices())
        if isinstance(event, DevicesListed):
            self.found.emit(self.sentence(event.devices))
        # How fast memory can be read decides which size answers fluently; it is measured once, while nothing runs.
        await self._client.request(MeasureRoofline())
        listed = await self._client.request(ListCatalog())
        if isinstance(listed, CatalogListed) and listed.recommended:
            entry = next(entry for entry in listed.entries if entry.repo == listed.recommended)
            self.recommended.emit(entry, translated(listed.reason))
