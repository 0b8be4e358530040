"""The whole app with a scripted host, for tests: a window, a typing user, and waiting for signals."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer, SignalInstance
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.startup.first_window import Look, show_window
from engine.folders import folders
from engine.settings import Settings
from engine.store.chat_values import StoredMessage

FAKE_HOST = (sys.executable, str(Path(__file__).resolve().parent / "fake_host.py"))

Run = Callable[[Coroutine[Any, Any, Any]], Any]


async def emitted(signal: SignalInstance, wanted: Callable[..., bool] = lambda *_: True) -> tuple[Any, ...]:
    """The arguments of the next emission for which `wanted` holds."""
    found: asyncio.Future[tuple[Any, ...]] = asyncio.get_running_loop().create_future()

    def received(*arguments: Any) -> None:
        if not found.done() and wanted(*arguments):
            found.set_result(arguments)

    connection = signal.connect(received)
    try:
        return await found
    finally:
        signal.disconnect(connection)


@contextlib.asynccontextmanager
async def window(
    *arguments: str, settings: Settings | None = None, look: Look | None = None, host: tuple[str, ...] = FAKE_HOST
) -> AsyncIterator[Application]:
    """The whole app with the scripted host, or another, its model loaded; closed in order at the end."""
    shown = show_window(qapp(), folders(), look or Look(theme="light", language="en", size=QSize(1180, 800)))
    application = Application(shown, settings or Settings(), folders(), host_command=(*host, *arguments))
    running = asyncio.get_running_loop().create_task(application.run())
    if "--exit-code" not in arguments:
        await emitted(application.models.status_changed, lambda status: status.state.value in ("warm", "failed"))
    try:
        yield application
    finally:
        application.quit()
        await running


def qapp() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app


def write(application: Application, text: str, *, enter: bool = True) -> None:
    """Type into the composer as a user does."""
    QTest.keyClicks(application.composer.edit, text)
    if enter:
        QTest.keyClick(application.composer.edit, Qt.Key.Key_Return)


async def ask(application: Application, text: str) -> StoredMessage:
    """Type, press Enter, and wait for the answer to be over."""
    finished = asyncio.ensure_future(emitted(application.chats.answer_finished))
    await asyncio.sleep(0)
    write(application, text)
    _, answer = await finished
    return answer


def shown(application: Application) -> list[str]:
    """The texts of the transcript."""
    return [item.content.strip() for item in application.conversation.items()]


async def until(condition: Callable[[], bool]) -> None:
    """Wait until `condition` holds, looking again in every turn of Qt's loop; the test's own time limit bounds it."""
    found: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    timer = QTimer()
    timer.timeout.connect(lambda: found.done() or (condition() and found.set_result(None)))
    timer.start(1)
    try:
        await found
    finally:
        timer.stop()
