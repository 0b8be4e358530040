"""Readings of the running computer for the latency panel, cheap enough for twice a second."""

from __future__ import annotations

from collections.abc import Mapping

import psutil

from engine.hardware.linux_card import read_linux_card
from engine.hardware.memory import read_memory
from engine.hardware.nvml import GpuReading, Nvml
from engine.protocol import Device, HardwareSample


class HardwareSampler:
    """Takes samples; keep one, because CPU utilisation is the share of the time since the previous sample."""

    def __init__(self, nvml: Nvml | None = None) -> None:
        self._nvml = Nvml() if nvml is None else nvml
        self._places = [self._nvml.bus_id(index) for index in range(len(self._nvml))]
        psutil.cpu_percent()

    def sample(
        self,
        processes: Mapping[str, int] | None = None,
        *,
        card: Device | None = None,
        n_running: int = 0,
        n_waiting: int = 0,
    ) -> HardwareSample:
        """One sample in about a millisecond; `processes` are names → process ids, of which dead ones are left out.

        `card` is the one to read; without one it is NVIDIA's first.
        """
        memory = read_memory()
        gpu = self._read(card)
        return HardwareSample(
            gpu_name=(gpu.name or (card.description if card else "")) if gpu else "",
            gpu_utilisation=gpu.utilisation if gpu else None,
            vram_used_bytes=gpu.used_bytes if gpu else None,
            vram_total_bytes=gpu.total_bytes if gpu else None,
            power_watts=gpu.power_watts if gpu else None,
            temperature_celsius=gpu.temperature_celsius if gpu else None,
            clock_mhz=gpu.clock_mhz if gpu else None,
            cpu_utilisation=psutil.cpu_percent() / 100,
            ram_used_bytes=memory.total_bytes - memory.available_bytes,
            ram_total_bytes=memory.total_bytes,
            process_rss_bytes=_resident(processes or {}),
            n_running=n_running,
            n_waiting=n_waiting,
        )

    def _read(self, card: Device | None) -> GpuReading | None:
        if card is None or not card.bus_id:
            return self._nvml.read(0) if len(self._nvml) else None
        if card.bus_id in self._places:
            return self._nvml.read(self._places.index(card.bus_id))
        return read_linux_card(card.bus_id)

    def close(self) -> None:
        self._nvml.close()


def _resident(processes: Mapping[str, int]) -> dict[str, int]:
    found = {}
    for name, pid in processes.items():
        try:
            found[name] = psutil.Process(pid).memory_info().rss
        except psutil.Error:
            continue
    return found
