"""Several devices: the driver's one device, which llama.cpp is told to list twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from offloading import N_LAYERS, WORKER, memory_on, settings
from random_model import Mix
from worker_client import worker

from engine.protocol import SplitMode

pytestmark = pytest.mark.gpu

BOTH = ("Vulkan0", "Vulkan1")


@pytest.mark.parametrize(
    ("changes", "shares"),
    [
        ({"tensor_split": (4.0, 1.0)}, (4, 0)),
        ({"tensor_split": (1.0, 1.0)}, (3, 1)),
        ({"split_mode": SplitMode.NONE, "main_gpu": 1}, (0, 4)),
        ({"devices": ("Vulkan1",)}, (0, 4)),
        ({"devices": ("CPU",)}, (0, 0)),
    ],
)
def test_layers_go_to_the_devices_that_are_asked_for(
    environment: dict[str, str],
    models: dict[Mix, Path],
    tmp_path: Path,
    changes: dict[str, object],
    shares: tuple[int, int],
) -> None:
    """The share of each in the KV cache, in layers; the output counts as a fifth one."""
    twice = {**environment, "GGML_VK_VISIBLE_DEVICES": "0,0"}
    with worker(WORKER, twice, tmp_path / "worker.log") as running:
        loaded = running.load(models[Mix.Q8_0], settings(n_gpu_layers=N_LAYERS, **changes))
        answer = running.generate("The first light", 2)
    assert {device.name for device in loaded.effective.devices} == {*BOTH, "CPU"}
    kept = [memory_on(loaded, device).kv_bytes for device in (*BOTH, "CPU")]
    assert [size * 4 / sum(kept) for size in kept[:2]] == pytest.approx(shares)
    assert answer.finished.metrics.n_decoded == 2
