"""The report of an import: what it says of nothing, and that it fits its lines and the screen."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from app.chat_list.import_report_dialog import ImportReportDialog
from app.ui.theme import Theme
from engine.store.exchange.import_report import Character, ImportReport

ADA = Character(name="Ada", system_prompt="x")


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (ImportReport(), "Nothing was imported."),
        (ImportReport(n_duplicates=1), "Nothing new was imported. Here already: 1."),
        (ImportReport(characters=(ADA,)), "1 character was found."),
        (ImportReport(n_chats=1, n_messages=2, chat_ids=("a",)), "1 chat with 2 messages was imported."),
    ],
)
def test_what_came_in_is_said_without_a_zero(report: ImportReport, text: str, qtbot: QtBot) -> None:
    dialog = ImportReportDialog(report, Theme("light"))
    qtbot.addWidget(dialog)
    assert dialog.summary.text() == text


@pytest.mark.parametrize("n_problems", [1, 2, 21])
def test_the_dialog_is_as_high_as_its_lines_and_never_higher_than_a_screen(n_problems: int, qtbot: QtBot) -> None:
    problems = tuple(f"chat-{number}.json could not be read (Permission denied)." for number in range(n_problems))
    dialog = ImportReportDialog(ImportReport(problems=problems, characters=(ADA,) * 9), Theme("light"))
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    layout = dialog.layout()
    assert layout is not None
    assert dialog.height() == layout.totalHeightForWidth(dialog.width()) <= 640
    assert bool(dialog.findChildren(QScrollArea)) == (n_problems == 21)
