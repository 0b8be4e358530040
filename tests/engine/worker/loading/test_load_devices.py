"""Settings for several devices reach llama.cpp as they were made."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Code, ModelError
from engine.protocol.values import Device, ModelSettings, SplitMode
from engine.worker.llama import Model, backend
from engine.worker.llama import model as model_module

POINTERS = {11: "CUDA0", 12: "CUDA1", 13: "CPU"}


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch, tiny_path: Callable[..., Path]) -> Callable[..., dict[str, Any]]:
    """The parameters that llama.cpp is given for settings, on a computer with two cards."""

    def given(**settings: object) -> dict[str, Any]:
        found: dict[str, Any] = {}

        def load(_path: bytes, params: Any) -> int:
            found.update(split_mode=params.split_mode, main_gpu=params.main_gpu, n_gpu_layers=params.n_gpu_layers)
            found["tensor_split"] = list(params.tensor_split[:2]) if params.tensor_split else []
            names = []
            if params.devices:
                devices = ctypes.cast(params.devices, ctypes.POINTER(ctypes.c_void_p))
                while devices[len(names)]:
                    names.append(POINTERS[devices[len(names)] or 0])
                found["devices"] = names
            return 0

        with pytest.raises(ModelError):
            monkeypatch.setattr(model_module.lib, "llama_model_load_from_file", load)
            Model(tiny_path(), ModelSettings(**settings), lambda _: True)  # type: ignore[arg-type]
        return found

    monkeypatch.setattr(backend, "device_pointers", lambda: list(POINTERS))
    monkeypatch.setattr(
        backend, "describe_device", lambda pointer: Device(name=POINTERS[pointer], description="", kind="gpu")
    )
    return given


def test_layers_are_spread_by_llama_cpp_unless_told_otherwise(passed: Callable[..., dict[str, Any]]) -> None:
    plain = passed()
    assert (plain["split_mode"], plain["main_gpu"], plain["n_gpu_layers"]) == (1, 0, -1)
    assert plain["tensor_split"] == []
    assert "devices" not in plain


@pytest.mark.parametrize(("mode", "number"), [(SplitMode.NONE, 0), (SplitMode.LAYER, 1), (SplitMode.ROW, 2)])
def test_split_mode_and_main_device(passed: Callable[..., dict[str, Any]], mode: SplitMode, number: int) -> None:
    given = passed(split_mode=mode, main_gpu=1)
    assert (given["split_mode"], given["main_gpu"]) == (number, 1)


def test_shares(passed: Callable[..., dict[str, Any]]) -> None:
    assert passed(tensor_split=(3.0, 1.0))["tensor_split"] == [3.0, 1.0]


def test_named_devices(passed: Callable[..., dict[str, Any]]) -> None:
    assert passed(devices=("CUDA1", "CUDA0"))["devices"] == ["CUDA1", "CUDA0"]
    assert passed(devices=("CPU",))["devices"] == []


def test_a_device_that_is_not_there_is_named(tiny_path: Callable[..., Path]) -> None:
    with pytest.raises(ModelError, match="no device named CUDA7") as caught:
        Model(tiny_path(), ModelSettings(devices=("CUDA7",)), lambda _: True)
    assert caught.value.code is Code.BAD_SETTINGS


def test_a_main_gpu_that_is_not_there_is_not_called_a_damaged_model() -> None:
    def given(main_gpu: int, *devices: str, mode: SplitMode = SplitMode.NONE) -> int:
        return model_module._main_gpu(ModelSettings(devices=devices, main_gpu=main_gpu, split_mode=mode))

    with pytest.raises(ModelError, match="number 2, but only 2 are used"):
        given(2, "Vulkan0", "Vulkan1")
    assert given(1, "Vulkan0", "CPU", "Vulkan1") == 1
    assert given(3, "CPU") == 3
    assert given(2, "Vulkan0", mode=SplitMode.LAYER) == 2
