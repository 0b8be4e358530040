"""What a load would come to, asked of a host that loads nothing: none, one and two devices."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from gguf_files import write_sparse
from host_client_stub import Client
from model_shapes import SHAPES

from engine.errors import Code
from engine.host.host import Host
from engine.host.load_planner import n_cores
from engine.host.machine_reader import MachineReader
from engine.protocol import (
    Device,
    LoadPlanned,
    ModelSettings,
    PlanLoad,
    RequestFailed,
    SplitMode,
)
from engine.protocol.values import EngineDescription
from engine.settings import Settings, folders

GB = 10**9
_ids = itertools.count()


def gpu(number: int, free: float) -> Device:
    return Device(
        name=f"CUDA{number}", description=f"Card {number}", kind="gpu", total_bytes=24 * GB, free_bytes=round(free * GB)
    )


@pytest.fixture
def model(tmp_path: Path) -> str:
    shape = SHAPES["llama 8B"]()
    return str(write_sparse(tmp_path / "llama.gguf", shape.metadata, shape.tensors))


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    host = Host(Settings(), folders())
    await host.start()
    yield Client(host)
    await host.stop()


async def planned(client: Client, model: str, **settings: object) -> LoadPlanned:
    fields: dict[str, object] = {"n_ctx": 4096} | settings
    event = await client.request(
        PlanLoad(request_id=f"r{next(_ids)}", model_id=model, settings=ModelSettings(**fields))
    )  # type: ignore[arg-type]
    assert isinstance(event, LoadPlanned), event
    return event


def sees(monkeypatch: pytest.MonkeyPatch, *devices: Device) -> None:
    cpu = Device(name="CPU", description="", kind="cpu")
    monkeypatch.setattr(MachineReader, "description", EngineDescription(backend="cuda", devices=(*devices, cpu)))


async def test_without_a_device_all_is_on_the_cpu(client: Client, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sees(monkeypatch)
    plan = await planned(client, model)
    assert plan.layers == {"CPU": 33}
    assert [use.device for use in plan.memory] == ["CPU"]
    assert (plan.n_layers, plan.settings.n_gpu_layers, plan.has_experts) == (33, 0, False)
    assert plan.settings.n_threads == plan.settings.n_threads_batch == n_cores()
    assert list(client.host.pool) == []


async def test_one_device_takes_all_or_what_it_is_given(
    client: Client, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sees(monkeypatch, gpu(0, 23))
    assert (await planned(client, model)).layers == {"CPU": 0, "CUDA0": 33}
    some = await planned(client, model, n_gpu_layers=10)
    assert some.layers == {"CPU": 23, "CUDA0": 10}
    assert some.memory[1].weights_bytes < (await planned(client, model)).memory[1].weights_bytes / 2
    assert some.free_bytes["CUDA0"] == 23 * GB - round(0.03 * 24 * GB)
    sees(monkeypatch, gpu(0, 3))
    small = await planned(client, model, n_ctx=4096)
    assert 0 < small.layers["CUDA0"] < 33
    assert small.layers["CUDA0"] + small.layers["CPU"] == 33
    assert [notice.code for notice in small.notices] == ["fewer_layers"]


async def test_two_devices_share_as_they_are_told(client: Client, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sees(monkeypatch, gpu(0, 20), gpu(1, 20))
    assert (await planned(client, model)).layers == {"CPU": 0, "CUDA0": 17, "CUDA1": 16}
    uneven = await planned(client, model, tensor_split=(75.0, 25.0))
    assert uneven.layers == {"CPU": 0, "CUDA0": 25, "CUDA1": 8}
    one = await planned(client, model, split_mode=SplitMode.NONE, main_gpu=1)
    assert one.layers == {"CPU": 0, "CUDA1": 33}
    assert (await planned(client, model, devices=("CUDA1",))).layers == {"CPU": 0, "CUDA1": 33}
    assert (await planned(client, model, devices=("CPU",))).layers == {"CPU": 33}


async def test_a_device_that_is_not_there_is_refused_as_a_load_would(
    client: Client, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sees(monkeypatch, gpu(0, 20))
    event = await client.request(
        PlanLoad(request_id="1", model_id=model, settings=ModelSettings(devices=("CUDA3", "CUDA0")))
    )
    assert isinstance(event, RequestFailed)
    assert event.failure.code is Code.BAD_SETTINGS
    assert "no device named CUDA3; this computer has CUDA0, CPU" in event.failure.sentence()
