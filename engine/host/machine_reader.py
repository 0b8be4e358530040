"""What models must fit into, read when it is asked for: devices of the engine's build, free memory, known limits."""

from __future__ import annotations

import functools
import logging
import sys
from collections.abc import Sequence

import msgspec

from engine.errors import EngineError, StorageError
from engine.fit import AMX_REPACKED, ARM_REPACKED, AVX512_REPACKED, X86_REPACKED, Machine
from engine.hardware import Cpu, GpuReading, Nvml, Rooflines, read_cpu, read_memory
from engine.host.describe import BackendRecord, Description, describe_engine, read_backend_record
from engine.protocol.values import Device
from engine.settings import Folders

_log = logging.getLogger(__name__)

_REPACKED = (("avx512", AVX512_REPACKED), ("avx2", X86_REPACKED), ("neon", ARM_REPACKED))


class MachineReader:
    """All calls block for a moment: use a thread."""

    def __init__(self, folders: Folders) -> None:
        self.cpu = read_cpu()
        self.rooflines = Rooflines(folders.cache / "rooflines.json", cpu=self.cpu)

    @functools.cached_property
    def description(self) -> Description:
        """What the engine's build sees. A build for the processor has nothing to find, and is not asked."""
        record = read_backend_record()
        if record is not None and record.backend == "cpu":
            return Description()
        try:
            return self.look()
        except EngineError as error:
            _log.warning("the engine's devices cannot be read: %s", error)
            return Description()

    def look(self) -> Description:
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
        return msgspec.structs.replace(found, devices=with_screens(found.devices, cards))

    def machine(self) -> Machine:
        """The computer as it is now."""
        return Machine(
            ram_bytes=read_memory().available_bytes,
            devices=self.description.devices,
            rooflines=self.rooflines.known(),
            repacked=repacked_types(self.cpu, read_backend_record()),
        )


def repacked_types(cpu: Cpu, record: BackendRecord | None) -> frozenset[str]:
    """The tensor types that llama.cpp's CPU kernels lay out anew on this processor; AMX only in corrected builds."""
    if "amx_int8" in cpu.features and sys.platform == "linux" and record is not None and record.corrections:
        return AMX_REPACKED
    return next((types for feature, types in _REPACKED if feature in cpu.features), frozenset())


def with_screens(devices: Sequence[Device], cards: Sequence[GpuReading]) -> tuple[Device, ...]:
    """The devices, with what NVIDIA's driver says of a screen on them."""
    found = [(device, card_of(device, devices, cards)) for device in devices]
    return tuple(
        msgspec.structs.replace(device, is_display=card is not None and card.is_display) for device, card in found
    )


def card_of(device: Device, devices: Sequence[Device], cards: Sequence[GpuReading]) -> GpuReading | None:
    """The card that the engine calls so: of several with one name, those in the same order."""
    alike = [other.name for other in devices if other.description == device.description]
    named = [card for card in cards if card.name == device.description]
    order = alike.index(device.name)
    return named[order] if order < len(named) else None
