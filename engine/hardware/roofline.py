"""The limits of a device: bytes per second that reading weights can reach, and arithmetic per second for prefill.

On the CPU both are measured here: every core sums its own part of a buffer that no cache holds (the fastest of several
passes counts), and multiplies float32 matrices. Repeated runs on a quiet machine differ by under 5 %; beside other load
the figure is too low, never too high. The arithmetic is a stand-in: llama.cpp's quantized kernels reach between a half
and twice of it. On a card the first figure is the bus width times the memory clock; what a real answer reached there
raises or replaces both figures (`learn`), and from then on they are llama.cpp's own.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

import msgspec

from engine.files import write_atomically
from engine.hardware.cpu import Cpu, read_cpu
from engine.hardware.nvml import Nvml
from engine.protocol import RooflineMeasured
from engine.settings import folders


class _Entry(msgspec.Struct, frozen=True):
    """A device's limits as kept on disk, with the description that they belong to."""

    description: str
    bandwidth: float
    prefill_flops: float | None = None
    duration: float = 0.0
    is_learned: bool = False
    """prefill_flops is what llama.cpp reached, no stand-in."""


class Rooflines:
    """The known limits of this machine's devices, kept in the cache folder."""

    def __init__(self, path: Path | None = None, *, cpu: Cpu | None = None) -> None:
        self._path = path or folders().cache / "rooflines.json"
        self._cpu = cpu or read_cpu()
        self._entries: dict[str, _Entry] = {}
        self._read_at = 0

    def known(self) -> dict[str, RooflineMeasured]:
        """Limits by device name, for the expected speed of models; also what another process has measured since."""
        self._refresh()
        return {
            device: RooflineMeasured(
                device=device, bandwidth=entry.bandwidth, prefill_flops=entry.prefill_flops, duration=entry.duration
            )
            for device, entry in self._entries.items()
            if device != "CPU" or entry.description == self._cpu_description
        }

    def measure(self, *, force: bool = False, may_go_on: Callable[[], bool] = lambda: True) -> RooflineMeasured | None:
        """The CPU's limits, measured unless they are known; call it in a thread. Raises StorageError.

        None where `may_go_on` said no on the way: it loads every core, and an answer goes first.
        """
        if not force and (known := self.known().get("CPU")):
            return known
        # Imported here: numpy costs a quarter of a second that a start of the host must not pay.
        measured: RooflineMeasured = importlib.import_module("engine.hardware.cpu_benchmark").measure_cpu(
            self._cpu.n_usable, may_go_on=may_go_on
        )
        if not may_go_on():
            return None
        self._keep("CPU", self._cpu_description, measured.bandwidth, measured.prefill_flops, measured.duration)
        return measured

    def add_card(self, device: str, nvml: Nvml, index: int) -> RooflineMeasured | None:
        """Take a card's bus limit as a first figure; None where the card does not say. Raises StorageError."""
        self._refresh()
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
        self._refresh()
        entry = self._entries.get(device)
        if entry is None or entry.description != description:
            entry = _Entry(description=description, bandwidth=0.0)
        reached = max(entry.bandwidth, bandwidth or 0.0)
        before = entry.prefill_flops if entry.is_learned else 0.0
        flops = entry.prefill_flops if prefill_flops is None else max(before or 0.0, prefill_flops)
        if (reached, flops) != (entry.bandwidth, entry.prefill_flops):
            is_learned = entry.is_learned or prefill_flops is not None
            self._keep(device, description, reached, flops, entry.duration, is_learned=is_learned)

    def description(self, device: str) -> str:
        """What a device's known limits belong to; empty where nothing is known of it."""
        entry = self._entries.get(device) if device in self.known() else None
        return entry.description if entry is not None else ""

    @property
    def _cpu_description(self) -> str:
        return f"{self._cpu.name}, {self._cpu.n_usable} cores"

    def _refresh(self) -> None:
        try:
            changed_at = self._path.stat().st_mtime_ns
        except OSError:
            return
        if changed_at != self._read_at:
            self._entries, self._read_at = _load(self._path), changed_at

    def _keep(
        self, device: str, description: str, bandwidth: float, flops: float | None, duration: float,
        *, is_learned: bool = False,
    ) -> None:  # fmt: skip
        self._entries[device] = _Entry(description, bandwidth, flops, duration, is_learned)
        write_atomically(self._path, msgspec.json.encode(self._entries))


def _load(path: Path) -> dict[str, _Entry]:
    """What was kept; nothing where the file is missing or damaged, since it can be measured again."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, _Entry])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}
