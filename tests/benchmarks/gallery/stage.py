"""Where the scenes of the gallery play, and what they share."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

from app_scene import FAKE_HOST, emitted, until, window
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from app.application import Application
from app.startup.first_window import Look
from app.transcript.transcript_view import Transcript
from app.ui import theme as themes
from engine.folders import folders
from engine.settings import Settings
from engine.store.chats import ChatStore, open_store

_REST_S = 0.12
"""Until timers have run out, and what they began has been painted."""

W = TypeVar("W", bound=QWidget)

Scene = Callable[["Stage"], Coroutine[Any, Any, None]]


class Stage:
    """Where a scene plays: one language, theme and scale."""

    def __init__(self, folder: Path, language: str, theme: str) -> None:
        self.folder, self.language, self.theme = folder, language, theme
        self.n_shots = 0

    @property
    def is_chinese(self) -> bool:
        return self.language == "zh_CN"

    @contextlib.contextmanager
    def store(self) -> Iterator[ChatStore]:
        """The chats, to be filled before the app opens them."""
        places = folders()
        places.data.mkdir(parents=True, exist_ok=True)
        store, _ = open_store(places.chats_file)
        try:
            yield store
        finally:
            store.close()

    @contextlib.asynccontextmanager
    async def app(
        self, *host_arguments: str, settings: Settings | None = None, size: QSize | None = None,
        host: tuple[str, ...] = FAKE_HOST,
    ) -> AsyncIterator[Application]:  # fmt: skip
        """The whole app over the scripted host, or over another; its transcript is there, and its chats are read."""
        is_wish = self.theme == "high_contrast_light"
        if is_wish:  # No choice of the app's: it comes from the system.
            themes.wishes_contrast = lambda: True
        theme = "system" if is_wish else self.theme
        look = Look(theme=theme, language=self.language, size=size or QSize(1180, 800))
        async with window(*host_arguments, settings=settings, look=look, host=host) as application:
            await until(lambda: application.transcript is not None and application.latency is not None)
            await application.database.store()
            yield application

    async def shot(self, widget: QWidget, name: str) -> None:
        """Save what `widget` shows, with the menus, lists and dialogs that are open over its window."""
        await self.rest()
        picture = widget.grab()
        if widget.isWindow():
            picture = _with_what_is_over(widget, picture)
        self.folder.mkdir(parents=True, exist_ok=True)
        picture.save(str(self.folder / f"{name}.png"))
        self.n_shots += 1

    def keep(self, file: Path, name: str) -> None:
        """Put a file that the app has written beside the pictures."""
        self.folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, self.folder / name)

    async def rest(self) -> None:
        """Let timers run out, and everything in view be laid out, typeset and coloured."""
        await asyncio.sleep(_REST_S)
        for transcript in _shown(Transcript):
            transcript.finish_drawing()
        await asyncio.sleep(_REST_S)


def send(app: Application, text: str) -> None:
    """Put a text into the composer and press Enter: QTest can type ASCII only."""
    app.composer.set_text(text)
    QTest.keyClick(app.composer.edit, Qt.Key.Key_Return)


async def ask(app: Application, text: str) -> None:
    """Send a message, and wait for the answer to be over."""
    finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
    await asyncio.sleep(0)
    send(app, text)
    await finished


def opened(kind: type[W]) -> W:
    """The newest open dialog, list or menu of this kind."""
    return _shown(kind)[-1]


def close_dialogs(app: Application) -> None:
    """Close what the scene has opened over the window."""
    for dialog in app.window.findChildren(QDialog):
        if dialog.isVisible():
            dialog.reject()


def _shown(kind: type[Any]) -> list[Any]:
    return [each for each in QApplication.allWidgets() if isinstance(each, kind) and each.isVisible()]


def _with_what_is_over(window: QWidget, picture: QPixmap) -> QPixmap:
    """The window's picture and those of the other windows, each in its place, on a ground that holds them all."""
    origin, scale = window.frameGeometry().topLeft(), picture.devicePixelRatio()
    under = set(_windows_under(window))
    over = [each for each in QApplication.topLevelWidgets() if each.isVisible() and each not in under]
    whole = QRect(QPoint(0, 0), window.size())
    for each in over:
        whole = whole.united(each.geometry().translated(-origin))
    ground = QPixmap(whole.size() * scale)
    ground.setDevicePixelRatio(scale)
    ground.fill("#808080")
    painter = QPainter(ground)
    painter.drawPixmap(-whole.topLeft(), picture)
    for each in over:
        place = each.geometry().translated(-origin - whole.topLeft())
        painter.drawPixmap(place.topLeft(), each.grab())
        if isinstance(each, QDialog):  # It has a frame on a desktop.
            painter.setPen("#808080")
            painter.drawRect(place.adjusted(-1, -1, 0, 0))
    painter.end()
    return ground


def _windows_under(window: QWidget) -> Iterator[QWidget]:
    """The window itself, and those that it was opened from."""
    below: QWidget | None = window
    while below is not None:
        yield below.window()
        below = below.window().parentWidget()
