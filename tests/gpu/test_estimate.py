"""The memory estimate against llama.cpp's own answer with a device: contexts, KV types, layers, experts, two devices.

Each place is compared for itself. The models are asked for without allocating, so that large ones cost nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from gguf_files import write_sparse
from llama_memory import ask
from model_shapes import SHAPES, ModelShape
from offloading import DEVICE
from random_model import TINY_EXPERTS, Mix, write_model

from engine.fit.fit_table import Candidate, fit_rows
from engine.fit.memory_estimate import Estimator
from engine.fit.target_machine import Machine
from engine.gguf import read_header
from engine.protocol import Device, KvType, MemoryUse, ModelSettings, Switch

pytestmark = pytest.mark.gpu

TYPES = {KvType.F16: 1, KvType.Q8_0: 8, KvType.Q4_0: 2}
CONTEXTS = (1024, 4096, 8192)
DEVICES = ("Vulkan0", "Vulkan1")
SLACK_BYTES = 1_500_000
"""llama.cpp's Vulkan part runs operations in another order where they do not depend on each other."""
APPROXIMATE = {
    **dict.fromkeys(("phi3 mini", "command-r", "cohere2 7B"), 12_000_000),
    **dict.fromkeys(("mamba", "mamba2", "jamba", "falcon-h1", "granite hybrid", "lfm2"), 35_000_000),
}
"""Shapes whose blocks are modelled by their widths, and by how many bytes a place may then differ."""


def software(name: str) -> Device:
    return Device(name=name, description="llvmpipe", kind="gpu", total_bytes=2 << 30, free_bytes=2 << 30)


def case(n_ctx: int, kind: KvType, layers: int, kept: int = 0) -> ModelSettings:
    return ModelSettings(
        n_ctx=n_ctx, type_k=kind, type_v=kind, n_gpu_layers=layers, n_cpu_moe=kept, n_ubatch=512, n_batch=2048,
        flash_attn=Switch.ON, use_mmap=False,
    )  # fmt: skip


def split(answer: dict[str, list[int]]) -> dict[str, list[int]]:
    """Weights, cache and compute on each device, and under CPU on the host with its pinned buffers."""
    places = {"CPU": [0, 0, 0]}
    for name, sizes in answer.items():
        place = places.setdefault(name if name in DEVICES else "CPU", [0, 0, 0])
        for number, size in enumerate(sizes):
            place[number] += size
    return places


def sizes(use: MemoryUse) -> list[int]:
    return [use.weights_bytes, use.kv_bytes, use.compute_bytes]


def question(path: Path, settings: ModelSettings, estimator: Estimator) -> dict[str, object]:
    step, _ = estimator.step(settings)
    return {
        "path": str(path), "n_ctx": settings.n_ctx, "n_ubatch": 512, "n_batch": 2048, "n_seq_max": step.n_sequences,
        "n_outputs_max": step.n_outputs, "type_k": TYPES[settings.type_k], "type_v": TYPES[settings.type_v],
        "flash_attn_type": 1, "n_gpu_layers": settings.n_gpu_layers, "n_cpu_moe": settings.n_cpu_moe,
    }  # fmt: skip


def check(path: Path, cases: Sequence[ModelSettings], devices: Sequence[str] = (DEVICE,), slack: int = 0) -> None:
    estimator = Estimator(read_header(path))
    answers = ask(question(path, settings, estimator) for settings in cases)
    for settings, answer in zip(cases, answers, strict=True):
        fit = estimator.estimate(settings, devices=[software(name) for name in devices])
        found = {use.device: sizes(use) for use in fit.memory}
        assert fit.n_gpu_layers == settings.n_gpu_layers
        for device, (weights, kept, compute) in split(answer).items():
            estimated = found.get(device, [0, 0, 0])
            assert estimated[:2] == pytest.approx([weights, kept], rel=0.001, abs=slack), (settings, device)
            assert estimated[2] == pytest.approx(compute, abs=slack or SLACK_BYTES), (settings, device)
            if not slack:
                assert sum(estimated) == pytest.approx(weights + kept + compute, rel=0.05), (settings, device)


def grid(path: Path) -> list[ModelSettings]:
    """Three contexts × three KV types × no, some and all layers."""
    top = read_header(path).n_layers + 1
    return [case(*chosen) for chosen in itertools.product(CONTEXTS, TYPES, (0, top // 2, top))]


def sparse(folder: Path, shape: ModelShape) -> Path:
    return write_sparse(folder / "sparse.gguf", shape.metadata, shape.tensors)


def test_the_starter_model(starter: Path) -> None:
    check(starter, grid(starter))


def test_a_tiny_model(models: dict[Mix, Path]) -> None:
    check(models[Mix.Q4_K_M], grid(models[Mix.Q4_K_M]))


def test_gemma(tmp_path: Path) -> None:
    path = sparse(tmp_path, SHAPES["gemma3 270M"]())
    check(path, grid(path))


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape(name: str, tmp_path: Path) -> None:
    """Not at all, partly and whole on the device; with experts also those of half the layers kept back.

    And the verdict: the model fits into 5 % more than llama.cpp asks of the device, but not into 5 % less.
    """
    shape = SHAPES[name]()
    path = sparse(tmp_path, shape)
    header = read_header(path)
    half, top = shape.n_layers // 2, shape.n_layers + 1
    cases = [case(8192, KvType.F16, layers) for layers in (0, half, top)]
    if Estimator(header).has_experts:
        cases += [case(8192, KvType.F16, layers, half) for layers in (half, top)]
    check(path, cases, slack=APPROXIMATE.get(name, 0))
    whole = case(8192, KvType.F16, top)
    asked = sum(split(ask([question(path, whole, Estimator(header))])[0])[DEVICE])
    card = Device(name=DEVICE, description="llvmpipe", kind="gpu", total_bytes=1 << 42, free_bytes=1 << 42)
    machine = Machine(ram_bytes=1 << 42, devices=(card,))
    verdicts = []
    for share in (1.05, 0.95):
        limited = msgspec.structs.replace(whole, memory_limit_bytes=round(asked * share))
        (row,) = fit_rows([Candidate(name, header.file_size or 0, header)], limited, machine)
        verdicts.append(row.verdict)
    assert verdicts[0] in ("fits", "fits_tight")
    assert verdicts[1] in ("partial", "cpu_only")


def test_experts_of_real_weights(tmp_path: Path) -> None:
    path = tmp_path / "experts.gguf"
    write_model(path, TINY_EXPERTS, Mix.Q4_K_M)
    check(path, [case(1024, KvType.F16, layers, kept) for layers in (2, 5) for kept in (0, 1, 4)])


def test_two_devices(starter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver's one device, seen twice. With all layers on devices llama.cpp works on several steps at once."""
    monkeypatch.setenv("GGML_VK_VISIBLE_DEVICES", "0,0")
    check(starter, [case(8192, KvType.F16, layers) for layers in (0, 15)], DEVICES)
