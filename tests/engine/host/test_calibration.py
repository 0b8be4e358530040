"""What answers teach about the machine: only those that had one device, and it to themselves."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from engine.host.calibration import Calibration, calibrate
from engine.host.load_plan import LoadPlan, ModelKey
from engine.metrics import RequestMetrics
from engine.protocol import Device, EffectiveSettings, MemoryUse, ModelSettings

PREPARED = LoadPlan(
    key=ModelKey(Path("m.gguf"), ModelSettings()),
    model_id="m",
    settings=ModelSettings(),
    n_active_params=1_000_000,
    bandwidth=lambda _: 2e10,
)
ON_CPU = EffectiveSettings(n_layers=31, memory=(MemoryUse(device="CPU", weights_bytes=9),))
GPU = Device(name="CUDA0", description="Card", kind="gpu")
ON_GPU = EffectiveSettings(
    n_layers=31, n_gpu_layers=31, devices=(GPU,), memory=(MemoryUse(device="CUDA0", weights_bytes=9),)
)
LONG = RequestMetrics(n_prompt_tokens=1100, n_cached_tokens=100, prefill_time=2.0, mbu=0.8)


def changed(**fields: object) -> RequestMetrics:
    return msgspec.structs.replace(LONG, **fields)


@pytest.mark.parametrize(("effective", "device"), [(ON_CPU, "CPU"), (ON_GPU, "CUDA0")])
def test_a_long_prefill_teaches_the_arithmetic(effective: EffectiveSettings, device: str) -> None:
    assert calibrate(LONG, effective, PREPARED) == Calibration(device, None, 2 * 1_000_000 * 1000 / 2.0)


def test_a_measured_limit_that_was_exceeded_is_raised() -> None:
    learned = calibrate(changed(mbu=1.2, prefill_time=0.0), ON_CPU, PREPARED)
    assert learned is not None
    assert (learned.bandwidth, learned.prefill_flops) == (pytest.approx(2.4e10), None)


@pytest.mark.parametrize(
    "metrics",
    [changed(n_prompt_tokens=500), changed(batch_size_mean=1.5), changed(n_interfering_steps=1), RequestMetrics()],
)
def test_nothing_is_learned_from_short_prompts_and_shared_machines(metrics: RequestMetrics) -> None:
    assert calibrate(metrics, ON_CPU, PREPARED) is None


def test_nothing_is_learned_from_a_split_model() -> None:
    assert calibrate(LONG, msgspec.structs.replace(ON_GPU, n_gpu_layers=12), PREPARED) is None
    assert calibrate(LONG, msgspec.structs.replace(ON_GPU, n_cpu_moe=12), PREPARED) is None
