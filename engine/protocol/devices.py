"""Which of a machine's devices a model's layers may go to."""

from __future__ import annotations

from collections.abc import Sequence

from engine.protocol.values import Device, ModelSettings, SplitMode


def gpus(devices: Sequence[Device], settings: ModelSettings) -> list[Device]:
    """The devices that layers may go to, in llama.cpp's order: as named, or integrated ones only without any other."""
    able = [device for device in devices if device.kind in ("gpu", "igpu")]
    if settings.devices:
        chosen = [device for name in settings.devices for device in able if device.name == name]
    else:
        chosen = [device for device in able if device.kind == "gpu"] or able
        if settings.spares_display:
            chosen = [device for device in chosen if not device.is_display] or chosen
    if settings.split_mode is SplitMode.NONE and chosen:
        return [chosen[min(settings.main_gpu, len(chosen) - 1)]]
    return chosen
