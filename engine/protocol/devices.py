"""Which of a machine's devices a model's layers may go to, and which of them have no memory of their own."""

from __future__ import annotations

from collections.abc import Sequence

from engine.protocol.values import Device, ModelSettings, SplitMode

_METAL = "MTL"
_SOFTWARE_DRIVER = "llvmpipe"


def gpus(devices: Sequence[Device], settings: ModelSettings) -> list[Device]:
    """The devices that layers may go to, in llama.cpp's order: as named, or integrated ones only without any other.

    A card that two backends list is taken once, from the first.
    """
    able = [device for device in devices if device.kind in ("gpu", "igpu")]
    if settings.devices:
        chosen = [device for name in settings.devices for device in able if device.name == name]
    else:
        first = {device.bus_id or device.name: device for device in reversed(able)}
        able = [device for device in able if first[device.bus_id or device.name] is device]
        chosen = [device for device in able if device.kind == "gpu"] or able
        if settings.spares_display:
            chosen = [device for device in chosen if not device.is_display] or chosen
    if settings.split_mode is SplitMode.NONE and chosen:
        return [chosen[min(settings.main_gpu, len(chosen) - 1)]]
    return chosen


def is_software(device: Device) -> bool:
    """Whether it is Mesa's software driver, which computes on the processor."""
    return _SOFTWARE_DRIVER in device.description


def shares_memory(device: Device) -> bool:
    """Whether what it holds is taken from main memory: integrated GPUs, Macs, and the software driver."""
    return device.kind == "igpu" or device.name.startswith(_METAL) or is_software(device)
