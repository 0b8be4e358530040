"""What the GPU tests share: the device's name, the cases that are compared, and workers with a model in them."""

from __future__ import annotations

import contextlib
import enum
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import numpy.typing as npt
from random_model import TINY, Mix
from worker_client import Worker

from engine.protocol import KvType, MemoryUse, ModelLoaded, ModelSettings

DEVICE = "Vulkan0"
WORKER = [sys.executable, "-m", "engine.worker"]
N_LAYERS = TINY.n_layers + 1
"""The output layer counts as one."""
LAYERS = (0, 2, N_LAYERS, -1)
"""None, some, all, and what the engine thinks best."""

Logits = npt.NDArray[np.float32]
StartWorker = Callable[[], AbstractContextManager[Worker]]


class Case(enum.Enum):
    """Weights, layers on the device, and element type of the KV cache."""

    F16_HALF = (Mix.F16, 2, KvType.F16)
    F16_ALL = (Mix.F16, N_LAYERS, KvType.F16)
    Q8_0_ALL = (Mix.Q8_0, N_LAYERS, KvType.F16)
    Q4_K_M_ALL = (Mix.Q4_K_M, N_LAYERS, KvType.F16)
    CACHE_Q8_0 = (Mix.F16, N_LAYERS, KvType.Q8_0)
    CACHE_Q4_0 = (Mix.F16, N_LAYERS, KvType.Q4_0)
    STARTER = (None, 99, KvType.F16)
    """The starter model instead of a tiny one."""

    def __init__(self, mix: Mix | None, n_gpu_layers: int, kv_type: KvType) -> None:
        self.mix = mix
        self.n_gpu_layers = n_gpu_layers
        self.kv_type = kv_type


def settings(**changes: object) -> ModelSettings:
    """Small, deterministic, and on the device as far as the layers say."""
    plain = {"n_ctx": 1024, "n_parallel": 1, "n_threads": 1, "n_batch": 256, "n_ubatch": 128}
    return ModelSettings(**{**plain, **changes})  # type: ignore[arg-type]


def memory_on(loaded: ModelLoaded, device: str) -> MemoryUse:
    """What llama.cpp allocated on one device; zeros when nothing."""
    found = (use for use in loaded.effective.memory if use.device == device)
    return next(found, MemoryUse(device=device))


@contextlib.contextmanager
def loaded_worker(start_worker: StartWorker, path: Path, **changes: object) -> Iterator[tuple[Worker, ModelLoaded]]:
    with start_worker() as process:
        yield process, process.load(path, settings(**changes))
