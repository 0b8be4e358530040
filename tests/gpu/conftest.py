"""GPU tests drive real workers of the Vulkan build; bootstrap.py runs them on Mesa's software driver.

That driver's device is the machine's own memory and cores: every path of an offload is walked without a card.
"""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "packaging"), str(Path(__file__).parent)]

from offloading import WORKER, Logits, StartWorker  # noqa: E402
from random_model import TINY, Mix, write_model  # noqa: E402
from worker_client import Worker, worker  # noqa: E402

from engine.protocol import KvType  # noqa: E402


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[Mix, Path]:
    """A tiny random model in each mix of quantizations."""
    folder = tmp_path_factory.mktemp("models")
    paths = {mix: folder / f"tiny-{mix}.gguf" for mix in Mix}
    for mix, path in paths.items():
        write_model(path, TINY, mix)
    return paths


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """What a worker's process starts with: this test's own folders and threads that do not spin."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_WAIT_POLICY": "passive", "FIRSTLIGHT_HOME": str(home)}


@pytest.fixture
def start_worker(environment: dict[str, str], tmp_path: Path) -> StartWorker:
    def start() -> AbstractContextManager[Worker]:
        return worker(WORKER, environment, tmp_path / "worker.log")

    return start


@pytest.fixture
def running(start_worker: StartWorker) -> Iterator[Worker]:
    """One worker of the Vulkan build."""
    with start_worker() as process:
        yield process


@pytest.fixture
def logits(environment: dict[str, str]) -> Callable[..., Logits]:
    """Logits after the same tokens, of this build or, with n_gpu_layers None, of the CPU build."""

    def ask(model: Path, n_gpu_layers: int | None, kv_type: KvType = KvType.F16, n_tokens: int = 48) -> Logits:
        python = os.environ["FIRSTLIGHT_CPU_PYTHON"] if n_gpu_layers is None else sys.executable
        script = str(Path(__file__).with_name("logits_probe.py"))
        command = [python, script, str(model), str(n_gpu_layers or 0), kv_type.value, str(n_tokens)]
        answer = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=120)
        assert answer.returncode == 0, answer.stderr.decode()[-2000:]
        return np.frombuffer(base64.b64decode(answer.stdout), dtype=np.float32)

    return ask
