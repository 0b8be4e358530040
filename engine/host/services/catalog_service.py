"""The catalogue as a command of the host: what is worth starting with, and which of it suits this computer."""

from __future__ import annotations

import asyncio

from engine.host.host import Host
from engine.host.machine_reader import MachineReader
from engine.host.requests import Emit
from engine.library.catalog import CAUTIOUS_BANDWIDTH, fits, read_catalog, recommend
from engine.protocol.commands import ListCatalog
from engine.protocol.events import CatalogListed
from engine.protocol.values import ModelSettings


class CatalogService:
    """Registers ListCatalog with the host."""

    def __init__(self, host: Host, reader: MachineReader) -> None:
        self._host, self._reader = host, reader
        host.serve(ListCatalog, self._list)

    async def _list(self, _command: ListCatalog, _emit: Emit) -> CatalogListed:
        return await asyncio.to_thread(self._listed)

    def _listed(self) -> CatalogListed:
        entries, notice = read_catalog(self._host.folders)
        machine = self._reader.machine()
        room = machine.room(ModelSettings())
        device, room_bytes = max(room.items(), key=lambda item: item[1], default=("CPU", machine.ram_bytes))
        roofline = machine.rooflines.get(device)
        best, reason = recommend(
            entries, room_bytes, roofline.bandwidth if roofline is not None else None,
            trusted=None if room else CAUTIOUS_BANDWIDTH,
        )  # fmt: skip
        return CatalogListed(
            entries=tuple(entries),
            fitting=tuple(entry.repo for entry in entries if fits(entry, max(room_bytes, machine.ram_bytes))),
            recommended=best.repo if best is not None else "",
            reason=reason,
            notice=notice,
        )
