"""The model of the downloads: however many reports of one come, its views show a few of them, and always the last."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from app_scene import Run, until
from hub_server import HubServer
from manager_scene import FILES, REPO, Scene, scene
from paint_count import Paints
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from app.models.downloads_model import DownloadsModel
from app.models.line_list import LineDelegate, LineRole
from app.models.model_manager import DOWNLOADS, FIND
from engine.protocol import Pull, PullProgress

N_REPORTS = 2_000


def a_pull(name: str, done: int = 0, state: str = "running") -> Pull:
    return Pull(pull_id=name, repo="owner/repo", files=(name,), state=state, done_bytes=done, total_bytes=100)


def test_the_latest_download_is_the_first_row_and_stays_where_it_is() -> None:
    model = DownloadsModel()
    for name in ("first", "second"):
        model.report(a_pull(name))
    changes: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last: changes.append((first.row(), last.row())))
    model.report(a_pull("first", state="paused"))
    assert model.pulls == (a_pull("second"), a_pull("first", state="paused"))
    lines = [model.index(row).data(LineRole) for row in range(model.rowCount())]
    assert [(line.key, line.state) for line in lines] == [("second", "downloading"), ("first", "paused")]
    assert changes == [(1, 1)]
    assert model.pull("first") == model.pull_of("owner/repo", ("first",)) == a_pull("first", state="paused")
    assert model.pull("third") is model.pull_of("owner/other", ("first",)) is None


def test_a_new_state_is_told_once_and_shown_at_once() -> None:
    model = DownloadsModel()
    told: list[str] = []
    shown: list[Any] = []
    model.state_changed.connect(lambda pull: told.append(pull.state))
    model.changed.connect(shown.append)
    for done in (1, 2, 3):
        model.report(a_pull("a", done))
    assert (told, shown) == (["running"], [(a_pull("a", 1),)])
    for _ in range(2):
        model.report(a_pull("a", 100, "finished"))
    assert told == ["running", "finished"]
    assert model.pulls == (a_pull("a", 100, "finished"),)


def test_what_the_host_lists_takes_the_place_of_what_was_reported() -> None:
    model = DownloadsModel()
    resets: list[None] = []
    told: list[Any] = []
    model.report(a_pull("a", 1))
    model.modelReset.connect(lambda: resets.append(None))
    model.state_changed.connect(told.append)
    model.report(a_pull("a", 2))
    model.set_pulls([a_pull("a", 3)])
    assert (model.pulls, resets) == ((a_pull("a", 3),), [])
    model.set_pulls([a_pull("a", 4), a_pull("b")])
    assert (model.pulls, resets) == ((a_pull("b"), a_pull("a", 4)), [None])
    model._throttle.flush()
    assert model.pull("a") == a_pull("a", 4)
    assert told == []


def tell(it: Scene, name: str, n: int, state: str = "running", repo: str = "owner/repo") -> None:
    """Of a file of 2 GB `n` million bytes are here."""
    pull = Pull(
        pull_id=name, repo=repo, files=(name,), state=state, done_bytes=n * 10**6, total_bytes=2 * 10**9, rate=1e7 + n
    )
    it.client.deliver(PullProgress(pull=pull))


async def flood(it: Scene, *names: str, **fields: Any) -> None:
    """Each report of each download, in some hundred turns of the window's loop."""
    for n in range(1, N_REPORTS + 1):
        for name in names:
            tell(it, name, n, **fields)
        if n % 20 == 0:
            await asyncio.sleep(0)


async def opened(it: Scene, page: int) -> None:
    it.library.open(page)
    await until(lambda: not any(it.library.is_running(work) for work in ("pulls", "models", "machine")))
    assert 1000 / it.downloads._throttle._interval_ms <= 10
    it.downloads._throttle._interval_ms = 3_600_000  # The next look is far away, however slow this machine is.


def facts(it: Scene) -> list[tuple[str, str]]:
    return [(line.facts.split(" · ")[1], line.state) for line in it.manager.downloads.list.lines]


def test_thousands_of_reports_are_a_few_looks_and_the_last_is_shown(run: Run, server: HubServer) -> None:
    async def play() -> None:
        async with scene(server) as it:
            await opened(it, DOWNLOADS)
            lines, tabs = it.manager.downloads.list, it.manager._tabs
            tell(it, "first.gguf", 0)
            tell(it, "second.gguf", 0)
            await until(lambda: len(lines.lines) == 2 and tabs.tabText(DOWNLOADS) == "Downloads · 2")
            for _ in range(5):
                await asyncio.sleep(0)
            painted = Paints(lines.viewport()), Paints(tabs)
            changes: list[object] = []
            lines.model().dataChanged.connect(lambda *_: changes.append(None))
            await flood(it, "first.gguf", "second.gguf")
            assert len(changes) <= 2
            assert max(each.n for each in painted) <= 3
            tell(it, "first.gguf", 1_234, state="paused")
            assert facts(it) == [("2 of 2 GB", "downloading"), ("1.2 of 2 GB", "paused")]
            it.downloads._throttle._interval_ms = 20
            await flood(it, "second.gguf")
            tell(it, "second.gguf", 777)
            await until(lambda: facts(it)[0] == ("0.8 of 2 GB", "downloading"))

    run(play())


def test_a_look_paints_only_the_download_that_went_on(
    run: Run, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: set[int] = set()
    paint = LineDelegate.paint

    def watch(delegate: LineDelegate, painter: QPainter, option: QStyleOptionViewItem, index: Any) -> None:
        paint(delegate, painter, option, index)
        rows.add(index.row())

    monkeypatch.setattr(LineDelegate, "paint", watch)

    async def play() -> None:
        async with scene(server) as it:
            await opened(it, DOWNLOADS)
            for n in range(4):
                tell(it, f"{n}.gguf", 1)
            await until(lambda: rows == {0, 1, 2, 3})
            tabs = Paints(it.manager._tabs)
            for _ in range(5):
                await asyncio.sleep(0)
            rows.clear()
            tabs.n = 0
            for n in range(5, 500, 5):
                tell(it, "1.gguf", n)
                it.downloads._throttle.flush()
                await asyncio.sleep(0)
            await until(lambda: bool(rows))
            assert rows == {2}  # The latest stands above.
            assert tabs.n == 0

    run(play())


def test_the_table_of_another_repository_stays_as_it_is(
    run: Run, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        async with scene(server) as it:
            await opened(it, FIND)
            await it.open_repo()
            table = it.manager.search.table
            fitted: list[None] = []
            fit = table.fit
            monkeypatch.setattr(table, "fit", lambda: (fitted.append(None), fit()))
            for n in range(50):
                tell(it, "elsewhere.gguf", n)
                it.downloads._throttle.flush()
            assert fitted == []
            name = next(iter(FILES))
            tell(it, name, 500, repo=REPO)
            it.downloads._throttle.flush()
            assert fitted
            assert it.rows["Q8_0"] == "25 %"

    run(play())
