"""Calibrates the roofline: bytes and operations per second that llama.cpp reached on a device in a finished answer."""

from __future__ import annotations

from typing import NamedTuple

from engine.host.load_plan import LoadPlan
from engine.metrics import RequestMetrics
from engine.protocol.values import EffectiveSettings

MIN_TOKENS = 512
"""A shorter prefill says little about the rate of long ones."""
MAX_BATCH = 1.05
"""Beyond it other answers took part of the machine."""


class Calibration(NamedTuple):
    """At least one of the two figures is known."""

    device: str
    bandwidth: float | None = None
    prefill_flops: float | None = None


def calibrate(metrics: RequestMetrics, effective: EffectiveSettings, plan: LoadPlan) -> Calibration | None:
    """None where there is nothing to learn: a split model, a shared machine, a short prompt, a known limit."""
    device = _sole_device(effective)
    if device is None or metrics.batch_size_mean > MAX_BATCH or metrics.n_interfering_steps:
        return None
    bandwidth = prefill_flops = None
    if metrics.mbu is not None and metrics.mbu > 1:
        bandwidth = metrics.mbu * plan.bandwidth(effective)
    n_new = metrics.n_prompt_tokens - metrics.n_cached_tokens
    if n_new >= MIN_TOKENS and metrics.prefill_time > 0 and plan.n_active_params:
        prefill_flops = 2 * plan.n_active_params * n_new / metrics.prefill_time
    if bandwidth is None and prefill_flops is None:
        return None
    return Calibration(device, bandwidth, prefill_flops)


def _sole_device(effective: EffectiveSettings) -> str | None:
    """The device that computes everything; None where several share the layers, or one has no experts."""
    if effective.n_gpu_layers == 0:
        return "CPU"
    if effective.n_cpu_moe:
        return None
    gpus = {device.name for device in effective.devices if device.kind != "cpu"}
    used = [use.device for use in effective.memory if use.device in gpus and use.weights_bytes]
    return used[0] if len(used) == 1 and effective.n_gpu_layers >= effective.n_layers else None
