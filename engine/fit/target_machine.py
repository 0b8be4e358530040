"""The computer that a model is to fit into: its devices, free memory and measured speed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from engine.fit.memory_estimate import Fit
from engine.protocol import Device, ModelSettings, RooflineMeasured
from engine.protocol.devices import gpus, shares_memory

MARGIN_MIN_BYTES = 256 << 20
MARGIN_SHARE = 0.03
"""Kept free on each device for its driver, the desktop, and what the estimate does not see."""


@dataclasses.dataclass(frozen=True)
class Machine:
    """What is there to use."""

    ram_bytes: int
    """Free main memory."""
    devices: tuple[Device, ...] = ()
    """As the worker describes them; the CPU may be among them."""
    rooflines: Mapping[str, RooflineMeasured] = dataclasses.field(default_factory=dict)
    """By device name; the host is CPU."""
    repacked: frozenset[str] = frozenset()
    """Tensor types that the CPU build lays out anew: see engine.hardware."""
    has_huge_pages: bool = False
    """Linux gives huge pages to workers, which ask for them."""

    def room(self, settings: ModelSettings) -> dict[str, int]:
        """Bytes that a model may take on each device that layers may go to; empty without one."""
        return {device.name: self._budget(device, settings) for device in gpus(self.devices, settings)}

    def host_bytes(self, settings: ModelSettings) -> int:
        """Bytes of main memory for a model that runs on the CPU alone."""
        return min(self.ram_bytes, settings.memory_limit_bytes or self.ram_bytes)

    def host_need(self, fit: Fit) -> int:
        """Bytes of main memory that a model takes, with what it has on devices that have none of their own."""
        shared = {device.name for device in self.devices if shares_memory(device)}
        return fit.host.total_bytes + sum(use.total_bytes for use in fit.devices if use.device in shared)

    def _budget(self, device: Device, settings: ModelSettings) -> int:
        """A simulated limit counts as what is there, without a margin."""
        free = device.free_bytes if device.free_bytes is not None else device.total_bytes or 0
        if shares_memory(device):
            free = min(free, self.ram_bytes)
        left = max(0, free - max(MARGIN_MIN_BYTES, round((device.total_bytes or free) * MARGIN_SHARE)))
        return min(left, settings.memory_limit_bytes) if settings.memory_limit_bytes else left


def is_within(fit: Fit, room: Mapping[str, int]) -> bool:
    """Whether each device has room for its part; places without a budget are not asked."""
    return all(use.total_bytes <= room.get(use.device, 1 << 62) for use in fit.memory)
