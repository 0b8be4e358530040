"""Downloads against every fault of the hub: the file ends verified and complete, or the user has a clear state."""

from __future__ import annotations

import errno
import hashlib
import os
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hub_server import HubServer, serve
from pull_watcher import Watcher

from engine.errors import Code, StorageError
from engine.library import transfer
from engine.library.downloads import Downloads, PullState, pull_id_of
from engine.library.hub import Hub
from engine.library.manifest import Manifest
from engine.library.orphaned_files import orphaned_parts
from engine.library.transfer import CHUNK_BYTES
from engine.protocol.records import Pull

REPO = "owner/M-GGUF"
PULL = pull_id_of(REPO, ("m.gguf",))
STALL = 60.0
"""Seconds without a byte before a connection is given up: more than any server here is held up by chance."""


@pytest.fixture
def watcher() -> Watcher:
    return Watcher()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "BACKOFF", (0.0,) * 5)


@pytest.fixture
async def downloads(tmp_path: Path, hub: Hub, watcher: Watcher) -> AsyncIterator[Downloads]:
    made = Downloads(tmp_path / "models", hub, watcher, stall=STALL)
    yield made
    await made.stop()


def final(downloads: Downloads, file: str = "m.gguf") -> Path:
    return downloads._folder / REPO / file


async def pull(downloads: Downloads, watcher: Watcher) -> Pull:
    downloads.add(REPO, ("m.gguf",))
    return await watcher.state(PullState.FINISHED, PullState.FAILED)


async def test_a_quiet_download_is_verified_and_ours(
    downloads: Downloads, watcher: Watcher, server: HubServer, content: bytes
) -> None:
    server.add(REPO, m__gguf=content)
    done = await pull(downloads, watcher)
    assert (done.state, done.done_bytes, done.path) == (PullState.FINISHED, len(content), str(final(downloads)))
    assert final(downloads).read_bytes() == content
    known = Manifest(downloads._folder).get(final(downloads))
    assert known is not None
    assert known.sha256 == hashlib.sha256(content).hexdigest()
    assert [path.name for path in downloads._folder.rglob("*") if path.is_file()] != []
    assert orphaned_parts(downloads._folder) == []
    assert not list((downloads._folder / ".downloads").glob("*"))


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "cut", "after": 1_000_000, "times": 3},
        {"kind": "stall", "after": 500_000},
        {"kind": "status", "status": 503, "times": 2},
        {"kind": "status", "status": 429, "headers": {"Retry-After": "0"}},
        {"kind": "ignore_range"},
        {"kind": "wrong_range"},
        {"kind": "longer"},
    ],
    ids=lambda fault: f"{fault['kind']}-{fault.get('status', '')}",
)
async def test_after_a_fault_the_file_is_whole(
    downloads: Downloads, watcher: Watcher, server: HubServer, content: bytes, fault: dict[str, object]
) -> None:
    server.add(REPO, m__gguf=content)
    if fault["kind"] in ("ignore_range", "wrong_range"):
        server.fail("cut", after=1_000_000)
    if fault["kind"] == "stall":
        downloads._stall = 0.5
    server.fail(**fault)
    done = await pull(downloads, watcher)
    assert done.state is PullState.FINISHED
    assert final(downloads).read_bytes() == content


async def test_an_interruption_costs_at_most_one_chunk(
    downloads: Downloads, watcher: Watcher, server: HubServer, content: bytes
) -> None:
    server.add(REPO, m__gguf=content)
    server.fail("cut", after=700_001, times=4)
    await pull(downloads, watcher)
    assert server.sent["m.gguf"] - len(content) <= 4 * CHUNK_BYTES


async def test_a_wrong_hash_is_never_a_model(
    downloads: Downloads, watcher: Watcher, server: HubServer, content: bytes
) -> None:
    server.add(REPO, m__gguf=content)
    server.fail("wrong_content")
    failed = await pull(downloads, watcher)
    assert failed.state is PullState.FAILED
    assert failed.failure is not None
    assert "SHA-256" in str(failed.failure.message)
    assert failed.done_bytes == 0
    assert not final(downloads).exists()
    downloads.resume(PULL)
    await watcher.state(PullState.FINISHED)
    assert final(downloads).read_bytes() == content


@pytest.mark.parametrize("is_behind_cdn", [False, True])
@pytest.mark.parametrize("is_longer", [True, False])
async def test_a_file_that_changed_on_the_hub_starts_anew(
    downloads: Downloads, watcher: Watcher, server: HubServer, *, is_longer: bool, is_behind_cdn: bool
) -> None:
    """It is noticed before a byte of it is put behind those of the old one, not by the hash at the end."""
    content = random.Random(5).randbytes(3_000_000)
    with serve() as cdn:
        source = cdn if is_behind_cdn else server
        repo = server.add(REPO, m__gguf=content)
        cdn.repos = server.repos
        server.cdn = cdn if is_behind_cdn else None
        source.fail("stall", after=1_000_000)
        downloads.add(REPO, ("m.gguf",))
        await watcher.until(lambda found: found.done_bytes >= 500_000)
        await downloads.pause(PULL)
        repo.files["m.gguf"] = changed = content[::-1] + b"and longer" * is_longer
        downloads.resume(PULL)
        done = await watcher.state(PullState.FINISHED, PullState.FAILED)
        assert done.failure is None
        assert final(downloads).read_bytes() == changed
        await downloads.stop()


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ({"status": 403, "headers": {"X-Error-Code": "GatedRepo"}}, Code.HUB_GATED),
        ({"status": 401}, Code.HUB_GATED),
        ({"status": 503, "times": 99}, Code.HUB_UNREACHABLE),
    ],
)
async def test_a_refusal_ends_with_its_reason_and_can_be_tried_again(
    downloads: Downloads, watcher: Watcher, server: HubServer, fault: dict[str, object], code: Code
) -> None:
    server.add(REPO, m__gguf=b"x" * 1000)
    server.fail("status", **fault)
    failed = await pull(downloads, watcher)
    assert failed.failure is not None
    assert failed.failure.code is code
    server.faults.clear()
    downloads.resume(PULL)
    assert (await watcher.state(PullState.FINISHED)).failure is None


async def test_pause_keeps_what_came_and_a_restart_goes_on(
    downloads: Downloads, watcher: Watcher, server: HubServer, hub: Hub, content: bytes
) -> None:
    server.add(REPO, m__gguf=content)
    server.fail("stall", after=2_000_000)
    downloads.add(REPO, ("m.gguf",))
    # All that was sent, but for the piece that is no whole chunk: what is under way would be lost, too.
    await watcher.until(lambda found: found.done_bytes >= 7 * CHUNK_BYTES)
    await downloads.pause(PULL)
    again = Downloads(downloads._folder, hub, watcher, stall=STALL)
    again.resume_all()
    assert [(found.state, found.done_bytes >= 1_500_000) for found in again.pulls] == [(PullState.PAUSED, True)]
    again.resume(PULL)
    await watcher.state(PullState.FINISHED)
    assert final(downloads).read_bytes() == content
    assert server.sent["m.gguf"] - len(content) <= 2 * CHUNK_BYTES
    await again.stop()


async def test_a_stopped_queue_goes_on_by_itself(
    downloads: Downloads, watcher: Watcher, server: HubServer, hub: Hub, content: bytes
) -> None:
    server.add(REPO, m__gguf=content)
    server.fail("stall", after=1_000_000)
    downloads.add(REPO, ("m.gguf",))
    await watcher.until(lambda found: found.done_bytes >= 500_000)
    await downloads.stop()
    again = Downloads(downloads._folder, hub, watcher, stall=STALL)
    again.resume_all()
    await watcher.state(PullState.FINISHED)
    assert final(downloads).read_bytes() == content


async def test_cancel_removes_the_parts_and_twice_is_no_error(
    downloads: Downloads, watcher: Watcher, server: HubServer, content: bytes
) -> None:
    server.add(REPO, m__gguf=content)
    server.fail("stall", after=1_000_000)
    downloads.add(REPO, ("m.gguf",))
    await watcher.until(lambda found: found.done_bytes >= 500_000)
    await downloads.cancel(PULL)
    await downloads.cancel(PULL)
    assert watcher.reports[-1].state is PullState.CANCELLED
    assert [path for path in downloads._folder.rglob("*") if path.is_file()] == []


async def test_a_part_that_somebody_deletes_is_fetched_again(
    downloads: Downloads, watcher: Watcher, server: HubServer, content: bytes
) -> None:
    server.add(REPO, m__gguf=content)
    server.fail("stall", after=1_000_000)
    downloads.add(REPO, ("m.gguf",))
    await watcher.until(lambda found: found.done_bytes >= 500_000)
    next(downloads._folder.rglob("*.part")).unlink()
    server.released.set()
    assert (await watcher.state(PullState.FINISHED, PullState.FAILED)).failure is None
    assert final(downloads).read_bytes() == content


async def test_a_file_that_was_cut_since_is_fetched_whole_again(
    downloads: Downloads, watcher: Watcher, hub: Hub, server: HubServer, content: bytes
) -> None:
    server.add(REPO, m__gguf=content)
    await pull(downloads, watcher)
    final(downloads).write_bytes(content[:1000])
    later = Watcher()
    again = Downloads(downloads._folder, hub, later, stall=STALL)
    done = await pull(again, later)
    await again.stop()
    assert (done.state, done.done_bytes) == (PullState.FINISHED, len(content))
    assert final(downloads).read_bytes() == content


async def test_a_split_model_is_one_item(
    downloads: Downloads, watcher: Watcher, server: HubServer, content: bytes
) -> None:
    files = tuple(f"m-0000{number}-of-00003.gguf" for number in (1, 2, 3))
    repo = server.add(REPO)
    repo.files = {file: content[: 400_000 * number] for number, file in enumerate(files, 1)}
    server.fail("cut", path=files[1], after=300_000)
    downloads.add(REPO, files)
    done = await watcher.state(PullState.FINISHED)
    assert (done.total_bytes, done.done_bytes) == (2_400_000, 2_400_000)
    assert all(final(downloads, file).read_bytes() == repo.files[file] for file in files)


async def test_a_full_disk_before_and_during_is_said_and_can_go_on(
    downloads: Downloads, watcher: Watcher, server: HubServer, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.add(REPO, m__gguf=content)
    with monkeypatch.context() as full:
        full.setattr(transfer, "RESERVE_BYTES", 1 << 62)
        before = await pull(downloads, watcher)
    assert before.failure is not None
    assert before.failure.code is Code.DISK_FULL
    with monkeypatch.context() as full:
        write, room = os.write, [1_000_000]

        def limited(handle: int, data: bytes) -> int:
            room[0] -= len(data)
            if room[0] < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return write(handle, data)

        full.setattr(transfer.os, "write", limited)
        downloads.resume(PULL)
        await watcher.state(PullState.RUNNING)
        during = await watcher.state(PullState.FAILED)
    assert during.failure is not None
    assert during.failure.code is Code.DISK_FULL
    downloads.resume(PULL)
    await watcher.state(PullState.FINISHED)
    assert final(downloads).read_bytes() == content


async def test_the_same_files_are_one_download(
    downloads: Downloads, watcher: Watcher, server: HubServer, content: bytes
) -> None:
    server.add(REPO, m__gguf=content)
    first = downloads.add(REPO, ("m.gguf",))
    assert downloads.add(REPO, ("m.gguf",)).pull_id == first.pull_id
    await watcher.state(PullState.FINISHED)
    assert server.sent["m.gguf"] == len(content)
    assert [found.pull_id for found in downloads.pulls] == [PULL]


async def test_a_name_that_leaves_our_folder_is_refused(downloads: Downloads, server: HubServer) -> None:
    with pytest.raises(StorageError, match="outside our folder"):
        downloads.add(REPO, ("../../../evil.gguf",))
    assert server.requests == []
