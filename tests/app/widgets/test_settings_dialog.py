"""The settings dialog: every field edits its own value, at once, and can be reset."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QPlainTextEdit, QPushButton, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from app.settings_fields import pages, value_at, with_value
from app.theme import Theme
from app.widgets.settings_dialog import SettingsDialog
from engine.settings import Preset, Settings

TWO = Settings(presets=(Preset(name="Default"), Preset(name="Coding", system_prompt="Be exact.")))


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


def make(parent: QWidget, preset: int = 0) -> SettingsDialog:
    return SettingsDialog(Theme("light"), TWO, pages(preset), places=(("Chats", Path("chats.sqlite3")),), parent=parent)


def test_every_field_has_an_editor_with_a_name(parent: QWidget) -> None:
    dialog = make(parent)
    for page in pages(0):
        for field in page.fields:
            assert dialog.editor(*field.path).accessibleName() == field.label


def test_a_change_is_told_at_once_and_touches_nothing_else(parent: QWidget, qtbot: QtBot) -> None:
    dialog = make(parent, preset=1)
    top_k = dialog.editor("presets", 1, "sampling", "top_k")
    assert isinstance(top_k, QSpinBox)
    with qtbot.waitSignal(dialog.changed) as changed:
        top_k.setValue(7)
    assert changed.args == [with_value(TWO, ("presets", 1, "sampling", "top_k"), 7)]
    assert value_at(dialog.settings, ("presets", 0, "sampling", "top_k")) == 40


def test_each_kind_of_editor_writes_its_value(parent: QWidget) -> None:
    dialog = make(parent, preset=1)
    enter, theme = dialog.editor("general", "is_enter_send"), dialog.editor("general", "theme")
    temperature, prompt = (
        dialog.editor("presets", 1, "sampling", "temperature"),
        dialog.editor("presets", 1, "system_prompt"),
    )
    assert isinstance(enter, QCheckBox)
    assert isinstance(theme, QComboBox)
    assert isinstance(temperature, QDoubleSpinBox)
    assert isinstance(prompt, QPlainTextEdit)
    assert prompt.toPlainText() == "Be exact."
    enter.click()
    theme.setCurrentIndex(theme.findData("dark"))
    temperature.setValue(0.25)
    prompt.setPlainText("Be kind.")
    made = dialog.settings
    assert (made.general.is_enter_send, made.general.theme) == (False, "dark")
    assert made.presets[1].sampling.temperature == 0.25
    assert made.presets[1].system_prompt == "Be kind."


def test_a_page_can_be_reset(parent: QWidget) -> None:
    dialog = make(parent, preset=1)
    temperature = dialog.editor("presets", 1, "sampling", "temperature")
    assert isinstance(temperature, QDoubleSpinBox)
    temperature.setValue(2.0)
    buttons = {button.accessibleName(): button for button in dialog.findChildren(QPushButton)}
    buttons["Reset Generation"].click()
    assert temperature.value() == 0.7
    assert dialog.settings.presets[1].name == "Coding"
    assert dialog.settings.presets[1].system_prompt == ""
