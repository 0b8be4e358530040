"""What the devices of a loaded model reach together, as far as that is known."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from engine.host.model_fitter import ModelFitter
from engine.protocol import Device, EffectiveSettings, MemoryUse, RooflineMeasured
from engine.settings import folders

GIB = 1 << 30
KNOWN = {
    "CUDA0": RooflineMeasured(device="CUDA0", bandwidth=8e11, prefill_flops=4e13, duration=0.1),
    "CPU": RooflineMeasured(device="CPU", bandwidth=2e10, duration=0.1),
}


@pytest.fixture
def bandwidth(monkeypatch: pytest.MonkeyPatch) -> Callable[..., float]:
    fitter = ModelFitter(folders())
    monkeypatch.setattr(fitter._reader, "rooflines", SimpleNamespace(known=lambda: KNOWN))

    def of(n_gpu_layers: int, **fields: object) -> float:
        effective = EffectiveSettings(
            n_layers=32,
            n_gpu_layers=n_gpu_layers,
            devices=(Device(name="CUDA0", description="", kind="gpu"), Device(name="CPU", description="", kind="cpu")),
            memory=(MemoryUse(device="CUDA0", weights_bytes=GIB), MemoryUse(device="CPU", weights_bytes=GIB)),
            **fields,  # type: ignore[arg-type]
        )
        return fitter.bandwidth(effective)

    return of


def test_layers_share_the_devices_that_they_are_on(bandwidth: Callable[..., float]) -> None:
    assert bandwidth(32) == pytest.approx(8e11)
    assert bandwidth(0) == pytest.approx(2e10)
    assert bandwidth(16) == pytest.approx(1 / (0.5 / 8e11 + 0.5 / 2e10))


def test_layers_whose_experts_are_elsewhere_have_no_known_bandwidth(bandwidth: Callable[..., float]) -> None:
    assert bandwidth(32, n_cpu_moe=20) == 0.0
    assert bandwidth(0, n_cpu_moe=20) == pytest.approx(2e10)
