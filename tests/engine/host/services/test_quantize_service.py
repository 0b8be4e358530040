"""Quantizing through a host: llama.cpp's real quantizer in its own process, on tiny models and the starter."""

from __future__ import annotations

import os
import shutil
from collections import namedtuple
from pathlib import Path

import psutil
import pytest
from gguf_files import write_sparse
from host_client_stub import Client
from model_shapes import ModelShape, attention, feed_forward
from tiny_models import Kind, write_tiny_model

from engine import gguf
from engine.errors import Code
from engine.host.host import Host
from engine.host.services import Services
from engine.protocol import (
    ListModels,
    ModelsListed,
    QuantizeFinished,
    QuantizeModel,
    QuantizeProgress,
    RemoveModel,
    RequestFailed,
)
from engine.protocol.quantization_types import QUANTIZATION_TYPES, expected_bytes, quantization_type
from engine.settings import Settings, folders

_Disk = namedtuple("_Disk", "total used free")


@pytest.fixture
async def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("FIRSTLIGHT_STARTER", str(tmp_path / "none.gguf"))
    host = Host(Settings(), folders())
    services = Services(host)
    await host.start()
    await services.start()
    yield Client(host)
    await host.stop()
    await services.stop()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "Tiny-F16.gguf"
    write_tiny_model(path, Kind.DENSE)
    return path


def quantizers() -> list[psutil.Process]:
    """Child processes of this test that quantize."""
    return [child for child in psutil.Process(os.getpid()).children() if "--quantize" in child.cmdline()]


def is_there(path: str) -> bool:
    return Path(path).exists()


def written_at(path: str) -> int:
    return Path(path).stat().st_mtime_ns


def leftovers() -> list[str]:
    return [path.name for path in folders().models.rglob("*.part")]


async def test_the_result_is_ours_checked_and_says_its_real_mix(client: Client, source: Path) -> None:
    told = await client.request(QuantizeModel(request_id="d", path=str(source), quantization="q8_0", is_dry_run=True))
    assert isinstance(told, QuantizeFinished)
    assert not is_there(told.path)
    made = await client.request(QuantizeModel(request_id="q", path=str(source), quantization="q8_0"))
    assert isinstance(made, QuantizeFinished)
    assert Path(made.path).name == "Tiny-Q8_0.gguf"
    header = gguf.check_file(Path(made.path))
    assert header.quantization == "Q8_0"
    assert made.tensor_mix == header.tensor_mix
    assert "Q8_0" in made.tensor_mix
    assert told.size_bytes == pytest.approx(header.weights_bytes, abs=2**20 / 100)
    assert leftovers() == []
    listed = await client.request(ListModels(request_id="l"))
    assert isinstance(listed, ModelsListed)
    assert [(model.name, model.is_ours) for model in listed.models] == [("Tiny-Q8_0", True)]
    await client.request(RemoveModel(request_id="r", model_id=made.path))
    assert not is_there(made.path)


async def test_nothing_is_overwritten(client: Client, source: Path) -> None:
    first = await client.request(QuantizeModel(request_id="1", path=str(source), quantization="Q8_0"))
    assert isinstance(first, QuantizeFinished)
    before = written_at(first.path)
    again = await client.request(QuantizeModel(request_id="2", path=str(source), quantization="Q8_0"))
    assert isinstance(again, RequestFailed)
    assert "is there already" in str(again.failure.message)
    assert written_at(first.path) == before


async def test_a_lossy_source_is_taken_only_when_allowed(client: Client, tmp_path: Path) -> None:
    shape = ModelShape("llama", 2, 256, type="Q4_1").each_layer(attention(4, 4, 64), feed_forward(512))
    source = write_sparse(tmp_path / "Some-Q4_1.gguf", shape.metadata, shape.tensors)
    command = QuantizeModel(request_id="1", path=str(source), quantization="Q4_0")
    refused = await client.request(command)
    assert isinstance(refused, RequestFailed)
    assert "lose twice" in str(refused.failure.message)
    allowed = QuantizeModel(
        request_id="2", path=str(source), quantization="Q4_0", allow_requantize=True, is_dry_run=True
    )
    assert isinstance(await client.request(allowed), QuantizeFinished)


async def test_cancel_ends_the_process_and_leaves_no_part(client: Client, starter: Path) -> None:
    command = QuantizeModel(request_id="c", path=str(starter), quantization="F16", allow_requantize=True)
    client.send(command)
    await client.until(QuantizeProgress, "c")
    assert len(quantizers()) == 1
    client.cancel("c")
    end = await client.end_of("c")
    assert isinstance(end, RequestFailed)
    assert end.failure.code is Code.CANCELLED
    assert leftovers() == []
    assert list(folders().models.rglob("*.gguf")) == []
    assert quantizers() == []


async def test_a_disk_without_room_is_refused_before_anything_is_written(
    client: Client, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: _Disk(10**9, 10**9, 1000))
    end = await client.request(QuantizeModel(request_id="1", path=str(source), quantization="Q8_0"))
    assert isinstance(end, RequestFailed)
    assert end.failure.code is Code.DISK_FULL
    assert leftovers() == []


@pytest.mark.parametrize("name", ["F17", "IQ1_S", ""])
async def test_an_unknown_type_names_those_there_are(client: Client, source: Path, name: str) -> None:
    end = await client.request(QuantizeModel(request_id="1", path=str(source), quantization=name))
    assert isinstance(end, RequestFailed)
    assert "Q4_K_M" in str(end.failure.advice)


async def test_a_quantizer_that_dies_is_a_sentence(
    client: Client, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRSTLIGHT_WORKER", "sh -c 'echo out of luck >&2; exit 3'")
    end = await client.request(QuantizeModel(request_id="1", path=str(source), quantization="Q8_0"))
    assert isinstance(end, RequestFailed)
    assert "out of luck" in str(end.failure.message)
    assert leftovers() == []


def test_types_are_ordered_from_fine_to_coarse() -> None:
    bits = [made.bits_per_weight for made in QUANTIZATION_TYPES]
    assert bits == sorted(bits, reverse=True)
    q4 = quantization_type("q4_k_m")
    assert q4 is not None
    assert expected_bytes(8_000_000_000, q4) == pytest.approx(4.85e9)
