"""What `python -m engine doctor` prints: driver, devices and build for somebody who looks for a fault."""

from __future__ import annotations

import msgspec
import pytest

from engine.commands import doctor
from engine.hardware.nvml import GpuReading
from engine.host.backend_probe import BackendRecord
from engine.protocol import Device, KvType
from engine.protocol.values import EngineDescription

GIB = 1 << 30
CUDA = EngineDescription(
    backend="cuda",
    devices=(
        Device(name="CUDA0", description="RTX 4090", kind="gpu", total_bytes=24 * GIB, free_bytes=20 * GIB),
        Device(name="CPU", description="Some processor", kind="cpu", total_bytes=32 * GIB, free_bytes=9 * GIB),
    ),
    kv_types_with_flash_attn={"CUDA0": (KvType.F16, KvType.Q8_0)},
)
RECORD = BackendRecord(
    backend="cuda",
    reason="found RTX 4090 with NVIDIA's driver",
    advice="To force another: --backend cpu or --backend vulkan.",
    fallbacks=(
        {"backend": "vulkan", "error": "no shader compiler"},
        {"backend": "metal", "error": "It waits.", "state": "kept"},
    ),
)
REPORT = doctor.Report(
    firstlight="0.1.0",
    python="3.11",
    system="Linux",
    versions={"llama-cpp-python": "0.3.36", "llama_cpp_python": "0.3.36", "system_info": "CPU : AVX2 = 1 | SVE = 0"},
    cpu="Some processor",
    n_cores=8,
    ram_total_bytes=32 * GIB,
    ram_free_bytes=9 * GIB,
    backend=RECORD,
    engine=CUDA,
    drivers=("NVIDIA 580.95", "RTX 4090, compute capability 8.9"),
    places=(),
    models=("starter",),
    problems=(),
)


def test_a_card_is_described_with_its_driver() -> None:
    lines = doctor._lines(REPORT)
    assert "Driver     NVIDIA 580.95" in lines
    assert "           RTX 4090, compute capability 8.9" in lines
    assert "Device     CUDA0 (gpu): RTX 4090, 20.0 GiB of 24.0 GiB free" in lines
    assert "           KV types with flash attention: f16, q8_0" in lines
    assert lines[-1] == "All is well."


def test_the_build_says_why_and_how_to_have_another() -> None:
    lines = doctor._lines(REPORT)
    assert "Engine     cuda: found RTX 4090 with NVIDIA's driver" in lines
    forced = "To force another: python3 packaging/bootstrap.py run --backend cpu or --backend vulkan."
    assert f"           {forced}" in lines
    assert "           vulkan failed: no shader compiler" in lines
    assert "           metal kept: It waits." in lines
    assert "Kernels    AVX2" in lines
    assert "Versions   llama-cpp-python 0.3.36" in lines


def test_a_package_says_how_a_build_for_a_gpu_is_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "IS_CHECKOUT", False)
    text = "\n".join(doctor._lines(msgspec.structs.replace(REPORT, backend=None)))
    assert "cuda: llama-cpp-python was installed without Firstlight's set-up" in text
    assert "CMAKE_ARGS=-DGGML_CUDA=on" in text
    assert "llama-cpp-python==0.3.36" in text


def test_what_a_driver_leaves_out_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    cards = [
        GpuReading(index=0, name="RTX 4090", used_bytes=4 * GIB, total_bytes=24 * GIB, compute_capability="8.9"),
        GpuReading(index=1, name="Old card", is_display=True),
    ]

    class Driver:
        driver_version = "580.95"

        def __len__(self) -> int:
            return len(cards)

        def read(self, index: int) -> GpuReading:
            return cards[index]

        def close(self) -> None:
            pass

    monkeypatch.setattr(doctor, "Nvml", Driver)
    assert doctor._drivers() == (
        "NVIDIA 580.95",
        "RTX 4090, compute capability 8.9, 20.0 GiB of 24.0 GiB free",
        "Old card, a screen is on it",
    )
    cards.clear()
    assert doctor._drivers() == ()
