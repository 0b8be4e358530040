"""Files that lie on another host than the hub: signed addresses, the chunk store, and the token that stays at home."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from hub_server import HubServer, serve

from engine.library import transfer
from engine.library.hub import Hub
from engine.library.transfer import CHUNK_BYTES, Transfer

REPO, FILE = "owner/M-GGUF", "m.gguf"


@pytest.fixture
def cdn(server: HubServer, content: bytes) -> Iterator[HubServer]:
    server.add(REPO).files = {FILE: content}
    with serve() as other:
        other.repos = server.repos
        server.cdn = other
        yield other


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "BACKOFF", (0.0,) * 5)


async def fetch(hub: Hub, part: Path) -> None:
    remote = await asyncio.to_thread(hub.file, REPO, FILE)
    await Transfer(hub, remote, part, lambda _n: None, stall=5.0).run()


async def test_another_host_never_sees_the_token(
    server: HubServer, cdn: HubServer, tmp_path: Path, content: bytes
) -> None:
    await fetch(Hub(server.url.replace("127.0.0.1", "localhost"), token="good"), tmp_path / "part")
    assert (tmp_path / "part").read_bytes() == content
    assert set(cdn.tokens) == {""}
    assert set(server.tokens) == {"Bearer good"}


async def test_an_address_that_ran_out_is_asked_for_anew(
    hub: Hub, cdn: HubServer, tmp_path: Path, content: bytes
) -> None:
    cdn.fail("cut", after=1_000_000)
    cdn.fail("status", status=403)
    await fetch(hub, tmp_path / "part")
    assert (tmp_path / "part").read_bytes() == content
    signatures = [path.rpartition("=")[2] for method, path in cdn.requests if method == "GET"]
    assert len(signatures) == len(set(signatures)) == 3
    assert cdn.sent[FILE] - len(content) <= CHUNK_BYTES


async def test_a_file_in_the_chunk_store_comes_over_its_bridge(
    server: HubServer, hub: Hub, cdn: HubServer, tmp_path: Path, content: bytes
) -> None:
    server.is_xet = True
    cdn.fail("cut", after=1_000_000)
    await fetch(hub, tmp_path / "part")
    assert (tmp_path / "part").read_bytes() == content
    assert cdn.starts[0] == 0
    assert cdn.starts[1] >= 1_000_000 - CHUNK_BYTES
    assert not [path for _, path in server.requests if "xet" in path]
