"""Fixtures of the app's tests: an asyncio loop inside Qt's, and a host with a script instead of models."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
import qasync
from app_scene import Run
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication

from app.core import tasks
from app.core.i18n import install_language


@pytest.fixture(autouse=True)
def english() -> None:
    """Numbers are grouped as in English, whatever the machine speaks and whatever ran before."""
    QLocale.setDefault(QLocale("en"))


@pytest.fixture(autouse=True, scope="session")
def plural_forms(qapp: QApplication) -> None:
    """Counted strings read as in the app."""
    install_language(qapp, "en")


@pytest.fixture
def chinese(qapp: QApplication) -> Iterator[None]:
    """The whole process speaks Chinese for one test."""
    before = QLocale()
    assert install_language(qapp, "zh_CN") == "zh_CN"
    yield
    install_language(qapp, "en")
    QLocale.setDefault(before)


@pytest.fixture
def run(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs a coroutine in a loop of both worlds, and leaves no task behind."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parent.parent.parent))
    # The app freezes what exists once its window is up: here that would keep every test's window.
    monkeypatch.setattr("app.application.tame_garbage_collector", lambda window: None)
    with qasync.QEventLoop(qapp) as loop:
        asyncio.set_event_loop(loop)

        def run_one(work: Coroutine[Any, Any, Any]) -> Any:
            async def bounded() -> Any:
                try:
                    return await asyncio.wait_for(work, 300)
                finally:
                    await tasks.cancel_all()

            return loop.run_until_complete(bounded())

        yield run_one
        asyncio.set_event_loop(None)
    gc.collect()
    gc.freeze()  # What is left is modules, and need not be searched again after each test.
