"""The model manager with everything behind it: the real host and a local hub."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from app_scene import emitted, until
from gguf_files import chat_bytes
from hub_server import HubServer
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.core.host_client import HostClient, HostState
from app.core.settings_store import SettingsStore
from app.models.downloads_model import DownloadsModel
from app.models.library_controller import LibraryController
from app.models.model_controller import ModelController
from app.models.model_manager import ModelManager
from app.ui.notice_bar import NoticeBar
from app.ui.theme import Theme
from engine.hardware.roofline import Rooflines
from engine.protocol import RooflineMeasured
from engine.settings import Models, Settings, folders, save_settings

REPO = "owner/Tiny-GGUF"
FILES = {
    "tiny-Q8_0.gguf": chat_bytes() + bytes(2_000_000),
    "tiny-F16.gguf": chat_bytes() + bytes(4_000_000),
}


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
        settings_store = SettingsStore(settings, folders().settings_file, self.client)
        self.downloads = DownloadsModel(self.client)
        self.downloads.follow(self.client)
        self.manager = ModelManager(Theme("light"), self.downloads)
        self.notices = NoticeBar(Theme("light"), self.manager)
        self.models = ModelController(self.client, settings_store, self.client)
        self.library = LibraryController(
            self.manager, self.client, models=self.models, downloads=self.downloads, settings_store=settings_store,
            notices=self.notices,
        )  # fmt: skip

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

    async def open_repo(self) -> None:
        """Its page with the table."""
        await self.find()
        page = self.manager.search
        page.results.selectionModel().clearCurrentIndex()
        page.results.setCurrentIndex(page.results.model().index(0, 0))
        await until(lambda: bool(self.rows))

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
