"""What leaves the devices when their memory runs out: experts first, then layers, at last everything."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from engine.errors import Code, ModelError
from engine.protocol.values import EffectiveSettings, ModelSettings, Notice
from engine.translatable import Translatable, joined, sentence
from engine.worker.llama import readings

_CPU_ONLY = ("CPU",)


def retreat(error: ModelError, settings: ModelSettings, lines: Iterable[str]) -> tuple[ModelSettings, Notice] | None:
    """Settings that take less of the devices, and what to say about it; None when memory is not the problem.

    `settings` are those that failed, and `lines` what llama.cpp logged meanwhile. Experts cost the least speed for
    their bytes; a quarter of the layers goes each time.
    """
    lines = list(lines)
    n_layers = readings.n_layers(lines)
    if error.code is not Code.OUT_OF_MEMORY or n_layers == 0 or settings.devices == _CPU_ONLY:
        return None
    why = error.failure.message
    n_kept = max(0, settings.n_cpu_moe)
    n_on_devices = n_layers + 1 if settings.n_gpu_layers < 0 else min(settings.n_gpu_layers, n_layers + 1)
    if n_on_devices and n_kept < n_layers and readings.n_experts(lines):
        n_kept = min(n_layers, n_kept + max(1, n_layers // 4))
        said = sentence(
            "The experts of one layer are on the CPU: more do not fit on the GPU."
            if n_kept == 1
            else "The experts of {n} layers are on the CPU: more do not fit on the GPU.",
            n=n_kept,
        )
        return msgspec.structs.replace(settings, n_cpu_moe=n_kept), _notice("n_cpu_moe_raised", said, why)
    if n_on_devices:
        fewer = n_on_devices * 3 // 4
        said = sentence(
            "Only one layer runs on the GPU, the others on the CPU: more do not fit."
            if fewer == 1
            else "Only {n} layers run on the GPU, the others on the CPU: more do not fit.",
            n=fewer,
        )
        return msgspec.structs.replace(settings, n_gpu_layers=fewer), _notice("n_gpu_layers_lowered", said, why)
    said = sentence("The GPU is not used at all: it has no room even for buffers.")
    alone = msgspec.structs.replace(settings, devices=_CPU_ONLY, memory_limit_bytes=0)
    return alone, _notice("gpu_left_out", said, why)


def left_behind(settings: ModelSettings, effective: EffectiveSettings) -> list[Notice]:
    """What to say when llama.cpp put fewer layers on devices than were asked of it, as where a device has gone."""
    n_asked = min(settings.n_gpu_layers, effective.n_layers)
    if settings.devices == _CPU_ONLY or effective.n_gpu_layers >= n_asked:
        return []
    message = sentence(
        "One of {of} layers runs on the GPU instead of {asked}; the others run on the CPU, which is slower."
        if effective.n_gpu_layers == 1
        else "{n} of {of} layers run on the GPU instead of {asked}; the others run on the CPU, which is slower.",
        n=effective.n_gpu_layers,
        of=effective.n_layers,
        asked=n_asked,
    )
    return [Notice(code="layers_left_behind", message=message, is_warning=True)]


def _notice(code: str, said: Translatable, why: Translatable) -> Notice:
    return Notice(code=code, message=joined(said, why), is_warning=True)
