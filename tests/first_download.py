"""From a first start to the first token of a model that was just downloaded, through the interface only."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

from app_scene import emitted, qapp, until, write
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.application import Application
from app.models.model_status import ModelState
from app.startup.first_window import Look, show_window
from engine.folders import folders
from engine.settings import Settings
from engine.store.chat_values import StoredMessage

REPO = "newcomer/SmolLM2-Renamed-GGUF"
FILE = "Renamed-Q8_0.gguf"

Show = Callable[[str, QWidget], None]
"""Told of each step, with what is to be seen."""


@contextlib.asynccontextmanager
async def first_start() -> AsyncIterator[Application]:
    """The whole app with its real host, in a fresh home; HF_ENDPOINT says where the hub is."""
    shown = show_window(qapp(), folders(), Look(theme="light", language="en", size=QSize(1180, 800)))
    application = Application(shown, Settings(), folders())
    running = asyncio.get_running_loop().create_task(application.run())
    try:
        yield application
    finally:
        application.quit()
        await running


async def play(application: Application, show: Show) -> StoredMessage:
    """Download, load, ask, and stop after the first token: how long a story gets is the model's affair."""
    await until(lambda: application.models.status.state is ModelState.WARM and application.transcript is not None)
    welcome = application.window.welcome
    await until(lambda: bool(welcome.hardware and welcome.recommended_repo))
    show("1-first-start", application.window)
    QTest.mouseClick(application.sidebar.models, Qt.MouseButton.LeftButton)
    manager = application.library.manager
    page = manager.search
    await until(lambda: len(page.results.lines) > 5 and bool(manager.local.list.lines))
    show("2-models", manager)
    manager.show_page(1)
    show("3-catalogue", manager)
    QTest.keyClicks(page.field, "renamed")
    QTest.keyClick(page.field, Qt.Key.Key_Return)
    await until(lambda: [line.key for line in page.results.lines] == [REPO])
    QTest.mouseClick(
        page.results.viewport(), Qt.MouseButton.LeftButton,
        pos=page.results.visualRect(page.results.model().index(0, 0)).center(),
    )  # fmt: skip
    await until(lambda: page.table.rows.rowCount() == 1)
    show("4-quantizations", manager)
    page.table.setCurrentIndex(page.table.rows.index(0, 0))
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    await until(lambda: page.table.rows.item(0).is_here)
    show("5-downloaded", manager)
    manager.show_page(0)
    new = next(line for line in manager.local.list.lines if line.title == FILE.removesuffix(".gguf"))
    row = manager.local.list.lines.index(new)
    QTest.mouseClick(
        manager.local.list.viewport(), Qt.MouseButton.LeftButton,
        pos=manager.local.list.visualRect(manager.local.list.model().index(row, 0)).center(),
    )  # fmt: skip
    await until(manager.local.load_button.isVisible)
    show("6-chosen", manager)
    QTest.mouseClick(manager.local.load_button, Qt.MouseButton.LeftButton)
    status = application.models
    await until(lambda: status.model_id == new.key and status.status.state is ModelState.WARM)
    manager.close()
    show("7-loaded", application.window)
    assert application.transcript is not None
    painted = asyncio.ensure_future(emitted(application.transcript.first_token_painted))
    finished = asyncio.ensure_future(emitted(application.chats.answer_finished))
    await asyncio.sleep(0)
    write(application, "Tell me a story about a lighthouse.")
    await painted
    show("8-first-token", application.window)
    QTest.mouseClick(application.composer.send, Qt.MouseButton.LeftButton)
    _, answer = await finished
    return answer
