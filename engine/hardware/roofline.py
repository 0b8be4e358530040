"""The limits of a device: bytes per second that reading weights can reach, and arithmetic per second for prefill.

On the CPU both are measured here: every core sums its own part of a buffer that no cache holds (the fastest of several
passes counts), and multiplies float32 matrices. Repeated runs on a quiet machine differ by under 5 %; beside other load
the figure is too low, never too high. The arithmetic is a stand-in: llama.cpp's quantized kernels reach between a half
and twice of it. On a card the first figure is the bus width times the memory clock; what a real answer reached there
raises or replaces both figures (`learn`), and from then on they are llama.cpp's own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import numpy as np

from engine.hardware.cpu import Cpu, read_cpu
from engine.hardware.memory import read_memory
from engine.hardware.nvml import Nvml
from engine.protocol import RooflineMeasured
from engine.settings import folders, write_atomically

BUFFER_BYTES = 512 << 20
"""Larger than any cache; less where memory is short."""
READ_SECONDS = 1.0
MULTIPLY_SECONDS = 0.5
MATRIX = 1024
_MIN_PART_BYTES = 8 << 20


class _Entry(msgspec.Struct, frozen=True):
    """A device's limits as kept on disk, with the description that they belong to."""

    description: str
    bandwidth: float
    prefill_flops: float | None = None
    duration: float = 0.0


def measure_cpu(
    n_threads: int,
    *,
    buffer_bytes: int = BUFFER_BYTES,
    read_seconds: float = READ_SECONDS,
    multiply_seconds: float = MULTIPLY_SECONDS,
    clock: Callable[[], float] = time.perf_counter,
) -> RooflineMeasured:
    """Measure memory bandwidth and float32 arithmetic of the CPU; blocks for under 3 s and loads every core."""
    began = clock()
    part_bytes = max(_MIN_PART_BYTES, min(buffer_bytes, read_memory().available_bytes // 4) // n_threads)
    with ThreadPoolExecutor(n_threads, "roofline") as pool:
        parts = list(pool.map(lambda _: np.ones(part_bytes // 8, np.int64), range(n_threads)))
        bandwidth = 0.0
        deadline = clock() + read_seconds
        while bandwidth == 0.0 or clock() < deadline:
            start = clock()
            list(pool.map(np.sum, parts))
            bandwidth = max(bandwidth, n_threads * part_bytes / max(clock() - start, 1e-9))
    del parts
    flops = _multiply(multiply_seconds, clock)
    return RooflineMeasured(device="CPU", bandwidth=bandwidth, prefill_flops=flops, duration=clock() - began)


def _multiply(seconds: float, clock: Callable[[], float]) -> float:
    """Float32 operations per second of a matrix product, which numpy spreads over the cores."""
    matrix = np.ones((MATRIX, MATRIX), np.float32)
    best = 0.0
    deadline = clock() + seconds
    while best == 0.0 or clock() < deadline:
        start = clock()
        matrix @ matrix
        best = max(best, 2 * MATRIX**3 / max(clock() - start, 1e-9))
    return best


class Rooflines:
    """The known limits of this machine's devices, kept in the cache folder."""

    def __init__(self, path: Path | None = None, *, cpu: Cpu | None = None) -> None:
        self._path = path or folders().cache / "rooflines.json"
        self._cpu = cpu or read_cpu()
        self._entries = _load(self._path)

    def known(self) -> dict[str, RooflineMeasured]:
        """Limits by device name, for the expected speed of models."""
        return {
            device: RooflineMeasured(
                device=device, bandwidth=entry.bandwidth, prefill_flops=entry.prefill_flops, duration=entry.duration
            )
            for device, entry in self._entries.items()
            if device != "CPU" or entry.description == self._cpu_description
        }

    def measure(self, *, force: bool = False) -> RooflineMeasured:
        """The CPU's limits, measured unless they are known; call it in a thread. Raises StorageError."""
        if not force and (known := self.known().get("CPU")):
            return known
        measured = measure_cpu(self._cpu.n_usable)
        self._keep("CPU", self._cpu_description, measured.bandwidth, measured.prefill_flops, measured.duration)
        return measured

    def add_card(self, device: str, nvml: Nvml, index: int) -> RooflineMeasured | None:
        """Take a card's bus limit as a first figure; None where the card does not say. Raises StorageError."""
        reading = nvml.read(index)
        entry = self._entries.get(device)
        if (entry is None or entry.description != reading.name) and reading.bandwidth_limit:
            self._keep(device, reading.name, reading.bandwidth_limit, None, 0.0)
        return self.known().get(device)

    def learn(
        self, device: str, description: str, *, bandwidth: float | None = None, prefill_flops: float | None = None
    ) -> None:
        """What an answer really reached, bytes and operations per second. Raises StorageError.

        A higher bandwidth raises the limit; the first arithmetic rate replaces the stand-in, a higher one raises it.
        """
        entry = self._entries.get(device)
        if entry is None or entry.description != description:
            entry = _Entry(description=description, bandwidth=0.0)
        reached = max(entry.bandwidth, bandwidth or 0.0)
        flops = entry.prefill_flops if prefill_flops is None else max(entry.prefill_flops or 0.0, prefill_flops)
        if (reached, flops) != (entry.bandwidth, entry.prefill_flops):
            self._keep(device, description, reached, flops, entry.duration)

    @property
    def _cpu_description(self) -> str:
        return f"{self._cpu.name}, {self._cpu.n_usable} cores"

    def _keep(self, device: str, description: str, bandwidth: float, flops: float | None, duration: float) -> None:
        self._entries[device] = _Entry(description, bandwidth, flops, duration)
        write_atomically(self._path, msgspec.json.encode(self._entries))


def _load(path: Path) -> dict[str, _Entry]:
    """What was kept; nothing where the file is missing or damaged, since it can be measured again."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, _Entry])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}
