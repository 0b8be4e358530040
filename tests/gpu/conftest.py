"""GPU tests drive real workers of the Vulkan build; bootstrap.py runs them on Mesa's software driver.

That driver's device is the machine's own memory and cores: every path of an offload is walked without a card.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(Path(__file__).parent))

from offloading import LAYERS, WORKER, Case, Logits, StartWorker, settings  # noqa: E402
from random_model import TINY, Mix, write_model  # noqa: E402
from software_device import software_device, with_needs  # noqa: E402
from worker_client import Worker, worker  # noqa: E402

from engine.protocol import ModelLoaded  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def the_only_device(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """All processes that tests start see Mesa's software driver alone."""
    needs = software_device(tmp_path_factory.mktemp("preloaded"))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in with_needs(os.environ, needs).items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[Mix, Path]:
    """A tiny random model in each mix of quantizations."""
    folder = tmp_path_factory.mktemp("models")
    paths = {mix: folder / f"tiny-{mix}.gguf" for mix in Mix}
    for mix, path in paths.items():
        write_model(path, TINY, mix)
    return paths


@pytest.fixture(scope="session")
def environment(the_only_device: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a worker's process starts with: folders of its own and threads that do not spin."""
    home = str(tmp_path_factory.mktemp("home"))
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_WAIT_POLICY": "passive", "FIRSTLIGHT_HOME": home}


@pytest.fixture(scope="session")
def start_worker(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> StartWorker:
    """Starts workers of the Vulkan build."""
    log = tmp_path_factory.mktemp("logs") / "worker.log"

    def start() -> AbstractContextManager[Worker]:
        return worker(WORKER, environment, log)

    return start


@pytest.fixture(scope="session")
def loads(start_worker: StartWorker, models: dict[Mix, Path]) -> dict[int, ModelLoaded]:
    """What workers reported after loading the same model with each number of layers on the device."""
    found = {}
    for n_gpu_layers in LAYERS:
        with start_worker() as running:
            found[n_gpu_layers] = running.load(models[Mix.Q4_K_M], settings(n_gpu_layers=n_gpu_layers))
    return found


@pytest.fixture(scope="session")
def logits(environment: dict[str, str], models: dict[Mix, Path], starter: Path) -> dict[tuple[str, Case], Logits]:
    """Logits of each case on the device and, under \"cpu\", by the CPU build."""
    cases = [*Case]
    calls = {"device": sys.executable, "cpu": os.environ["FIRSTLIGHT_CPU_PYTHON"]}
    found = {}
    for where, python in calls.items():
        paths = [str(models[case.mix] if case.mix else starter) for case in cases]
        layers = [case.n_gpu_layers if where == "device" else 0 for case in cases]
        rows = [list(row) for row in zip(paths, layers, [case.kv_type for case in cases], strict=True)]
        found.update({(where, case): row for case, row in zip(cases, _probe(python, rows, environment), strict=True)})
    return found


def _probe(python: str, rows: Sequence[Sequence[object]], environment: dict[str, str]) -> list[Logits]:
    script = str(Path(__file__).with_name("logits_probe.py"))
    answer = subprocess.run(
        [python, script, json.dumps(rows)], env=environment, capture_output=True, check=False, timeout=400
    )
    assert answer.returncode == 0, answer.stderr.decode()[-2000:]
    return [np.frombuffer(base64.b64decode(line), dtype=np.float32) for line in answer.stdout.split()]
