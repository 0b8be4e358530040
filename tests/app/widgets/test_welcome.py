"""The empty chat's page: in a low window what matters less gives way."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.theme import Theme
from app.widgets.icon_button import IconButton
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


def test_in_a_narrow_window_no_prompt_is_cut_off(qtbot: QtBot) -> None:
    page = Welcome(Theme("light"))
    qtbot.addWidget(page)
    page.show()
    buttons = page._ways.findChildren(IconButton)
    for width in (900, 260, 900):
        page.resize(width, 600)
        n_lines = 1 if width == 900 else len(buttons)
        qtbot.waitUntil(lambda n_lines=n_lines: len({button.y() for button in buttons}) == n_lines)  # type: ignore[misc]
        assert all(button.width() >= button.sizeHint().width() for button in buttons)
