"""The empty chat's page: in a low window what matters less gives way."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui.icon_button import IconButton
from app.ui.theme import Theme
from app.window.welcome import Welcome


def test_a_low_window_keeps_its_sentence_whole(qtbot: QtBot) -> None:
    page = Welcome(Theme("light"))
    qtbot.addWidget(page)
    page.setMinimumSize(1, 1)  # As in the window, whose stack gives way.
    page.set_hardware("Found a GPU.")
    page.resize(700, 400)
    page.show()
    assert [page._ways.isVisible(), page._hardware.isVisible()] == [True, True]
    page.resize(700, 90)
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


def test_in_a_small_window_what_is_shown_is_whole(qtbot: QtBot) -> None:
    page = Welcome(Theme("light"))
    qtbot.addWidget(page)
    page.setMinimumSize(1, 1)
    page.set_hardware("Found a GPU with 8 GB: models run on it. Models of every size can be added under Models.")
    page.show()
    n_without_ways = 0
    for height in range(150, 420, 20):
        page.resize(340, height)
        parts = [page._hardware, *page._ways.findChildren(IconButton)]
        qtbot.waitUntil(lambda parts=parts: all(_is_whole(part) for part in parts if part.isVisible()))  # type: ignore[misc]
        n_without_ways += page._hardware.isVisible() and not page._ways.isVisible()
    assert n_without_ways  # Between the two, one gives way and the other stays.


def _is_whole(part: QWidget) -> bool:
    needed = part.heightForWidth(part.width()) if part.hasHeightForWidth() else part.sizeHint().height()
    return part.height() >= needed
