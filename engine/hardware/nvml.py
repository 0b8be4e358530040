"""NVIDIA cards through NVML: absent without a driver, and every single reading may be absent too."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any

import pynvml


@dataclasses.dataclass(frozen=True)
class GpuReading:
    """One card right now; None where the card or the driver does not say."""

    index: int
    name: str
    utilisation: float | None = None
    """0 to 1."""
    used_bytes: int | None = None
    total_bytes: int | None = None
    power_watts: float | None = None
    temperature_celsius: float | None = None
    clock_mhz: float | None = None
    is_display: bool = False
    """A screen is attached to it."""
    bandwidth_limit: float | None = None
    """Bytes per second by bus width and memory clock: what no program can exceed."""
    compute_capability: str = ""
    bus_id: str = ""
    """Where it is plugged in, such as 0000:01:00.0."""

    @property
    def free_bytes(self) -> int | None:
        if self.total_bytes is None or self.used_bytes is None:
            return None
        return self.total_bytes - self.used_bytes


class Nvml:
    """The library, open while in use. Without a driver it has no cards."""

    def __init__(self, library: Any = pynvml) -> None:
        self._library = library
        self._handles: list[Any] = []
        self.driver_version = ""
        with contextlib.suppress(library.NVMLError):
            library.nvmlInit()
            found = [self._maybe(library.nvmlDeviceGetHandleByIndex, n) for n in range(library.nvmlDeviceGetCount())]
            # One that has fallen off the bus takes none of the others with it.
            self._handles = [handle for handle in found if handle is not None]
            self.driver_version = _text(self._maybe(library.nvmlSystemGetDriverVersion) or "")

    def __len__(self) -> int:
        return len(self._handles)

    def read(self, index: int) -> GpuReading:
        """Read one card; takes about a millisecond. Raises IndexError for a card that is not there."""
        library, handle = self._library, self._handles[index]
        memory = self._maybe(library.nvmlDeviceGetMemoryInfo, handle)
        rates = self._maybe(library.nvmlDeviceGetUtilizationRates, handle)
        power = self._maybe(library.nvmlDeviceGetPowerUsage, handle)
        capability = self._maybe(library.nvmlDeviceGetCudaComputeCapability, handle)
        return GpuReading(
            index=index,
            name=_text(self._maybe(library.nvmlDeviceGetName, handle) or "NVIDIA"),
            utilisation=None if rates is None else rates.gpu / 100,
            used_bytes=None if memory is None else int(memory.used),
            total_bytes=None if memory is None else int(memory.total),
            power_watts=None if power is None else power / 1000,
            temperature_celsius=self._maybe(library.nvmlDeviceGetTemperature, handle, library.NVML_TEMPERATURE_GPU),
            clock_mhz=self._maybe(library.nvmlDeviceGetClockInfo, handle, library.NVML_CLOCK_SM),
            is_display=bool(self._maybe(library.nvmlDeviceGetDisplayActive, handle)),
            bandwidth_limit=self._bandwidth_limit(handle),
            compute_capability="" if capability is None else f"{capability[0]}.{capability[1]}",
            bus_id=self.bus_id(index),
        )

    def bus_id(self, index: int) -> str:
        """Where a card is plugged in, as llama.cpp writes it; empty where the driver does not say."""
        place = self._maybe(self._library.nvmlDeviceGetPciInfo, self._handles[index])
        return "" if place is None else f"{place.domain:04x}:{place.bus:02x}:{place.device:02x}.0"

    def close(self) -> None:
        """Give the library back; further reads fail."""
        if self._handles:
            self._handles = []
            with contextlib.suppress(self._library.NVMLError):
                self._library.nvmlShutdown()

    def _maybe(self, read: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return read(*arguments)
        except self._library.NVMLError:
            return None

    def _bandwidth_limit(self, handle: Any) -> float | None:
        """Two transfers a clock over the whole bus."""
        library = self._library
        bits = self._maybe(library.nvmlDeviceGetMemoryBusWidth, handle)
        clock = self._maybe(library.nvmlDeviceGetMaxClockInfo, handle, library.NVML_CLOCK_MEM)
        return bits / 8 * clock * 1e6 * 2 if bits and clock else None


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
