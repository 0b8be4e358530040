"""Readings of the running computer for the latency panel, cheap enough for twice a second."""

from __future__ import annotations

from collections.abc import Mapping

import psutil

from engine.hardware.memory import read_memory
from engine.hardware.nvml import Nvml
from engine.protocol import HardwareSample


class Sampler:
    """Takes samples; keep one, because CPU utilisation is the share of the time since the previous sample."""

    def __init__(self, nvml: Nvml | None = None, gpu_index: int = 0) -> None:
        self._nvml = Nvml() if nvml is None else nvml
        self.gpu_index = gpu_index
        psutil.cpu_percent()

    def sample(
        self, processes: Mapping[str, int] | None = None, *, n_running: int = 0, n_waiting: int = 0
    ) -> HardwareSample:
        """One sample in about a millisecond; `processes` are names → process ids, of which dead ones are left out."""
        memory = read_memory()
        gpu = self._nvml.read(self.gpu_index) if self.gpu_index < len(self._nvml) else None
        return HardwareSample(
            gpu_name=gpu.name if gpu else "",
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
