"""What models must fit into, read when it is asked for: devices of the engine's build, free memory, known limits."""

from __future__ import annotations

import dataclasses
import logging
import sys
import threading
import time
from collections.abc import Mapping, Sequence

import msgspec

from engine.errors import EngineError, StorageError
from engine.fit.placement import AMX_REPACKED, ARM_REPACKED, AVX512_REPACKED, X86_REPACKED
from engine.fit.target_machine import Machine
from engine.hardware.cpu import Cpu, read_cpu
from engine.hardware.linux_card import read_linux_card
from engine.hardware.memory import has_huge_pages, read_memory
from engine.hardware.nvml import GpuReading, Nvml
from engine.hardware.roofline import Rooflines
from engine.host.backend_probe import BackendRecord, describe_engine, read_backend_record
from engine.protocol.devices import shares_memory
from engine.protocol.values import Device, EngineDescription
from engine.settings import Folders

_log = logging.getLogger(__name__)

FRESH_SECONDS = 3.0
"""How long the engine's word on free memory counts where no driver can be asked."""
_REPACKED = (("avx512", AVX512_REPACKED), ("avx2", X86_REPACKED), ("neon", ARM_REPACKED))


@dataclasses.dataclass(frozen=True)
class _Look:
    """What the engine saw, and when."""

    description: EngineDescription
    seconds: float
    taken: dict[str, int]
    """Bytes of each card that a process takes as soon as it uses it at all."""


class MachineReader:
    """All calls block for a moment: use a thread."""

    def __init__(self, folders: Folders) -> None:
        self.cpu = read_cpu()
        self.rooflines = Rooflines(folders.cache / "rooflines.json", cpu=self.cpu)
        self._last: _Look | None = None
        self._turn = threading.Lock()

    @property
    def description(self) -> EngineDescription:
        """What the engine's build sees, with the memory that is free now.

        A build for the processor has nothing to find, and is not asked. The cards' drivers tell free memory at once;
        where they do not, the engine is asked anew when its last answer is over some seconds old.
        """
        record = read_backend_record()
        if record is not None and record.backend == "cpu":
            return EngineDescription()
        with self._turn:
            if self._last is not None:
                if record is None and not _cards(self._last.description):
                    return self._last.description
                if (found := _still_true(self._last)) is not None:
                    return found
            try:
                return self.look()
            except EngineError as error:
                _log.warning("the engine's devices cannot be read: %s", error)
                return EngineDescription()

    def look(self) -> EngineDescription:
        """What the engine's build sees at this moment, with its free memory. Raises EngineError."""
        found = describe_engine()
        nvml = Nvml()
        try:
            cards = [nvml.read(index) for index in range(len(nvml))]
            for device in found.devices:
                if (card := card_of(device, found.devices, cards)) is not None:
                    self.rooflines.add_card(device.name, nvml, card.index)
        except StorageError as error:
            _log.warning("the cards' limits are not kept: %s", error)
        finally:
            nvml.close()
        read = readings(found.devices, cards)
        taken = {
            device.name: max(0, card.free_bytes - device.free_bytes)
            for device, card in zip(found.devices, read, strict=True)
            if card is not None and card.free_bytes is not None and device.free_bytes is not None
        }
        found = msgspec.structs.replace(found, devices=with_screens(found.devices, read))
        self._last = _Look(found, time.monotonic(), taken)
        return found

    def machine(self, leaving: Mapping[str, int] | None = None) -> Machine:
        """The computer as it is now; `leaving` are bytes by device that our own models will have given back."""
        leaving = leaving or {}
        devices = tuple(
            msgspec.structs.replace(device, free_bytes=min(device.free_bytes + freed, device.total_bytes or 0))
            if device.free_bytes is not None and (freed := leaving.get(device.name, 0))
            else device
            for device in self.description.devices
        )
        return Machine(
            ram_bytes=read_memory().available_bytes + leaving.get("CPU", 0),
            devices=devices,
            rooflines=self.rooflines.known(),
            repacked=repacked_types(self.cpu, read_backend_record()),
            has_huge_pages=has_huge_pages(),
        )


def _cards(description: EngineDescription) -> list[Device]:
    return [device for device in description.devices if device.kind in ("gpu", "igpu")]


def _still_true(last: _Look) -> EngineDescription | None:
    """The last answer with the memory that is free now; None where the engine has to be asked for it."""
    found = last.description
    cards = _cards(found)
    nvml = Nvml()
    read = readings(found.devices, [nvml.read(index) for index in range(len(nvml))])
    nvml.close()
    free = {
        device.name: max(0, card.free_bytes - last.taken.get(device.name, 0))
        for device, card in zip(found.devices, read, strict=True)
        if card is not None and card.free_bytes is not None
    }
    if cards and all(device.name in free or shares_memory(device) for device in cards):
        devices = (msgspec.structs.replace(d, free_bytes=free.get(d.name, d.free_bytes)) for d in found.devices)
        return msgspec.structs.replace(found, devices=tuple(devices))
    return found if time.monotonic() - last.seconds < FRESH_SECONDS else None


def repacked_types(cpu: Cpu, record: BackendRecord | None) -> frozenset[str]:
    """The tensor types that llama.cpp's CPU kernels lay out anew on this processor; AMX only in corrected builds."""
    if "amx_int8" in cpu.features and sys.platform == "linux" and record is not None and record.patches:
        return AMX_REPACKED
    return next((types for feature, types in _REPACKED if feature in cpu.features), frozenset())


def readings(devices: Sequence[Device], cards: Sequence[GpuReading]) -> list[GpuReading | None]:
    """What NVIDIA's driver, or else Linux, says of each device's card; none of those that share main memory."""
    return [
        None if shares_memory(device) else card_of(device, devices, cards) or read_linux_card(device.bus_id)
        for device in devices
    ]


def with_screens(devices: Sequence[Device], cards: Sequence[GpuReading | None]) -> tuple[Device, ...]:
    """The devices, with what is known of a screen on them."""
    return tuple(
        msgspec.structs.replace(device, is_display=card is not None and card.is_display)
        for device, card in zip(devices, cards, strict=True)
    )


def card_of(device: Device, devices: Sequence[Device], cards: Sequence[GpuReading]) -> GpuReading | None:
    """The card that the engine calls so: the one at its place, or of several with one name those in the same order."""
    if device.bus_id and (found := next((card for card in cards if card.bus_id == device.bus_id), None)):
        return found
    alike = [other.name for other in devices if other.description == device.description]
    named = [card for card in cards if card.name == device.description]
    order = alike.index(device.name)
    return named[order] if order < len(named) else None
