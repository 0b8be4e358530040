"""Offloading for real: devices, layers, KV cache, memory figures, the answers of the CPU, and memory given back."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
import psutil
import pytest
from offloading import DEVICE, N_LAYERS, WORKER, Case, Logits, StartWorker, loaded_worker, memory_on
from random_model import TINY, Mix
from worker_client import describe

from engine.metrics import CacheSource
from engine.protocol import Done, DropCache, KvType, ModelLoaded, ModelUnloaded, Switch, UnloadModel

pytestmark = pytest.mark.gpu

PROMPT = "The first light of the day falls on the roofs. " * 4
BLOCK_BYTES = {KvType.F16: 2.0, KvType.Q8_0: 34 / 32, KvType.Q4_0: 18 / 32}
"""Bytes of one element of the KV cache."""


def test_the_device_is_listed(environment: dict[str, str]) -> None:
    described = describe(WORKER, environment)
    assert described["backend"] == "vulkan"
    devices = {device["name"]: device for device in cast(list[dict[str, object]], described["devices"])}
    assert cast(int, devices[DEVICE]["total_bytes"]) > 0
    assert devices[DEVICE]["description"]
    probed = cast(dict[str, list[str]], described["kv_types_with_flash_attn"])
    assert {"f16", "q8_0", "q4_0"} <= set(probed[DEVICE])


@pytest.mark.parametrize(("asked", "effective"), [(0, 0), (2, 2), (N_LAYERS, N_LAYERS), (-1, N_LAYERS)])
def test_layers_go_where_they_are_asked_to(loads: dict[int, ModelLoaded], asked: int, effective: int) -> None:
    loaded = loads[asked].effective
    assert (loaded.n_gpu_layers, loaded.n_layers) == (effective, N_LAYERS)
    assert loaded.backend == "vulkan"
    assert (memory_on(loads[asked], DEVICE).weights_bytes > 0) == (effective > 0)


def test_memory_is_counted_where_it_lies(loads: dict[int, ModelLoaded], models: dict[Mix, Path]) -> None:
    none, some, full = (memory_on(loads[asked], DEVICE) for asked in (0, 2, N_LAYERS))
    assert none.weights_bytes < some.weights_bytes < full.weights_bytes < models[Mix.Q4_K_M].stat().st_size
    assert none.kv_bytes < some.kv_bytes < full.kv_bytes
    assert full.compute_bytes > 0
    input_bytes = TINY.n_vocab * TINY.n_embd * 144 / 256
    assert full.weights_bytes == pytest.approx(models[Mix.Q4_K_M].stat().st_size - input_bytes, rel=0.05)


@pytest.mark.parametrize("kv_type", BLOCK_BYTES)
def test_the_kv_cache_lies_on_the_device(start_worker: StartWorker, models: dict[Mix, Path], kv_type: KvType) -> None:
    changes = {"n_gpu_layers": N_LAYERS, "type_k": kv_type, "type_v": kv_type, "flash_attn": Switch.ON}
    with loaded_worker(start_worker, models[Mix.Q8_0], **changes) as (running, loaded):
        assert (loaded.effective.type_k, loaded.effective.type_v) == (kv_type, kv_type)
        assert loaded.effective.flash_attn
        elements = 2 * TINY.n_layers * TINY.n_kv_heads * TINY.head_size * loaded.effective.n_ctx
        assert memory_on(loaded, DEVICE).kv_bytes == pytest.approx(elements * BLOCK_BYTES[kv_type], rel=0.01)
        answer = running.generate(PROMPT, 8)
        assert answer.finished.metrics.n_decoded == 8


def test_the_kv_cache_can_stay_in_main_memory(start_worker: StartWorker, models: dict[Mix, Path]) -> None:
    with loaded_worker(start_worker, models[Mix.Q8_0], n_gpu_layers=N_LAYERS, offload_kqv=False) as (_, loaded):
        assert memory_on(loaded, DEVICE).kv_bytes == 0
        assert memory_on(loaded, DEVICE).weights_bytes > 0


@pytest.mark.parametrize("case", list(Case), ids=lambda case: case.name.lower())
def test_the_device_computes_what_the_cpu_does(logits: dict[tuple[str, Case], Logits], case: Case) -> None:
    """Equal but for rounding: kernels add in another order, and quantize activations differently (with AMX, Q4_1 most).

    With a quantized cache rounding matters more: builds must differ by less than what quantizing it changes.
    """
    found, expected = logits["device", case], logits["cpu", case]
    assert np.isfinite(found).all()
    limit = 0.03
    if case.kv_type is not KvType.F16:
        limit = max(limit, difference(expected, logits["cpu", Case.F16_ALL]))
    assert difference(found, expected) < limit


def difference(found: Logits, expected: Logits) -> float:
    """Relative to the size of what was expected."""
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))


def test_the_cases_differ(logits: dict[tuple[str, Case], Logits]) -> None:
    """Other weights give other logits, so that equal ones mean something."""
    f16, q4 = logits["cpu", Case.F16_ALL], logits["cpu", Case.Q4_K_M_ALL]
    assert difference(q4, f16) > 0.5


def test_unloading_gives_the_memory_back(start_worker: StartWorker, models: dict[Mix, Path]) -> None:
    """The software driver's memory is the process's own: what the model took must be gone, with or without it."""
    path = models[Mix.F16]
    with loaded_worker(start_worker, path, n_gpu_layers=N_LAYERS) as (running, _):
        process = psutil.Process(running.process.pid)
        used = process.memory_info().rss
        running.request(UnloadModel(request_id=running.new_id(), model_id=str(path)), ModelUnloaded)
        try:
            freed = used - process.memory_info().rss
        except psutil.NoSuchProcess:
            freed = used
    assert freed > 0.8 * path.stat().st_size


def test_a_chat_is_restored_onto_the_device(start_worker: StartWorker, models: dict[Mix, Path], tmp_path: Path) -> None:
    """A snapshot that one worker wrote from the device is what another continues from, with the same text."""
    changes = {"n_gpu_layers": N_LAYERS, "snapshot_dir": str(tmp_path / "snapshots")}
    with loaded_worker(start_worker, models[Mix.Q8_0], **changes) as (first, _):
        answer = first.generate(PROMPT, 8, chat_id="chat")
    continued = PROMPT + answer.text + "Then"
    with loaded_worker(start_worker, models[Mix.Q8_0], **changes) as (second, _):
        restored = second.generate(continued, 8, chat_id="chat")
        assert restored.started.cache_source is CacheSource.DISK
        assert restored.started.n_cached_tokens >= len(PROMPT)
        second.request(DropCache(request_id=second.new_id(), chat_id="chat"), Done)
        fresh = second.generate(continued, 8, chat_id="chat")
        assert fresh.started.n_cached_tokens == 0
        assert restored.text == fresh.text


@pytest.mark.model
def test_a_real_model_answers_alike(start_worker: StartWorker, starter: Path) -> None:
    texts = []
    for n_gpu_layers in (0, 99):
        with loaded_worker(start_worker, starter, n_gpu_layers=n_gpu_layers) as (running, loaded):
            assert loaded.effective.n_gpu_layers == (loaded.effective.n_layers if n_gpu_layers else 0)
            texts.append(running.generate("The capital of France is", 2).text)
    assert texts == [" Paris.", " Paris."]


@pytest.mark.parametrize(("first_layers", "then_layers"), [(N_LAYERS, 0), (0, N_LAYERS), (2, N_LAYERS)])
def test_a_chat_moves_between_device_and_cpu(
    start_worker: StartWorker, models: dict[Mix, Path], tmp_path: Path, first_layers: int, then_layers: int
) -> None:
    """What one side read, the other continues from; not with the very same text, because the two round differently."""
    kept = {"snapshot_dir": str(tmp_path / "snapshots")}
    with loaded_worker(start_worker, models[Mix.Q8_0], n_gpu_layers=first_layers, **kept) as (first, _):
        answer = first.generate(PROMPT, 4, chat_id="chat").text
    with loaded_worker(start_worker, models[Mix.Q8_0], n_gpu_layers=then_layers, **kept) as (second, _):
        restored = second.generate(PROMPT + answer + "Then", 4, chat_id="chat")
    assert restored.started.cache_source is CacheSource.DISK
    assert restored.started.n_cached_tokens >= len(PROMPT)
    assert restored.finished.metrics.n_decoded == 4
