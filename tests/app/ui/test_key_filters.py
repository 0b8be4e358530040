"""An Enter that commits an input method's candidate does nothing else, in any field where Enter does something."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot
from settings_in_memory import settings_store

from app.chat.find_bar import FindBar
from app.models.downloads_model import DownloadsModel
from app.models.find_page import FindPage
from app.settings.presets_page import PresetsPage
from app.ui.command_palette import CommandPalette, Entry
from app.ui.text_dialog import TextDialog
from app.ui.theme import Theme
from engine.settings import Preset, Settings

Made = tuple[QWidget, QWidget, list[object]]
"""What is shown, its field, and what Enter has done."""


def palette(theme: Theme, base: QWidget) -> Made:
    made, done = CommandPalette(theme, "Type a command", base), list[object]()
    made.set_entries([Entry(key="delete_chat", text="Delete 你好")])
    made.chosen.connect(done.append)
    made.open_over()
    return made, made.field, done


def find_bar(theme: Theme, base: QWidget) -> Made:
    made, done = FindBar(theme, base), list[object]()
    made.next_requested.connect(lambda: done.append("next"))
    made._typing.setInterval(0)
    made.open_bar()
    return made, made.field, done


def name_of_a_chat(theme: Theme, base: QWidget) -> Made:
    made, done = TextDialog(theme, "Title", base), list[object]()
    made.submitted.connect(done.append)
    made.open()
    field = made.findChild(QLineEdit)
    assert field is not None
    return made, field, done


def name_of_a_preset(theme: Theme, base: QWidget) -> Made:
    settings = Settings(presets=(Preset(name="Default"), Preset(name="Other")))
    page, done = PresetsPage(settings_store(settings), theme), list[object]()
    page.setParent(base)
    page._ask_name()
    dialog = page.window().findChild(TextDialog)
    assert dialog is not None
    dialog.submitted.connect(done.append)
    field = dialog.findChild(QLineEdit)
    assert field is not None
    return dialog, field, done


def search_of_the_hub(theme: Theme, base: QWidget) -> Made:
    made, done = FindPage(theme, DownloadsModel(base), base), list[object]()
    made.search_requested.connect(lambda *_: done.append("search"))
    return made, made.field, done


@pytest.mark.parametrize("make", [palette, find_bar, name_of_a_chat, name_of_a_preset, search_of_the_hub])
def test_the_enter_of_an_input_method_is_its_own(qtbot: QtBot, make: Callable[[Theme, QWidget], Made]) -> None:
    base = QWidget()
    qtbot.addWidget(base)
    base.resize(900, 700)
    base.show()
    _, field, done = make(Theme("light"), base)
    QCoreApplication.processEvents()
    QCoreApplication.sendEvent(field, QInputMethodEvent("nihao", []))
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert done == []
    event = QInputMethodEvent("", [])
    event.setCommitString("你好")
    QCoreApplication.sendEvent(field, event)
    # The Enter that commits the candidate, passed on in the same turn of the loop.
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert done == []
    QCoreApplication.processEvents()
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert len(done) == 1
