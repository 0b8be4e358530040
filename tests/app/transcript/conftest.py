"""A transcript on screen, in a window of fixed size."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.conversation_model import ConversationModel
from app.transcript.transcript_view import Transcript
from app.ui.theme import Theme


@pytest.fixture
def model(qtbot: QtBot) -> ConversationModel:
    return ConversationModel()


@pytest.fixture
def theme(qtbot: QtBot) -> Theme:
    return Theme("light")


@pytest.fixture
def transcript(qtbot: QtBot, model: ConversationModel, theme: Theme) -> Transcript:
    made = Transcript(model, theme)
    qtbot.addWidget(made)
    made.resize(820, 600)
    with qtbot.waitExposed(made):
        made.show()
    return made


@pytest.fixture
def settle(transcript: Transcript) -> Callable[[], None]:
    """Lay out and paint all that is in view."""

    def run() -> None:
        QApplication.processEvents()
        transcript.finish_drawing()
        QApplication.processEvents()

    return run
