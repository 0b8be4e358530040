"""A real server over a host with scripted workers, and a real HTTP client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import fakes
import gguf_files
import httpx2
import pytest

from engine.api.http_server import Server
from engine.host.host import Host
from engine.settings import Models, Settings, folders


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Choose what workers that start from now on do."""

    def choose(**fields: object) -> None:
        monkeypatch.setenv("FIRSTLIGHT_FAKE", fakes.script_json(**fields))

    monkeypatch.setenv("FIRSTLIGHT_WORKER", fakes.fake_command())
    choose()
    return choose


@pytest.fixture
def model(home: Path) -> str:
    """The name of a model in the library."""
    models = folders().models
    models.mkdir(parents=True)
    (models / "tiny.gguf").write_bytes(gguf_files.chat_bytes())
    return "tiny"


@pytest.fixture
async def host(script: Callable[..., None]) -> AsyncIterator[Host]:
    made = Host(Settings(models=Models(last_model="")), folders())
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
async def serve(host: Host) -> AsyncIterator[Callable[..., Awaitable[httpx2.AsyncClient]]]:
    """Start a server with a token or another default model; gives a client for it."""
    started: list[tuple[Server, asyncio.Task[None], httpx2.AsyncClient]] = []

    async def start(**options: str) -> httpx2.AsyncClient:
        server = Server(host, bind="127.0.0.1", port=0, **options)
        task = asyncio.create_task(server.run())
        await server.started()
        client = httpx2.AsyncClient(base_url=server.address, timeout=120, trust_env=False)
        started.append((server, task, client))
        return client

    yield start
    for server, task, client in started:
        await client.aclose()
        server.stop()
        await task


@pytest.fixture
async def client(serve, model: str) -> httpx2.AsyncClient:  # type: ignore[no-untyped-def]
    return await serve(default_model=model)
