"""Processor, memory, cards, battery, samples and measured limits; the system's files and library are replaced."""

from __future__ import annotations

import itertools
import os
import types
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine.hardware import live_readings as live_readings_module
from engine.hardware.cpu import Cpu, read_cpu
from engine.hardware.cpu_benchmark import measure_cpu
from engine.hardware.linux_card import read_linux_card
from engine.hardware.live_readings import HardwareSampler
from engine.hardware.memory import has_huge_pages, read_memory
from engine.hardware.nvml import Nvml
from engine.hardware.roofline import Rooflines
from engine.protocol import Device, RooflineMeasured

CPUINFO = """processor : 0
model name\t: Test CPU 9000
flags\t\t: fpu avx2 fma avx512f amx_int8 unheard_of

processor : 1
model name\t: Other
"""
CPU = Cpu(name="Test CPU", n_physical=1, n_logical=1, n_usable=1)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_this_computer() -> None:
    cpu = read_cpu()
    assert cpu.name
    assert 1 <= cpu.n_usable <= cpu.n_logical
    assert cpu.n_physical <= cpu.n_logical
    memory = read_memory()
    assert 0 < memory.available_bytes <= memory.total_bytes


def test_a_described_processor(tmp_path: Path) -> None:
    write(tmp_path / "cpuinfo", CPUINFO)
    cpu = read_cpu(tmp_path / "cpuinfo", tmp_path)
    assert cpu.name == "Test CPU 9000"
    assert cpu.features == {"avx2", "fma", "avx512", "amx_int8"}


@pytest.mark.parametrize(
    ("limit", "usable"), [("150000 100000", 2), ("50000 100000", 1), ("max 100000", 64), ("?", 64)]
)
def test_container_limits_of_cores(limit: str, usable: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "cpu.max", limit)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: range(64), raising=False)
    assert read_cpu(tmp_path / "none", tmp_path).n_usable == usable


def test_container_limits_of_memory(tmp_path: Path) -> None:
    write(tmp_path / "memory.max", str(1 << 30))
    write(tmp_path / "memory.current", str(600 << 20))
    write(tmp_path / "memory.stat", f"anon 5\ninactive_file {200 << 20}\n")
    memory = read_memory(tmp_path)
    assert memory.total_bytes == 1 << 30
    assert memory.available_bytes == (1024 - 400) << 20


def test_container_limits_in_the_older_version(tmp_path: Path) -> None:
    write(tmp_path / "memory" / "memory.limit_in_bytes", str(1 << 30))
    write(tmp_path / "memory" / "memory.usage_in_bytes", str(1 << 29))
    assert read_memory(tmp_path).available_bytes == 1 << 29


@pytest.mark.parametrize("text", ["max", str(1 << 62), ""])
def test_no_container_limit(text: str, tmp_path: Path) -> None:
    write(tmp_path / "memory.max", text)
    assert read_memory(tmp_path).total_bytes == psutil.virtual_memory().total


@pytest.mark.parametrize(
    ("switch", "expected"),
    [("always [madvise] never\n", True), ("[always] madvise never\n", True), ("always madvise [never]\n", False)],
)
def test_huge_pages(tmp_path: Path, switch: str, expected: bool) -> None:
    write(tmp_path / "enabled", switch)
    assert has_huge_pages(tmp_path / "enabled") is expected


def test_a_system_without_huge_pages(tmp_path: Path) -> None:
    assert not has_huge_pages(tmp_path / "enabled")


class FakeNvml:
    """NVML with one card; the names in `missing` fail as a card does that has no such reading."""

    class NVMLError(Exception):
        pass

    NVML_TEMPERATURE_GPU, NVML_CLOCK_SM, NVML_CLOCK_MEM = 0, 1, 2

    def __init__(self, *missing: str) -> None:
        self.missing = missing
        self.is_open = False

    def __getattr__(self, name: str) -> Any:
        answers: dict[str, Any] = {
            "nvmlDeviceGetCount": 1,
            "nvmlDeviceGetHandleByIndex": "card",
            "nvmlSystemGetDriverVersion": b"570.1",
            "nvmlDeviceGetMemoryInfo": types.SimpleNamespace(used=3 << 30, total=24 << 30),
            "nvmlDeviceGetUtilizationRates": types.SimpleNamespace(gpu=37),
            "nvmlDeviceGetPowerUsage": 250_500,
            "nvmlDeviceGetCudaComputeCapability": (8, 9),
            "nvmlDeviceGetName": "Test Card",
            "nvmlDeviceGetPciInfo": types.SimpleNamespace(domain=0, bus=0xC1, device=0),
            "nvmlDeviceGetTemperature": 61,
            "nvmlDeviceGetClockInfo": 2520,
            "nvmlDeviceGetDisplayActive": 1,
            "nvmlDeviceGetMemoryBusWidth": 384,
            "nvmlDeviceGetMaxClockInfo": 10_501,
        }

        def call(*_arguments: object) -> Any:
            if name in self.missing:
                raise self.NVMLError(name)
            self.is_open = {"nvmlInit": True, "nvmlShutdown": False}.get(name, self.is_open)
            return answers.get(name)

        return call


def test_a_card_is_read() -> None:
    library = FakeNvml()
    nvml = Nvml(library)
    assert len(nvml) == 1
    assert nvml.driver_version == "570.1"
    card = nvml.read(0)
    assert (card.name, card.utilisation, card.free_bytes) == ("Test Card", 0.37, 21 << 30)
    assert (card.power_watts, card.temperature_celsius, card.clock_mhz) == (250.5, 61, 2520)
    assert card.is_display
    assert card.bus_id == "0000:c1:00.0"
    assert card.compute_capability == "8.9"
    assert card.bandwidth_limit == pytest.approx(1.008e12, rel=0.001)
    nvml.close()
    assert not library.is_open
    assert len(nvml) == 0


def test_no_driver_means_no_card() -> None:
    nvml = Nvml(FakeNvml("nvmlInit"))
    assert len(nvml) == 0
    assert HardwareSampler(nvml).sample().vram_used_bytes is None
    nvml.close()


def test_absent_readings_are_absent() -> None:
    missing = ("nvmlDeviceGetPowerUsage", "nvmlDeviceGetUtilizationRates", "nvmlDeviceGetMemoryInfo")
    card = Nvml(FakeNvml(*missing, "nvmlDeviceGetMemoryBusWidth", "nvmlDeviceGetCudaComputeCapability")).read(0)
    assert (card.power_watts, card.utilisation, card.used_bytes, card.free_bytes) == (None, None, None, None)
    assert card.bandwidth_limit is None
    assert card.compute_capability == ""
    assert card.temperature_celsius == 61


def test_a_card_that_fell_off_the_bus_takes_no_other_with_it() -> None:
    library = FakeNvml("nvmlDeviceGetHandleByIndex", "nvmlSystemGetDriverVersion")
    nvml = Nvml(library)
    assert (len(nvml), nvml.driver_version) == (0, "")


def test_a_card_in_the_middle_of_a_drivers_reset_reads_as_unknown() -> None:
    library = FakeNvml()
    sampler = HardwareSampler(Nvml(library))
    library.missing = ("nvmlDeviceGetMemoryInfo", "nvmlDeviceGetUtilizationRates", "nvmlDeviceGetName")
    made = sampler.sample()
    assert (made.gpu_name, made.gpu_utilisation, made.vram_used_bytes) == ("NVIDIA", None, None)


def amd_card(folder: Path, bus_id: str) -> Path:
    """What Linux shows of a card of AMD's with a screen."""
    card = folder / bus_id
    sensors = card / "hwmon" / "hwmon3"
    screen = card / "drm" / "card1" / "card1-DP-1"
    for made in (sensors, screen):
        made.mkdir(parents=True)
    for file, text in (
        (card / "gpu_busy_percent", "42"),
        (card / "mem_info_vram_used", str(4 << 30)),
        (card / "mem_info_vram_total", str(16 << 30)),
        (sensors / "power1_average", "187000000"),
        (sensors / "temp1_input", "58000"),
        (sensors / "freq1_input", "2450000000"),
        (screen / "status", "connected"),
    ):
        file.write_text(text + "\n")
    return card


def test_linux_tells_of_other_cards(tmp_path: Path) -> None:
    place = "0000:03:00.0"
    folder = amd_card(tmp_path, place)
    card = read_linux_card(place, tmp_path)
    assert card is not None
    assert (card.utilisation, card.free_bytes, card.total_bytes) == (0.42, 12 << 30, 16 << 30)
    assert (card.power_watts, card.temperature_celsius, card.clock_mhz) == (187, 58, 2450)
    assert card.is_display
    (folder / "drm" / "card1" / "card1-DP-1" / "status").write_text("disconnected\n")
    (folder / "mem_info_vram_used").unlink()
    silent = read_linux_card(place, tmp_path)
    assert silent is not None
    assert (silent.is_display, silent.free_bytes) == (False, None)
    assert read_linux_card("0000:09:00.0", tmp_path) is None
    assert read_linux_card("", tmp_path) is None


def test_the_card_of_the_model_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    amd_card(tmp_path, "0000:03:00.0")
    monkeypatch.setattr(live_readings_module, "read_linux_card", lambda place: read_linux_card(place, tmp_path))
    sampler = HardwareSampler(Nvml(FakeNvml()))

    def name(place: str) -> str:
        card = Device(name="Vulkan1", description="Radeon", kind="gpu", bus_id=place)
        return sampler.sample(card=card).gpu_name

    assert name("0000:03:00.0") == "Radeon"
    assert name("0000:c1:00.0") == "Test Card"
    assert name("0000:09:00.0") == ""
    assert sampler.sample().gpu_name == "Test Card"


def test_a_sample_holds_everything() -> None:
    sampler = HardwareSampler(Nvml(FakeNvml()))
    made = sampler.sample({"host": os.getpid(), "gone": 2**31 - 1}, n_running=2, n_waiting=1)
    assert made.gpu_name == "Test Card"
    assert (made.gpu_utilisation, made.vram_used_bytes, made.vram_total_bytes) == (0.37, 3 << 30, 24 << 30)
    assert made.ram_total_bytes
    assert made.ram_used_bytes
    assert 0 < made.ram_used_bytes < made.ram_total_bytes
    assert list(made.process_rss_bytes) == ["host"]
    assert made.process_rss_bytes["host"] > 1 << 20
    assert (made.n_running, made.n_waiting) == (2, 1)
    assert made.cpu_utilisation is not None
    sampler.close()


def test_measuring_gives_plausible_figures() -> None:
    measured = measure_cpu(1, buffer_bytes=16 << 20, read_seconds=0.02, multiply_seconds=0.02)
    assert measured.device == "CPU"
    assert 1e8 < measured.bandwidth < 1e12
    assert measured.prefill_flops is not None
    assert 1e8 < measured.prefill_flops < 1e14


def test_the_fastest_pass_counts() -> None:
    ticks = itertools.accumulate([0, 0, 2, 0, 0, 1, 5, 0, 0, 4, 1, 1], initial=0)
    measured = measure_cpu(1, buffer_bytes=8 << 20, read_seconds=3, multiply_seconds=1, clock=lambda: next(ticks))
    assert measured.bandwidth == (8 << 20) / 1
    assert measured.prefill_flops == 2 * 1024**3 / 4


def test_measuring_ends_when_it_may_not_go_on() -> None:
    measured = measure_cpu(1, buffer_bytes=8 << 20, read_seconds=60, multiply_seconds=60, may_go_on=lambda: False)
    assert measured.duration < 10


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Measuring takes no time here; the list counts how often it happened."""
    calls: list[int] = []

    def measure(n_threads: int, may_go_on: object) -> RooflineMeasured:
        calls.append(n_threads)
        return RooflineMeasured(device="CPU", bandwidth=2e10 + len(calls), prefill_flops=1e11, duration=1.5)

    monkeypatch.setattr("engine.hardware.cpu_benchmark.measure_cpu", measure)
    return calls


def test_limits_are_measured_once_and_kept(home: Path, measured: list[int]) -> None:
    first = Rooflines(cpu=CPU).measure()
    assert first is not None
    assert first.bandwidth == 2e10 + 1
    assert Rooflines(cpu=CPU).measure() == first
    assert measured == [1]
    again = Rooflines(cpu=CPU).measure(force=True)
    assert again is not None
    assert again.bandwidth == 2e10 + 2
    assert (home / "cache" / "rooflines.json").exists()


def test_another_processor_is_measured_again(home: Path, measured: list[int]) -> None:
    Rooflines(cpu=CPU).measure()
    other = Rooflines(cpu=Cpu(name="Other", n_physical=4, n_logical=8, n_usable=8))
    assert other.known() == {}
    other.measure()
    assert measured == [1, 8]


def test_a_damaged_file_is_measured_again(tmp_path: Path, measured: list[int]) -> None:
    path = tmp_path / "rooflines.json"
    path.write_bytes(b'{"CPU": [')
    made = Rooflines(path, cpu=CPU).measure()
    assert made is not None
    assert made.device == "CPU"
    assert measured == [1]


def test_a_card_starts_at_its_bus_limit(tmp_path: Path) -> None:
    rooflines = Rooflines(tmp_path / "r.json", cpu=CPU)
    made = rooflines.add_card("CUDA0", Nvml(FakeNvml()), 0)
    assert made is not None
    assert made.bandwidth == pytest.approx(1.008e12, rel=0.001)
    assert made.prefill_flops is None
    assert rooflines.add_card("CUDA1", Nvml(FakeNvml("nvmlDeviceGetMemoryBusWidth")), 0) is None


def test_answers_teach(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    rooflines = Rooflines(path, cpu=CPU)
    rooflines.learn("Vulkan0", "Card", bandwidth=4e11)
    rooflines.learn("Vulkan0", "Card", bandwidth=3e11, prefill_flops=2e13)
    rooflines.learn("Vulkan0", "Card", prefill_flops=1e13)
    known = Rooflines(path, cpu=CPU).known()["Vulkan0"]
    assert (known.bandwidth, known.prefill_flops) == (4e11, 2e13)
    rooflines.learn("Vulkan0", "Other card", bandwidth=1e11)
    assert rooflines.known()["Vulkan0"].bandwidth == 1e11


def test_what_an_answer_reached_replaces_the_stand_in(tmp_path: Path, measured: list[int]) -> None:
    rooflines = Rooflines(tmp_path / "r.json", cpu=CPU)
    rooflines.measure()
    description = rooflines.description("CPU")
    rooflines.learn("CPU", description, prefill_flops=4e10)
    assert rooflines.known()["CPU"].prefill_flops == 4e10
    rooflines.learn("CPU", description, prefill_flops=3e10)
    assert rooflines.known()["CPU"].prefill_flops == 4e10


def test_limits_measured_by_another_process_are_seen(tmp_path: Path, measured: list[int]) -> None:
    here, there = (Rooflines(tmp_path / "r.json", cpu=CPU) for _ in range(2))
    assert here.known() == {}
    there.measure()
    assert here.known()["CPU"].bandwidth == 2e10 + 1
    assert measured == [1]


def test_a_measurement_that_had_to_end_is_not_kept(tmp_path: Path, measured: list[int]) -> None:
    rooflines = Rooflines(tmp_path / "r.json", cpu=CPU)
    assert rooflines.measure(may_go_on=lambda: False) is None
    assert rooflines.known() == {}
