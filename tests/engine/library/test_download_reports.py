"""Progress of a download is told ten times a second however fast it comes, and the last of it always is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest
from hub_server import HubServer
from pull_watcher import Watcher

from engine.library import transfer
from engine.library.downloads import Downloads, PullState, pull_id_of
from engine.library.hub import Hub
from engine.library.transfer import CHUNK_BYTES
from engine.protocol.records import Pull

REPO = "owner/M-GGUF"
PULL = pull_id_of(REPO, ("m.gguf",))
N_CHUNKS = 48
CONTENT = bytes(N_CHUNKS * CHUNK_BYTES)
STATES = [
    PullState.QUEUED, PullState.RUNNING, PullState.RUNNING, PullState.VERIFYING, PullState.RUNNING, PullState.FINISHED,
]  # fmt: skip
"""Told at once, at any pace: it waits, it may run, its size is known, it is checked, the next is due, it is here."""


class Clock:
    """The loop's own clock, moved by hand: `per_chunk` seconds with each chunk that is written."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.per_chunk = 0.0


class TimedWatcher(Watcher):
    """Knows when each report came."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock
        self.times: list[float] = []

    def __call__(self, pull: Pull) -> None:
        self.times.append(self.clock.now)
        super().__call__(pull)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    append = transfer._PartFile.append

    def written(file: transfer._PartFile, piece: bytes) -> None:
        append(file, piece)
        made.now += made.per_chunk

    monkeypatch.setattr(transfer._PartFile, "append", written)
    return made


@pytest.fixture
def watcher(clock: Clock) -> TimedWatcher:
    return TimedWatcher(clock)


@pytest.fixture
async def downloads(
    tmp_path: Path, hub: Hub, watcher: TimedWatcher, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Downloads]:
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: watcher.clock.now)
    server.add(REPO, m__gguf=CONTENT)
    made = Downloads(tmp_path / "models", hub, watcher)
    yield made
    server.released.set()
    await made.stop()


async def test_however_many_chunks_come_at_once_only_changes_of_state_are_told(
    downloads: Downloads, watcher: TimedWatcher
) -> None:
    downloads.add(REPO, ("m.gguf",))
    await watcher.state(PullState.FINISHED, PullState.FAILED)
    assert [pull.state for pull in watcher.reports] == STATES
    assert [pull.done_bytes for pull in watcher.reports] == [0, 0, 0, len(CONTENT), len(CONTENT), len(CONTENT)]


async def test_ten_reports_a_second_and_none_is_late(downloads: Downloads, clock: Clock, watcher: TimedWatcher) -> None:
    clock.per_chunk = 0.03
    downloads.add(REPO, ("m.gguf",))
    await watcher.state(PullState.FINISHED, PullState.FAILED)
    checked = next(at for at, pull in enumerate(watcher.reports) if pull.state is PullState.VERIFYING)
    times = watcher.times[2:checked]  # From when its size was known.
    gaps = [after - before for before, after in pairwise(times)]
    assert len(gaps) >= N_CHUNKS * 0.03 / (0.1 + 3 * 0.03)
    assert all(0.1 - 1e-6 <= gap <= 0.1 + 3 * 0.03 for gap in gaps)
    shares = [pull.done_bytes for pull in watcher.reports[: checked + 1]]
    assert shares == sorted(shares)
    assert shares[-1] == len(CONTENT)


async def test_the_last_that_came_before_a_stall_is_told(
    downloads: Downloads, clock: Clock, watcher: TimedWatcher, server: HubServer
) -> None:
    server.fail("stall", after=20 * CHUNK_BYTES)
    downloads.add(REPO, ("m.gguf",))
    while downloads.pulls[0].done_bytes < 20 * CHUNK_BYTES:
        await asyncio.to_thread(time.sleep, 0.001)  # The loop's own clock stands still.
    assert watcher.reports[-1].done_bytes == 0  # No time has passed.
    clock.now += 0.1
    for _ in range(3):
        await asyncio.sleep(0)
    assert watcher.reports[-1].done_bytes == 20 * CHUNK_BYTES
