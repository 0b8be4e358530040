"""Two processes with the same folder: only one fetches a file, and the other goes on, or tells what came of it."""

from __future__ import annotations

import errno
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hub_server import HubServer
from pull_watcher import Watcher

from engine.errors import HubError
from engine.library import file_lock
from engine.library.downloads import Downloads, PullState, pull_id_of
from engine.library.hub import Hub
from engine.library.transfer import CHUNK_BYTES
from engine.protocol.records import Pull

REPO, FILES = "owner/M-GGUF", ("m.gguf",)
PULL = pull_id_of(REPO, FILES)


class Process:
    """One process's queue, and what it told."""

    def __init__(self, folder: Path, hub: Hub) -> None:
        self.watcher = Watcher()
        self.downloads = Downloads(folder, hub, self.watcher, stall=30.0)


def read(pull: Pull) -> bytes:
    return Path(pull.path).read_bytes()


@pytest.fixture
async def both(
    tmp_path: Path, hub: Hub, server: HubServer, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Process, Process]]:
    """The first one is in the middle of a file that the second one wants too."""
    monkeypatch.setattr(file_lock, "INTERVAL", 0.01)
    server.add(REPO).files = {FILES[0]: content}
    server.fail("stall", after=1_000_000)
    first, second = Process(tmp_path / "models", hub), Process(tmp_path / "models", hub)
    first.downloads.add(REPO, FILES)
    # All that was sent, but for the piece that is no whole chunk: what is under way would be lost, too.
    await first.watcher.until(lambda pull: pull.done_bytes >= 3 * CHUNK_BYTES)
    second.downloads.add(REPO, FILES)
    assert second.watcher.reports[-1].state is PullState.QUEUED
    yield first, second
    await first.downloads.stop()
    await second.downloads.stop()


async def test_the_second_goes_on_where_the_first_ended(
    both: tuple[Process, Process], server: HubServer, content: bytes
) -> None:
    first, second = both
    await first.downloads.stop()
    done = await second.watcher.state(PullState.FINISHED)
    assert read(done) == content
    assert len(server.starts) == 2
    assert server.sent[FILES[0]] - len(content) <= CHUNK_BYTES
    assert list((Path(done.path).parents[2] / ".downloads").glob("*")) == []


async def test_the_second_tells_that_the_first_has_finished(
    both: tuple[Process, Process], server: HubServer, content: bytes
) -> None:
    first, second = both
    await first.downloads.pause(PULL)
    assert (await second.watcher.state(PullState.FINISHED)).path
    first.downloads.resume(PULL)
    done = await first.watcher.state(PullState.FINISHED)
    assert (read(done), done.done_bytes) == (content, len(content))
    assert len(server.starts) == 2


async def test_nobody_cancels_what_another_process_fetches(both: tuple[Process, Process], content: bytes) -> None:
    first, second = both
    with pytest.raises(HubError, match="by another window or command"):
        await second.downloads.cancel(PULL)
    await first.downloads.stop()
    assert read(await second.watcher.state(PullState.FINISHED)) == content


async def test_the_second_tells_that_the_first_was_cancelled(both: tuple[Process, Process]) -> None:
    first, second = both
    await first.downloads.cancel(PULL)
    assert not (await second.watcher.state(PullState.CANCELLED)).path


async def test_a_folder_that_knows_no_locks_holds_nothing_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_handle: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(file_lock.fcntl, "flock", refuse)
    async with file_lock.locked(tmp_path / "a.lock") as has_waited:
        assert not has_waited
