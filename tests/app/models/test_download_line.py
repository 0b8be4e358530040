"""The sidebar tells of downloads that go on, and is quiet otherwise."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from app_scene import Run, until, window
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.chat_list.chat_list_model import ChatListModel
from app.chat_list.sidebar import Sidebar
from app.core.host_client import HostClient, HostState
from app.models.download_line import DownloadLine
from app.models.downloads_model import DownloadsModel
from app.models.model_manager import DOWNLOADS
from app.ui.theme import Theme
from engine.errors import Code, Failure
from engine.protocol import Pull, PullFinished, PullProgress

Tell = Callable[..., None]


@pytest.fixture
def client(qtbot: QtBot) -> HostClient:
    return HostClient()


@pytest.fixture
def downloads(client: HostClient) -> DownloadsModel:
    model = DownloadsModel(client)
    model.follow(client)
    return model


@pytest.fixture
def line(qtbot: QtBot, downloads: DownloadsModel) -> DownloadLine:
    sidebar = Sidebar(ChatListModel(), Theme("light"))
    sidebar.resize(240, 600)
    qtbot.addWidget(sidebar)
    made = DownloadLine(sidebar.theme, downloads)
    sidebar.add_line(made)
    sidebar.show()
    return made


@pytest.fixture
def tell(client: HostClient) -> Tell:
    def told(name: str, state: str = "running", done: int = 0, **fields: object) -> None:
        fields = {"total_bytes": 1_000_000_000} | fields
        pull = Pull(
            pull_id=name, repo="owner/repo", files=(f"sub/{name}.gguf",), state=state, done_bytes=done * 10**6, **fields  # type: ignore[arg-type]
        )  # fmt: skip
        kind = PullFinished if state in ("finished", "cancelled") else PullProgress
        client.deliver(kind(pull=pull))

    return told


def test_one_download_is_told_with_its_name_and_share(line: DownloadLine, tell: Tell) -> None:
    assert line.isHidden()
    tell("Tiny-Q4", done=420, rate=12_000_000.0, seconds_left=48.0)
    assert line.isVisible()
    assert line.text() == "Tiny-Q4 42 %"
    assert line.toolTip() == "Tiny-Q4\n0.4 / 1 GB · 12 MB/s · 48 s left"
    tell("Tiny-Q4", state="verifying", done=1000)
    assert line.text() == "Tiny-Q4 verifying"
    tell("Tiny-Q4", state="finished", done=1000)
    assert line.isHidden()


def test_several_are_told_together_and_paused_ones_are_not(line: DownloadLine, tell: Tell) -> None:
    tell("first", done=250)
    tell("second", state="queued")
    assert line.text() == "2 downloads 12 %"
    tell("second", state="paused")
    assert line.text() == "first 25 %"
    tell("first", state="paused", done=250)
    assert line.isHidden()


def test_a_long_name_is_cut_and_its_share_is_not(line: DownloadLine, tell: Tell) -> None:
    tell("A-very-long-name-of-a-model-that-nobody-can-read-Q4_K_M", done=999)
    assert line.text().endswith("… 99 %") or ("…" in line.text() and line.text().endswith(" 99 %"))
    assert line.width() <= 240
    assert line.accessibleName() == "A-very-long-name-of-a-model-that-nobody-can-read-Q4_K_M 99 %"


def test_one_that_stopped_stays_until_it_was_seen(line: DownloadLine, tell: Tell) -> None:
    failure = Failure(code=Code.DISK_FULL, message="The disk is full.")
    tell("Tiny-Q4", state="failed", done=100, failure=failure)
    assert (line.text(), line.toolTip()) == ("Tiny-Q4 stopped", "The disk is full.")
    line.click()
    assert line.isHidden()
    tell("Tiny-Q4", done=100)
    tell("Tiny-Q4", state="failed", done=100, failure=failure)
    assert line.text() == "Tiny-Q4 stopped"


def test_one_that_had_stopped_before_is_not_told(line: DownloadLine, downloads: DownloadsModel) -> None:
    downloads.set_pulls([Pull(pull_id="1", repo="owner/repo", files=("f.gguf",), state="failed")])
    assert line.isHidden()


def test_a_host_that_is_gone_downloads_nothing(
    line: DownloadLine, tell: Tell, client: HostClient, downloads: DownloadsModel
) -> None:
    tell("Tiny-Q4", done=100)
    tell("Other", state="paused")
    client.state_changed.emit(HostState.FAILED)
    assert line.isHidden()
    assert [pull.pull_id for pull in downloads.pulls] == ["Other"]


def test_it_is_painted_anew_only_when_it_says_something_else(
    line: DownloadLine, tell: Tell, downloads: DownloadsModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell("Tiny-Q4", done=100)
    rings: list[int] = []
    monkeypatch.setattr(line, "setIcon", lambda _icon: rings.append(1))
    for done in range(100, 104):
        tell("Tiny-Q4", done=done)
        downloads._throttle.flush()
    assert rings == []
    tell("Tiny-Q4", done=120)
    downloads._throttle.flush()
    assert rings == [1]


def test_the_line_opens_the_downloads_of_the_manager(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            pull = Pull(pull_id="1", repo="owner/repo", files=("tiny.gguf",), state="running", total_bytes=10)
            application.client.deliver(PullProgress(pull=pull))
            line = application.download_line
            assert line.isVisible()
            QTest.mouseClick(line, Qt.MouseButton.LeftButton)
            manager = application.library.manager
            await until(manager.isVisible)
            assert manager._tabs.currentIndex() == DOWNLOADS

    run(scene())


def test_a_models_settings_are_reached_from_the_library(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            application.library.open()
            local = application.library.manager.local
            await until(lambda: local.current is not None)
            local._settings.click()
            dialog = application.settings.dialog
            assert dialog is not None
            assert dialog._stack.currentWidget() is dialog.loading
            assert dialog.loading.scope.currentText() == "Only SmolLM2 135M"
            dialog.close()

    run(scene())
