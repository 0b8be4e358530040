"""A device with too little memory, end to end through a host: it steps down, says what it did, and answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from offloading import DEVICE, N_LAYERS, memory_on
from random_model import TINY_EXPERTS, Mix, write_model

from engine.commands.host_session import Session
from engine.commands.options import load_with
from engine.protocol import Generate, GenerationFinished, LoadModel, ModelLoaded, Sampling, TokenDelta
from engine.settings import Folders, Models, Settings

pytestmark = pytest.mark.gpu

MB = 1_000_000


def load_and_answer(path: Path, home: Path, limit: int) -> tuple[ModelLoaded, str]:
    """What a host reports after a load with that much memory on the device, and the answer after it."""
    folders = Folders(config=home / "config", data=home / "data", cache=home / "cache")
    settings = load_with(
        Settings(models=Models(last_model="")),
        str(path),
        n_ctx=2048,
        n_parallel=1,
        n_threads=1,
        n_threads_batch=1,
        memory_limit_bytes=limit,
    )
    with Session(settings, folders) as session:
        loaded = session.request(LoadModel(model_id=str(path)), ModelLoaded)
        sampling = Sampling(temperature=0, logit_bias={2: -1e9})
        command = Generate(
            request_id="answer", model_id=str(path), prompt="The first light", max_tokens=4, sampling=sampling
        )
        text = ""
        for event in session.events(command):
            text += event.text if isinstance(event, TokenDelta) else ""
        assert isinstance(event, GenerationFinished)
        assert event.metrics.n_decoded == 4
    return loaded, text


def codes(loaded: ModelLoaded) -> list[str]:
    return [notice.code for notice in loaded.effective.notices]


@pytest.mark.parametrize(
    ("limit", "said", "layers"),
    [
        (40 * MB, [], range(N_LAYERS, N_LAYERS + 1)),
        (26 * MB, ["smaller_ubatch"], range(N_LAYERS, N_LAYERS + 1)),
        (16 * MB, ["fewer_layers"], range(1, N_LAYERS)),
        (1 * MB, ["gpu_left_out"], range(1)),
    ],
)
def test_a_full_device_steps_down(
    models: dict[Mix, Path], home: Path, limit: int, said: list[str], layers: range
) -> None:
    loaded, text = load_and_answer(models[Mix.F16], home, limit)
    assert codes(loaded) == said
    assert loaded.effective.n_gpu_layers in layers
    assert memory_on(loaded, DEVICE).total_bytes <= limit
    assert all(str(notice.message) for notice in loaded.effective.notices)
    assert text


def test_experts_leave_a_full_device_first(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "experts.gguf"
    write_model(path, TINY_EXPERTS, Mix.Q8_0)
    loaded, text = load_and_answer(path, home, 40 * MB)
    assert codes(loaded) == ["experts_on_cpu"]
    assert loaded.effective.n_gpu_layers == N_LAYERS
    assert 0 < loaded.effective.n_cpu_moe < TINY_EXPERTS.n_layers
    assert f"The experts of {loaded.effective.n_cpu_moe} layers stay" in str(loaded.effective.notices[0].message)
    for use in loaded.effective.memory:
        assert use.total_bytes == pytest.approx(use.estimated_bytes, rel=0.05), use
    assert memory_on(loaded, DEVICE).total_bytes <= 40 * MB
    assert text
