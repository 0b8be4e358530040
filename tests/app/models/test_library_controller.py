"""From a search to a model that is ready, through the interface only: the real host and a local hub."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from app_scene import Run, until
from gguf_files import chat_bytes
from hub_server import HubServer, serve
from manager_scene import FILES, REPO, scene
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv("FIRSTLIGHT_STARTER", str(tmp_path / "none.gguf"))
    with serve() as running:
        running.add(REPO).files = dict(FILES)
        yield running


def test_search_choose_download_and_have_it(run: Run, server: HubServer) -> None:
    async def play() -> None:
        async with scene(server) as it:
            it.feed.open(1)
            page = it.manager.search
            await it.find()
            page.results.setCurrentIndex(page.results.model().index(0, 0))
            await until(lambda: it.rows == {"Q8_0": "Download", "F16": "Download"})
            assert "1 layer " in f"{page._facts.text()} "
            await it.press("Q8_0")
            await until(lambda: it.rows["Q8_0"] == "On this computer")
            names = [line.title for line in it.manager.local.list.lines]
            assert names == ["tiny-Q8_0"]
            downloads = it.manager.downloads
            assert downloads.list.lines[0].state == "ready"
            await until(lambda: not downloads.chat_button.isHidden())
            wanted: list[bool] = []
            it.feed.chat_wanted.connect(lambda: wanted.append(True))
            downloads.chat_button.click()
            assert wanted
            assert it.models.model_id.endswith("tiny-Q8_0.gguf")
            assert it.models.status.name == "tiny-Q8_0"
            it.models.cancel_load()

    run(play())


def test_moving_the_context_changes_every_row(run: Run, server: HubServer) -> None:
    async def play() -> None:
        async with scene(server) as it:
            it.feed.open(1)
            page = it.manager.search
            await it.find()
            page.results.setCurrentIndex(page.results.model().index(0, 0))
            await until(lambda: bool(it.rows))
            before = [item.fit.kv_bytes for item in page.table.rows.items]
            page._slider.setValue(page._slider.minimum())
            page._kv.button(2).click()
            await until(lambda: [item.fit.kv_bytes for item in page.table.rows.items] != before)
            after = [item.fit.kv_bytes for item in page.table.rows.items]
            assert all(new < old for new, old in zip(after, before, strict=True))

    run(play())


def test_before_a_search_the_catalogue_is_there_without_a_connection(run: Run, server: HubServer) -> None:
    async def play() -> None:
        server.fail("status", status=503, times=99)
        async with scene(server) as it:
            it.feed.open(1)
            page = it.manager.search
            await until(lambda: len(page.results.lines) >= 12)
            assert page.results.lines[0].state == "recommended"
            await asyncio.sleep(0)
            n_asked = len(server.requests)
            assert n_asked == 0
            server.faults.clear()
            await it.find()
            page.field.clear()
            QTest.keyClick(page.field, Qt.Key.Key_Return)
            assert len(page.results.lines) >= 12

    run(play())


def test_a_hub_that_is_down_is_a_sentence_in_place(run: Run, server: HubServer) -> None:
    async def play() -> None:
        async with scene(server) as it:
            server.fail("status", status=503, times=99)
            it.feed.open(1)
            QTest.keyClicks(it.manager.search.field, "tiny")
            QTest.keyClick(it.manager.search.field, Qt.Key.Key_Return)
            await until(lambda: "503" in it.manager.search.status.text())
            assert it.manager.search.results.lines == ()  # What stood there answered another question.
            server.faults.clear()
            await it.find()
            assert it.manager.search.status.text() == ""

    run(play())


def test_delete_can_be_undone(run: Run, server: HubServer) -> None:
    async def play() -> None:
        async with scene(server) as it:
            it.feed.open(1)
            page = it.manager.search
            await it.find()
            page.results.setCurrentIndex(page.results.model().index(0, 0))
            await until(lambda: bool(it.rows))
            await it.press("F16")
            await until(lambda: [line.title for line in it.manager.local.list.lines] == ["tiny-F16"])
            it.manager.local._remove.click()
            await until(lambda: "undo" in it.manager.notices.buttons)
            assert it.manager.notices.isVisible()  # The chat's window is behind this one.
            assert it.manager.notices.texts == ["tiny-F16 was moved to Firstlight's trash."]
            assert it.manager.local.list.lines == ()
            it.manager.notices.buttons["undo"].click()
            await until(lambda: [line.title for line in it.manager.local.list.lines] == ["tiny-F16"])

    run(play())


def test_a_folder_of_the_user_is_used_in_place(run: Run, server: HubServer, tmp_path: Path) -> None:
    async def play() -> None:
        folder = tmp_path / "mine"
        folder.mkdir()
        (folder / "own.gguf").write_bytes(chat_bytes())
        async with scene(server) as it:
            it.feed.open()
            it.feed.add_folder(str(folder))
            await until(lambda: [line.title for line in it.manager.local.list.lines] == ["own"])
            assert not it.manager.local._remove.isEnabled()

    run(play())
