"""What the GPU tests share: the device's name, small settings, and workers with a model in them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import numpy.typing as npt
from random_model import TINY
from worker_client import Worker

from engine.protocol import MemoryUse, ModelLoaded, ModelSettings

DEVICE = "Vulkan0"
WORKER = [sys.executable, "-m", "engine.worker"]
N_LAYERS = TINY.n_layers + 1
"""The output layer counts as one."""

Logits = npt.NDArray[np.float32]
StartWorker = Callable[[], AbstractContextManager[Worker]]


def settings(**changes: object) -> ModelSettings:
    """Small, deterministic, and on the device as far as the layers say."""
    plain = {"n_ctx": 1024, "n_parallel": 1, "n_threads": 1, "n_batch": 512, "n_ubatch": 128}
    return ModelSettings(**{**plain, **changes})  # type: ignore[arg-type]


def memory_on(loaded: ModelLoaded, device: str) -> MemoryUse:
    """What llama.cpp allocated on one device; zeros when nothing."""
    found = (use for use in loaded.effective.memory if use.device == device)
    return next(found, MemoryUse(device=device))


@contextlib.contextmanager
def loaded_worker(start_worker: StartWorker, path: Path, **changes: object) -> Iterator[tuple[Worker, ModelLoaded]]:
    with start_worker() as process:
        yield process, process.load(path, settings(**changes))
