"""Hardware and fit through a host: samples while watched, limits once measured, estimates of files and hubs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from gguf_files import chat_bytes
from host_client_stub import Client
from hub_server import HubServer, serve

from engine.errors import Code
from engine.host.host import Host
from engine.host.machine_reader import MachineReader
from engine.host.services import Services
from engine.protocol import (
    Done,
    Estimate,
    Estimated,
    HardwareSample,
    KvType,
    MeasureRoofline,
    RequestFailed,
    RooflineMeasured,
    Watch,
)
from engine.protocol.values import EngineDescription
from engine.settings import Models, Settings, folders

REPO = "owner/Tiny-GGUF"


@pytest.fixture
def server() -> Iterator[HubServer]:
    with serve() as running:
        running.add(REPO).files = {
            "tiny-Q8_0.gguf": chat_bytes() + bytes(300_000),
            "tiny-F16.gguf": chat_bytes() + bytes(600_000),
        }
        yield running


@pytest.fixture
async def session(server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Client]:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setattr(MachineReader, "description", EngineDescription())
    host = Host(Settings(models=Models(hub_endpoint=server.url)), folders())
    services = Services(host)
    await host.start()
    await services.start()
    yield Client(host)
    await host.stop()
    await services.stop()


async def test_samples_come_while_watched(session: Client) -> None:
    assert isinstance(await session.request(Watch(request_id="w", interval=0.1)), Done)
    sample = await session.until_broadcast(HardwareSample)
    assert isinstance(sample, HardwareSample)
    assert sample.ram_total_bytes
    assert sample.process_rss_bytes["host"] > 10_000_000
    assert isinstance(await session.request(Watch(request_id="w2", interval=0)), Done)


async def test_limits_are_measured_once(session: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    known = RooflineMeasured(device="CPU", bandwidth=2e10, prefill_flops=1e11, duration=0.1)
    calls = []
    monkeypatch.setattr("engine.hardware.cpu_benchmark.measure_cpu", lambda n, may_go_on: calls.append(n) or known)
    for request_id in ("1", "2"):
        measured = await session.request(MeasureRoofline(request_id=request_id))
        assert isinstance(measured, RooflineMeasured)
        assert measured.bandwidth == 2e10
    assert len(calls) == 1
    await session.request(MeasureRoofline(request_id="3", force=True))
    assert len(calls) == 2


async def test_a_repository_is_estimated_from_one_header(session: Client, server: HubServer) -> None:
    estimated = await session.request(Estimate(request_id="e", repo=REPO, n_ctx=4096, type_k=KvType.Q8_0))
    assert isinstance(estimated, Estimated)
    assert [row.name for row in estimated.rows] == ["Q8_0", "F16"]
    assert all(row.verdict == "fits" for row in estimated.rows)
    assert estimated.device_free_bytes > 0
    before = len(server.requests)
    await session.request(Estimate(request_id="e2", repo=REPO, n_ctx=8192))
    assert len(server.requests) == before


async def test_a_local_file_is_estimated(session: Client, tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(chat_bytes())
    estimated = await session.request(Estimate(request_id="e", path=str(path), n_ctx=128))
    assert isinstance(estimated, Estimated)
    (row,) = estimated.rows
    assert row.kv_bytes > 0


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (Estimate(request_id="x"), Code.BAD_REQUEST),
        (Estimate(request_id="x", repo="owner/none"), Code.HUB_NOT_FOUND),
        (Estimate(request_id="x", path="nowhere.gguf"), Code.MODEL_NOT_FOUND),
    ],
)
async def test_mistakes_are_sentences(session: Client, command: Estimate, code: Code) -> None:
    failed = await session.request(command)
    assert isinstance(failed, RequestFailed)
    assert failed.failure.code is code
