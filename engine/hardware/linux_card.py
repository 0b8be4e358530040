"""A graphics card as Linux describes it: whether a screen is attached, and what AMD's driver tells of its state."""

from __future__ import annotations

from pathlib import Path

from engine.hardware.nvml import GpuReading

PCI = Path("/sys/bus/pci/devices")


def read_linux_card(bus_id: str, root: Path = PCI) -> GpuReading | None:
    """The card at this place, such as 0000:01:00.0; None where Linux has none there.

    Takes well under a millisecond. Readings that its driver does not offer are absent.
    """
    folder = root / bus_id
    if not bus_id or not (folder / "drm").is_dir():
        return None
    sensors = next(iter(sorted(folder.glob("hwmon/hwmon*"))), folder)
    busy = _number(folder / "gpu_busy_percent")
    watts = _number(sensors / "power1_average") or _number(sensors / "power1_input")
    temperature = _number(sensors / "temp1_input")
    clock = _number(sensors / "freq1_input")
    return GpuReading(
        index=0,
        name="",
        utilisation=None if busy is None else busy / 100,
        used_bytes=_number(folder / "mem_info_vram_used"),
        total_bytes=_number(folder / "mem_info_vram_total"),
        power_watts=None if watts is None else watts / 1e6,
        temperature_celsius=None if temperature is None else temperature / 1000,
        clock_mhz=None if clock is None else clock / 1e6,
        is_display=any(_text(status) == "connected" for status in folder.glob("drm/card*/card*-*/status")),
        bus_id=bus_id,
    )


def _number(path: Path) -> int | None:
    text = _text(path)
    return int(text) if text.isdecimal() else None


def _text(path: Path) -> str:
    """What a file of the driver says; empty where it has none, or the card sleeps."""
    try:
        return path.read_text("ascii", "replace").strip()
    except OSError:
        return ""
