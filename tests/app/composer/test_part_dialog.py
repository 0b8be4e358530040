"""Choosing a part: dragging, keys, pages and lines, excerpts, and what cannot be written into a message."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.composer import part_dialog
from app.composer.part_dialog import PartChoice, PartDialog
from app.ui.theme import Theme
from engine.store.chat_values import Attachment

TEXT = "".join(f"line {number:03}\n" for number in range(100))
"""900 characters."""


def dialog(qtbot: QtBot, *, room: float = 50, **fields: object) -> PartDialog:
    attachment = Attachment(name="a.txt", text=TEXT, n_bytes=len(TEXT), **fields)  # type: ignore[arg-type]
    made = PartDialog(Theme("light"), attachment, 200, room)
    qtbot.addWidget(made)
    made.show()
    return made


def x_of(made: PartDialog, place: int) -> QPoint:
    return QPoint(round(made.map._x(place)), made.map.height() // 2)


def test_what_is_too_long_begins_with_as_much_as_fits(qtbot: QtBot) -> None:
    made = dialog(qtbot)
    assert (made._choice, made.part, made.n_tokens) == (PartChoice.BEGINNING, (0, 225), 50)
    assert made._count.text() == "about 50 tokens"
    assert made._excerpts["end"][1].toPlainText().endswith("line 024")
    made.set_exact(made.part, 100)
    assert made.part[1] < 120
    made._buttons.button(PartChoice.ALL.value).click()
    assert made._count.text() == "about 200 tokens · 150 too many"


def test_no_room_is_named_while_none_is_known(qtbot: QtBot) -> None:
    made = dialog(qtbot, room=math.inf)
    assert (made._choice, made._facts.text()) == (PartChoice.ALL, "200 tokens")
    for choice in (PartChoice.BEGINNING, PartChoice.END):
        made._buttons.button(choice.value).click()
        assert (made.part, made.go.text()) == ((0, 900), "Attach all of it")


def test_what_is_too_long_without_this_file_is_said(qtbot: QtBot) -> None:
    made = dialog(qtbot, room=-40)
    assert made._facts.text() == "200 tokens · the rest of the message is already 40 too long"
    assert made._count.text().endswith(" · 42 too many")


def test_the_end_handle_is_dragged_and_the_part_moved(qtbot: QtBot) -> None:
    made = dialog(qtbot)
    QTest.mousePress(made.map, Qt.MouseButton.LeftButton, pos=x_of(made, 225))
    QTest.mouseMove(made.map, x_of(made, 450))
    QTest.mouseRelease(made.map, Qt.MouseButton.LeftButton, pos=x_of(made, 450))
    made.map.range_dragged.emit(0, 450)
    assert (made._choice, made.part) == (PartChoice.RANGE, (0, 450))
    made.map.setFocus()
    QTest.keyClick(made.map, Qt.Key.Key_Right)
    assert made.part == (9, 459)
    QTest.keyClick(made.map, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert made.part == (9, 450)
    assert (made.first.value(), made.last.value()) == (2, 50)


def test_numbers_are_typed_and_kept_in_order(qtbot: QtBot) -> None:
    made = dialog(qtbot)
    made.first.setValue(90)
    assert made.part == (801, 810)
    made.last.setValue(100)
    assert made.part == (801, 900)
    with qtbot.waitSignal(made.part_chosen) as chosen:
        made.go.click()
    assert chosen.args == [(801, 900)]


def test_pages_are_the_unit_of_a_document_and_lines_a_finer_one(qtbot: QtBot) -> None:
    made = dialog(qtbot, room=120, pages=(0, 225, 450, 675))
    assert (made.unit.currentText(), made.part, made._of.text()) == ("Pages", (0, 450), "of 4")
    made.unit.setCurrentIndex(1)
    made.unit.activated.emit(1)
    assert (made.part[0], made._of.text()) == (0, "of 100")
    assert 450 < made.part[1] <= 540


def test_a_part_that_was_chosen_before_is_shown_and_can_be_undone(qtbot: QtBot) -> None:
    made = dialog(qtbot, room=500, part=(90, 180))
    assert (made._choice, made.part) == (PartChoice.RANGE, (90, 180))
    made._buttons.button(PartChoice.ALL.value).click()
    assert made.go.text() == "Attach all of it"
    with qtbot.waitSignal(made.part_chosen) as chosen:
        made.go.click()
    assert chosen.args == [None]


def test_a_part_goes_into_the_message_unless_it_is_huge(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    made = dialog(qtbot, part=(9, 18))
    with qtbot.waitSignal(made.insert_requested) as inserted:
        made.insert.click()
    assert inserted.args == ["line 001\n"]
    monkeypatch.setattr(part_dialog, "MAX_INSERTED", 100)
    assert not dialog(qtbot, room=500).insert.isEnabled()


def test_large_text_is_not_cut_off(qtbot: QtBot) -> None:
    made = PartDialog(Theme("light", 24), Attachment(name="a.txt", text=TEXT, n_bytes=len(TEXT)), 20_000, 5)
    qtbot.addWidget(made)
    made.show()
    made._buttons.button(PartChoice.ALL.value).click()
    shown = (*made._buttons.buttons(), made._count)
    qtbot.waitUntil(lambda: all(widget.width() >= widget.sizeHint().width() for widget in shown))
