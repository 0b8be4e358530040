"""The empty chat's page: in a low window what matters less gives way."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.theme import Theme
from app.widgets.welcome import Welcome


def test_a_low_window_keeps_its_sentence_whole(qtbot: QtBot) -> None:
    page = Welcome(Theme("light"))
    qtbot.addWidget(page)
    page.set_hardware("Found a GPU.")
    page.resize(700, 400)
    page.show()
    assert [page._ways.isVisible(), page._hardware.isVisible()] == [True, True]
    page.resize(700, 120)
    assert [page._ways.isVisible(), page._hardware.isVisible(), page._line.isVisible()] == [False, False, True]
    page.resize(700, 400)
    assert [page._ways.isVisible(), page._hardware.isVisible()] == [True, True]
