"""The memory estimate against llama.cpp's own answer with a device: contexts, KV types and layer counts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest
from llama_memory import ask
from offloading import DEVICE
from random_model import Mix

from engine.fit import Estimator
from engine.gguf import read_header
from engine.protocol import Device, KvType, MemoryUse, ModelSettings, Switch

pytestmark = pytest.mark.gpu

TYPES = {KvType.F16: 1, KvType.Q8_0: 8, KvType.Q4_0: 2}
SOFTWARE = Device(name=DEVICE, description="llvmpipe", kind="gpu", total_bytes=8 << 30, free_bytes=8 << 30)


def split(answer: dict[str, list[int]]) -> tuple[list[int], list[int]]:
    """Weights, cache and compute on the device, and on the host with its pinned buffers."""
    places = [[0, 0, 0], [0, 0, 0]]
    for name, sizes in answer.items():
        place = places[name != DEVICE]
        for number, size in enumerate(sizes):
            place[number] += size
    return places[0], places[1]


def sizes(use: MemoryUse) -> list[int]:
    return [use.weights_bytes, use.kv_bytes, use.compute_bytes]


def check(path: Path, layer_counts: Sequence[int]) -> None:
    estimator = Estimator(read_header(path))
    cases = [
        ModelSettings(
            n_ctx=n_ctx, type_k=kind, type_v=kind, n_gpu_layers=layers, n_ubatch=512, n_batch=2048,
            flash_attn=Switch.ON, use_mmap=False,
        )
        for n_ctx, kind, layers in itertools.product((1024, 4096, 8192), TYPES, layer_counts)
    ]  # fmt: skip
    steps = [estimator.step(case)[0] for case in cases]
    answers = ask(
        {
            "path": str(path), "n_ctx": case.n_ctx, "n_ubatch": 512, "n_batch": 2048, "n_seq_max": step.n_sequences,
            "n_outputs_max": step.n_outputs, "type_k": TYPES[case.type_k], "type_v": TYPES[case.type_v],
            "flash_attn_type": 1, "n_gpu_layers": case.n_gpu_layers,
        }
        for case, step in zip(cases, steps, strict=True)
    )  # fmt: skip
    for case, answer in zip(cases, answers, strict=True):
        fit = estimator.estimate(case, devices=(SOFTWARE,))
        device, host = split(answer)
        assert fit.n_gpu_layers == case.n_gpu_layers
        assert sizes(fit.devices[0])[:2] == pytest.approx(device[:2], rel=0.01), case
        assert sizes(fit.host) == pytest.approx(host, rel=0.02), case
        assert fit.total_bytes == pytest.approx(sum(device) + sum(host), rel=0.05), case


def test_the_starter_model(starter: Path) -> None:
    check(starter, (0, 15, 31))


def test_a_tiny_model(models: dict[Mix, Path]) -> None:
    path = models[Mix.Q4_K_M]
    n_layers = read_header(path).n_layers + 1
    check(path, (0, n_layers // 2, n_layers))
