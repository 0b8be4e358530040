"""Fixtures of the host's tests: a host whose workers are scripted, and small model files."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import fakes
import gguf_files
import psutil
import pytest
from host_client_stub import Client

from engine.host.host import Host
from engine.settings import Models, Performance, Settings, folders

SETTINGS = Settings(models=Models(last_model=""), performance=Performance(warm_memory_bytes=1 << 40, max_warm_models=8))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Choose what workers that start from now on do."""

    def choose(**fields: object) -> None:
        monkeypatch.setenv("FIRSTLIGHT_FAKE", fakes.script_json(**fields))

    monkeypatch.setenv("FIRSTLIGHT_WORKER", fakes.fake_command())
    choose()
    return choose


@pytest.fixture
def make_model(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a small model file that passes every check."""

    def make(name: str = "tiny") -> Path:
        path = tmp_path / f"{name}.gguf"
        path.write_bytes(gguf_files.chat_bytes())
        return path

    return make


@pytest.fixture
def model(make_model: Callable[[str], Path]) -> Path:
    return make_model("tiny")


@pytest.fixture
def settings() -> Settings:
    return SETTINGS


@pytest.fixture
async def host(script: Callable[..., None], settings: Settings) -> AsyncIterator[Host]:
    host = Host(settings, folders())
    await host.start()
    yield host
    workers = [model.pid for model in host.pool]
    await host.stop()
    assert not [pid for pid in workers if pid and psutil.pid_exists(pid)]


@pytest.fixture
def client(host: Host) -> Client:
    return Client(host)
