"""From a search to a model that is ready, through the interface only: the real host and a local hub."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from app_scene import Run, emitted, until
from gguf_files import chat_bytes
from hub_server import HubServer, serve
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.host_client import HostClient, HostState
from app.model_controller import ModelController
from app.model_manager_feed import ModelManagerFeed
from app.preferences import Preferences
from app.settings_sync import SettingsSync
from app.theme import Theme
from app.widgets.models import ModelManager
from engine.hardware.roofline import Rooflines
from engine.protocol import RooflineMeasured
from engine.settings import Models, Settings, folders, save_settings

REPO = "owner/Tiny-GGUF"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv("FIRSTLIGHT_STARTER", str(tmp_path / "none.gguf"))
    with serve() as running:
        running.add(REPO).files = {
            "tiny-Q8_0.gguf": chat_bytes() + bytes(2_000_000),
            "tiny-F16.gguf": chat_bytes() + bytes(4_000_000),
        }
        yield running


class Scene:
    """The manager with everything behind it."""

    def __init__(self, server: HubServer) -> None:
        settings = Settings(models=Models(hub_endpoint=server.url, last_model=""))
        save_settings(settings, folders().settings_file)
        known = RooflineMeasured(device="CPU", bandwidth=2e10, prefill_flops=1e11)
        Rooflines(folders().cache / "rooflines.json").learn(
            "CPU", Rooflines()._cpu_description, bandwidth=known.bandwidth, prefill_flops=known.prefill_flops
        )
        self.client = HostClient()
        preferences = Preferences(settings, folders().settings_file)
        sync = SettingsSync(self.client, preferences, self.client)
        self.manager = ModelManager(Theme("light"))
        self.feed = ModelManagerFeed(
            self.manager, self.client, ModelController(self.client, preferences), preferences, sync
        )

    @property
    def rows(self) -> dict[str, str]:
        model = self.manager.search.table.rows
        return {item.fit.name: model.action(item) for item in model.items}

    async def find(self) -> None:
        """Search for the tiny models, as a user does."""
        field = self.manager.search.field
        field.clear()
        QTest.keyClicks(field, "tiny")
        QTest.keyClick(field, Qt.Key.Key_Return)
        await until(lambda: [line.key for line in self.manager.search.results.lines] == [REPO])

    async def press(self, name: str) -> None:
        """Enter on a row of the table."""
        table = self.manager.search.table
        names = [item.fit.name for item in table.rows.items]
        table.setCurrentIndex(table.rows.index(names.index(name), 0))
        QTest.keyClick(table, Qt.Key.Key_Return)


@contextlib.asynccontextmanager
async def scene(server: HubServer) -> AsyncIterator[Scene]:
    made = Scene(server)
    made.client.start()
    if made.client.state is not HostState.READY:
        await emitted(made.client.state_changed, lambda state: state is HostState.READY)
    try:
        yield made
    finally:
        await made.client.stop()
        made.manager.close()
        made.manager.deleteLater()


def test_search_choose_download_and_have_it(run: Run, server: HubServer) -> None:
    async def play() -> None:
        async with scene(server) as it:
            it.feed.open(1)
            page = it.manager.search
            await it.find()
            page.results.setCurrentIndex(page.results.model().index(0, 0))
            await until(lambda: it.rows == {"Q8_0": "Download", "F16": "Download"})
            assert "1 layers" in page._facts.text()
            await it.press("Q8_0")
            await until(lambda: it.rows["Q8_0"] == "On this computer")
            names = [line.title for line in it.manager.local.list.lines]
            assert names == ["tiny-Q8_0"]
            assert it.manager.downloads.list.lines[0].state == "ready"

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
            text, undo = await emitted(it.feed.undo_offered)
            assert "tiny-F16" in text
            assert it.manager.local.list.lines == ()
            undo()
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
