"""Pictures of the app, state by state, for eyes: what the walks through its features share.

A walk is a file with scenes, run by hand; each language, theme and scale has a process of its own:

    python tests/benchmarks/gallery_chat.py DIR [--language en zh_CN] [--theme light dark] [--scale 1 2] [--only NAME]

A scene is `async def name(stage: Stage)`. It opens the whole app over a scripted host and over a folder of its own,
brings it into one state after the other, and takes a picture of each: DIR/LANGUAGE-THEME-SCALEx/NAME.png.
"""

# ruff: noqa: E402 - where the scenes of the tests lie has to be said first.

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import qasync
from app_scene import FAKE_HOST, emitted, until, window
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app import tasks
from app.application import Application
from app.first_window import Look, make_application
from app.widgets.transcript import Transcript
from engine.folders import folders
from engine.settings import Settings
from engine.store.chats import ChatStore, open_store

_REST_S = 0.12
"""Until timers have run out, and what they began has been painted."""

W = TypeVar("W", bound=QWidget)
_SCREEN = {"name": "large", "x": 0, "y": 0, "width": 2880, "height": 1800, "dpr": 1, "logicalDpi": 96}
"""Where menus and dialogs have room also at twice the scale."""

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
        look = Look(theme=self.theme, language=self.language, size=size or QSize(1180, 800))
        async with window(*host_arguments, settings=settings, look=look, host=host) as application:
            await until(lambda: application.transcript is not None and application.latency is not None)
            await application.archive.store()
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
        painter.drawPixmap(each.geometry().topLeft() - origin - whole.topLeft(), each.grab())
    painter.end()
    return ground


def _windows_under(window: QWidget) -> Iterator[QWidget]:
    """The window itself, and those that it was opened from."""
    below: QWidget | None = window
    while below is not None:
        yield below.window()
        below = below.window().parentWidget()


def main(scenes: Sequence[Scene]) -> None:
    """Play the scenes as the command line asks; exits with 1 when one of them fails."""
    names = [scene.__name__ for scene in scenes]
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("folder", type=Path, metavar="DIR")
    reader.add_argument("--language", nargs="+", default=["en"], choices=("en", "zh_CN"))
    reader.add_argument("--theme", nargs="+", default=["light"], choices=("light", "dark", "high_contrast"))
    reader.add_argument("--scale", nargs="+", default=["1"])
    reader.add_argument("--only", nargs="+", default=names, choices=names, metavar="NAME")
    options = reader.parse_args()
    looks = list(itertools.product(options.language, options.theme, options.scale))
    if len(looks) > 1:
        sys.exit(max(_play_apart(options, *look) for look in looks))
    language, theme, scale = looks[0]
    os.environ["QT_SCALE_FACTOR"] = scale
    stage = Stage(options.folder / f"{language}-{theme}-{scale}x", language, theme)
    sys.exit(_play([scene for scene in scenes if scene.__name__ in options.only], stage))


def _play_apart(options: argparse.Namespace, language: str, theme: str, scale: str) -> int:
    look = ["--language", language, "--theme", theme, "--scale", scale, "--only", *options.only]
    return subprocess.run([sys.executable, sys.argv[0], str(options.folder), *look], check=False).returncode


def _play(scenes: Sequence[Scene], stage: Stage) -> int:
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump({"screens": [_SCREEN]}, file)
    os.environ.setdefault("QT_QPA_PLATFORM", f"offscreen:configfile={file.name}")
    os.environ["PYTHONPATH"] = str(ROOT)
    app = make_application()
    app.setCursorFlashTime(0)  # A caret that is always there.
    failed = []
    with qasync.QEventLoop(app) as loop:
        asyncio.set_event_loop(loop)
        for scene in scenes:
            with tempfile.TemporaryDirectory() as home:
                os.environ["FIRSTLIGHT_HOME"] = home
                try:
                    loop.run_until_complete(_bounded(scene(stage)))
                except Exception:  # noqa: BLE001 - the other scenes are worth a picture all the same
                    traceback.print_exc()
                    failed.append(scene.__name__)
    print(f"{stage.n_shots} pictures in {stage.folder}", *(f"failed: {name}" for name in failed), sep="\n")
    return int(bool(failed))


async def _bounded(work: Coroutine[Any, Any, None]) -> None:
    try:
        await asyncio.wait_for(work, 300)
    finally:
        for each in QApplication.topLevelWidgets():
            each.close()
        await tasks.cancel_all()
