"""What leaves a device whose memory ran out, in which order, and what is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import Code, EngineError, ModelError
from engine.protocol.load_policy import concessions
from engine.protocol.values import EffectiveSettings, ModelSettings
from engine.worker.llama import Context, Model, backend
from engine.worker.loading import loader
from engine.worker.loading.loader import after_refusal, left_behind
from tests.engine.worker.conftest import LoadTiny
from tests.tiny_models import Kind

FULL = ModelError(Code.OUT_OF_MEMORY, "Too large.")
DENSE = ("print_info: n_layer               = 31", "print_info: n_expert              = 0")
EXPERTS = ("print_info: n_layer               = 31", "print_info: n_expert              = 8")


def steps(settings: ModelSettings, lines: tuple[str, ...]) -> list[tuple[int, int, tuple[str, ...], str]]:
    """Layers on devices, experts on the CPU, devices and notice of each step until there is none."""
    found = []
    while (smaller := after_refusal(FULL, settings, lines)) is not None:
        (notice,) = concessions(settings, smaller, n_layers=32, why=FULL.failure.message)
        settings = smaller
        found.append((settings.n_gpu_layers, settings.n_cpu_moe, settings.devices, notice.code))
        assert notice.is_warning
        assert "Too large." in str(notice.message)
    return found


@pytest.mark.parametrize(
    ("asked", "devices", "got", "is_said"),
    [
        (32, (), 0, True),
        (999, (), 20, True),
        (20, (), 20, False),
        (999, (), 32, False),
        (-1, (), 0, False),
        (32, ("CPU",), 0, False),
    ],
)
def test_layers_that_llama_cpp_left_behind_are_said(
    asked: int, devices: tuple[str, ...], got: int, is_said: bool
) -> None:
    """A device that is gone is no error to llama.cpp: all layers are then on the CPU."""
    effective = EffectiveSettings(n_layers=32, n_gpu_layers=got)
    found = left_behind(ModelSettings(n_gpu_layers=asked, devices=devices), effective)
    assert [notice.is_warning for notice in found] == [True] * is_said
    assert all(f"{got} of 32 layers" in str(notice.message) for notice in found)


def test_layers_go_a_quarter_at_a_time_and_then_the_device() -> None:
    found = steps(ModelSettings(), DENSE)
    assert [row[0] for row in found[:3]] == [24, 18, 13]
    assert found[-2][0] == 0
    assert found[-1][2:] == (("CPU",), "gpu_left_out")
    assert {row[3] for row in found[:-1]} == {"fewer_layers"}


def test_experts_go_before_any_layer() -> None:
    found = steps(ModelSettings(), EXPERTS)
    assert [row[1] for row in found[:5]] == [7, 14, 21, 28, 31]
    assert {row[3] for row in found[:5]} == {"experts_on_cpu"}
    assert found[5][0] == 24


def test_only_memory_is_a_reason() -> None:
    assert after_refusal(ModelError(Code.MODEL_DAMAGED, "Bad."), ModelSettings(), DENSE) is None
    assert after_refusal(FULL, ModelSettings(), ()) is None


@pytest.mark.parametrize("n_kept", [0, 1, 2])
def test_llama_cpp_keeps_the_experts_where_it_is_told_to(load_tiny: LoadTiny, n_kept: int) -> None:
    assert load_tiny(Kind.MOE, n_cpu_moe=n_kept).effective.n_cpu_moe == n_kept


def test_a_dense_model_has_no_experts_to_keep(load_tiny: LoadTiny) -> None:
    assert load_tiny(Kind.GQA, n_cpu_moe=2).effective.n_cpu_moe == 0


def test_a_device_that_refuses_memory_is_asked_for_less(load_tiny: LoadTiny, monkeypatch: pytest.MonkeyPatch) -> None:
    """The device is played: it refuses four loads, as if another program had taken its memory since the estimate."""
    tried: list[tuple[int, int]] = []

    class FullDevice(Model):
        def __init__(self, path: Path, settings: ModelSettings, progress: Callable[[float], bool]) -> None:
            super().__init__(path, settings, progress)
            tried.append((settings.n_gpu_layers, settings.n_cpu_moe))
            if len(tried) <= 4:
                self.close()
                raise FULL

    monkeypatch.setattr(loader, "Model", FullDevice)
    monkeypatch.setattr(backend, "flavour", lambda: "cuda")
    loaded = load_tiny(Kind.MOE)
    assert tried == [(-1, -1), (-1, 1), (-1, 2), (2, 2), (1, 2)]
    codes = [notice.code for notice in loaded.effective.notices]
    assert codes == ["experts_on_cpu", "fewer_layers", "layers_left_behind"]
    assert str(loaded.effective.notices[1].message).startswith("The GPU has room for 1 of 3 layers")


def test_what_every_attempt_says_is_said_once(load_tiny: LoadTiny, monkeypatch: pytest.MonkeyPatch) -> None:
    """And memory that runs out in the first step is a reason to retreat, not a failed answer."""
    n_tried = 0

    def warm_up(context: Context) -> tuple[tuple[float, ...], float]:
        nonlocal n_tried
        n_tried += 1
        if n_tried < 3:
            raise EngineError(Code.OUT_OF_MEMORY, "Memory ran out in the middle of the answer.")
        return loader_warm_up(context)

    loader_warm_up = loader.warm_up
    monkeypatch.setattr(loader, "warm_up", warm_up)
    monkeypatch.setattr(backend, "flavour", lambda: "cuda")
    loaded = load_tiny(n_ctx=1 << 20)
    assert [notice.code for notice in loaded.effective.notices].count("n_ctx_trained") == 1
    lowered = next(notice for notice in loaded.effective.notices if notice.code == "fewer_layers")
    assert str(lowered.message).endswith(".gguf does not fit into memory.")
