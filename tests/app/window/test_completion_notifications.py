"""Words to a user who is elsewhere, when something long is over."""

from __future__ import annotations

from unittest.mock import Mock

import msgspec
import pytest
from app_scene import Run, ask, window
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.window import completion_notifications
from engine.protocol.events import PullFinished
from engine.protocol.records import Pull

PULL = Pull(pull_id="p", repo="org/tiny", files=("Tiny-Q4_0.gguf",), state="finished")


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user has gone to a window of another program."""
    monkeypatch.setattr(QApplication, "activeWindow", Mock(return_value=None))


def told(application: Application) -> list[tuple[str, str]]:
    """What will be told, as it comes."""
    words: list[tuple[str, str]] = []
    application.completions.told.connect(lambda title, text: words.append((title, text)))
    return words


@pytest.mark.usefixtures("away")
def test_a_long_answer_is_told_and_the_title_marked_until_the_user_is_back(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completion_notifications, "LONG_SECONDS", 0.1)

    async def scene() -> None:
        async with window() as application:
            words = told(application)
            await ask(application, "hello")
            assert words == [("hello", "You said: hello")]
            assert application.window.windowTitle() == "● hello – Firstlight"
            QApplication.sendEvent(application.window, QEvent(QEvent.Type.WindowActivate))
            assert application.window.windowTitle() == "hello – Firstlight"

    run(scene())


@pytest.mark.usefixtures("away")
def test_a_short_answer_is_not_worth_a_word_and_a_download_is(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            words = told(application)
            await ask(application, "hello")
            assert words == []
            application.client.deliver(PullFinished(request_id="r", pull=PULL))
            application.client.deliver(PullFinished(request_id="r", pull=msgspec.structs.replace(PULL, state="failed")))
            assert [text for _, text in words] == ["The download is complete.", "The download has stopped."]

    run(scene())


def test_nothing_is_told_to_a_user_who_sees_the_window_or_wants_no_words(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        async with window() as application:
            words = told(application)
            monkeypatch.setattr(QApplication, "activeWindow", Mock(return_value=application.window))
            application.client.deliver(PullFinished(request_id="r", pull=PULL))
            monkeypatch.setattr(QApplication, "activeWindow", Mock(return_value=None))
            application.settings_store.change("general", is_notifying=False)
            application.client.deliver(PullFinished(request_id="r", pull=PULL))
            assert words == []
            assert not application.window.windowTitle().startswith("●")

    run(scene())
