"""What models must fit into, read when it is asked for: devices of the engine's build, free memory, known limits."""

from __future__ import annotations

import functools
import logging
from collections.abc import Sequence

from engine.errors import EngineError, StorageError
from engine.fit import ARM_REPACKED, AVX512_REPACKED, X86_REPACKED, Machine
from engine.hardware import Cpu, Nvml, Rooflines, read_cpu, read_memory
from engine.host.describe import Description, describe_engine, read_backend_record
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
            found = describe_engine()
        except EngineError as error:
            _log.warning("the engine's devices cannot be read: %s", error)
            return Description()
        self._add_cards(found.devices)
        return found

    def _add_cards(self, devices: Sequence[Device]) -> None:
        """Take the bus limit of NVIDIA's cards as their bandwidth, found by their name."""
        nvml = Nvml()
        try:
            for device in devices:
                for index in range(len(nvml)):
                    if nvml.read(index).name == device.description:
                        self.rooflines.add_card(device.name, nvml, index)
                        break
        except StorageError as error:
            _log.warning("the cards' limits are not kept: %s", error)
        finally:
            nvml.close()

    def machine(self) -> Machine:
        """The computer as it is now."""
        return Machine(
            ram_bytes=read_memory().available_bytes,
            devices=self.description.devices,
            rooflines=self.rooflines.known(),
            repacked=repacked_types(self.cpu),
        )


def repacked_types(cpu: Cpu) -> frozenset[str]:
    """The tensor types that llama.cpp's CPU kernels lay out anew on this processor."""
    return next((types for feature, types in _REPACKED if feature in cpu.features), frozenset())
