"""The settings' pages: every row edits its own setting at once, follows changes from elsewhere, and can be reset."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QKeySequence, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)
from pytestqt.qtbot import QtBot
from settings_in_memory import settings_store

from app.core.settings_store import SettingsStore
from app.settings.settings_dialog import SettingsDialog
from app.settings.settings_form import SettingsPage
from app.settings.text_list import TextList
from app.ui.text_dialog import TextDialog
from app.ui.theme import Theme
from engine.protocol.values import EffectiveSettings, KvType, Speculative
from engine.settings import Api, General, Models, Preset, PromptTemplate, Settings, Thresholds

SETTINGS = Settings(
    presets=(Preset(name="Default"), Preset(name="Coding", system_prompt="Be exact.")),
    prompts=(
        PromptTemplate(name="Translate", text="Into {{language}}: {{text}}"),
        PromptTemplate(name="Sum", text="…"),
    ),
)
PLACES = (("Chats", Path("chats.sqlite3")),)

_E = TypeVar("_E", bound=QWidget)


@pytest.fixture
def dialog(qtbot: QtBot) -> SettingsDialog:
    made = SettingsDialog(settings_store(SETTINGS), Theme("light"), PLACES)
    qtbot.addWidget(made)
    return made


def store(dialog: SettingsDialog) -> SettingsStore:
    return dialog.general.store


def editor(page: SettingsPage, kind: type[_E], *path: str | int) -> _E:
    found = page.editor(*path)
    assert isinstance(found, kind)
    return found


def test_every_editor_has_a_name_for_screen_readers(dialog: SettingsDialog) -> None:
    for page in dialog.pages:
        for kind in (QCheckBox, QComboBox, QSpinBox, QDoubleSpinBox, QLineEdit, QPlainTextEdit, QPushButton):
            for widget in page.findChildren(kind):
                is_inner = widget.objectName().startswith("qt_")
                assert is_inner or widget.accessibleName() or getattr(widget, "text", str)(), page.title


def test_each_kind_of_editor_writes_its_own_setting_only(dialog: SettingsDialog, qtbot: QtBot) -> None:
    with qtbot.waitSignal(store(dialog).changed):
        editor(dialog.general, QCheckBox, "general", "is_enter_send").click()
    assert store(dialog).settings == Settings(
        presets=SETTINGS.presets, prompts=SETTINGS.prompts, general=General(is_enter_send=False)
    )
    theme = editor(dialog.general, QComboBox, "general", "theme")
    theme.setCurrentIndex(theme.findData("dark"))
    theme.activated.emit(theme.currentIndex())
    editor(dialog.general, QSpinBox, "general", "font_size").setValue(17)
    editor(dialog.performance, QSpinBox, "performance", "idle_unload_minutes").setValue(30)
    editor(dialog.performance, QDoubleSpinBox, "performance", "warm_memory_bytes").setValue(12.5)
    editor(dialog.thresholds, QDoubleSpinBox, "thresholds", "ttft_notice").setValue(450)
    line = editor(dialog.models, QLineEdit, "models", "proxy")
    line.setText(" http://proxy.example.org:3128 ")
    line.editingFinished.emit()
    now = store(dialog).settings
    assert now.general == General(is_enter_send=False, theme="dark", font_size=17)
    assert (now.performance.idle_unload_minutes, now.performance.warm_memory_bytes) == (30.0, 12_500_000_000)
    assert now.thresholds == Thresholds(ttft_notice=0.45)
    assert now.models == Models(proxy="http://proxy.example.org:3128")


def test_keys_and_values_of_the_kv_cache_always_have_the_same_type(dialog: SettingsDialog) -> None:
    kinds = editor(dialog.loading, QComboBox, "performance", "load", "type_k")
    kinds.setCurrentIndex(kinds.findData(KvType.Q8_0))
    kinds.activated.emit(kinds.currentIndex())
    load = store(dialog).settings.performance.load
    assert (load.type_k, load.type_v) == (KvType.Q8_0, KvType.Q8_0)


def test_what_is_in_force_is_shown_where_it_differs_from_what_was_asked_for(dialog: SettingsDialog) -> None:
    page = dialog.loading
    page.set_effective(
        EffectiveSettings(n_ctx=8192, type_k=KvType.F16, type_v=KvType.F16, n_threads=1, n_parallel=4, n_layers=31),
        "starter",
    )
    assert page.in_force("type_k") == ""
    assert page.in_force("n_parallel") == ""
    assert page.in_force("n_threads") == "in force: 1"
    assert page.in_force("n_gpu_layers") == "in force: 0 of 31"
    page.store.set_value(KvType.Q4_0, ("performance", "load", "type_k"), ("performance", "load", "type_v"))
    page.store.set_value(Speculative.LOOKUP, ("performance", "load", "speculative"))
    assert page.in_force("type_k") == "in force: f16"
    assert page.in_force("speculative") == "in force: off"
    assert page.load_button.isEnabled()
    page.set_effective(None)
    assert page.in_force("type_k") == ""
    assert not page.load_button.isEnabled()


def test_a_change_from_elsewhere_is_shown_and_not_told_again(dialog: SettingsDialog, qtbot: QtBot) -> None:
    changes: list[Settings] = []
    store(dialog).changed.connect(lambda: changes.append(store(dialog).settings))
    store(dialog).replace(Settings(general=General(font_size=20), presets=SETTINGS.presets))
    assert changes == [Settings(general=General(font_size=20), presets=SETTINGS.presets)]
    assert editor(dialog.general, QSpinBox, "general", "font_size").value() == 20
    assert dialog.prompts.name.text() == ""
    assert dialog.prompts.text.isHidden()


def test_reset_brings_back_the_defaults_of_its_page_only(dialog: SettingsDialog) -> None:
    store(dialog).replace(
        Settings(
            general=General(font_size=20, language="zh_CN"),
            thresholds=Thresholds(itl_notice=1.0),
            presets=SETTINGS.presets,
        )
    )
    dialog.thresholds.reset_button.click()
    assert store(dialog).settings.thresholds == Thresholds()
    assert store(dialog).settings.general == General(font_size=20, language="zh_CN")
    dialog.general.reset_button.click()
    assert store(dialog).settings.general == General()
    assert store(dialog).settings.presets == SETTINGS.presets


def test_the_wheel_scrolls_the_page_until_an_editor_has_the_focus(dialog: SettingsDialog) -> None:
    size = editor(dialog.general, QSpinBox, "general", "font_size")
    dialog.show()
    wheel = QWheelEvent(
        QPointF(5, 5), QPointF(5, 5), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(size, wheel)
    assert store(dialog).settings.general.font_size == 14


@pytest.mark.usefixtures("chinese")
def test_the_built_in_preset_is_called_by_the_users_language(dialog: SettingsDialog) -> None:
    page = dialog.presets
    page.choose("Default")
    assert page.list.item(0).text() == "默认 · 用于新对话"
    page.rename("默认")
    page.add_preset(page.preset)
    assert [preset.name for preset in store(dialog).settings.presets] == ["Default", "Coding", "默认 2"]
    page.rename("默认")
    assert page.preset.name == "默认 2"
    page.choose("Default")
    page.remove()
    assert page.undo.text == "已删除“默认”。"
    page.choose("Coding")
    page.rename("Default")
    assert [page.list.item(row).text() for row in range(2)] == ["Default · 用于新对话", "默认 2"]


@pytest.mark.usefixtures("chinese")
def test_the_built_in_preset_can_be_named_default_by_hand(dialog: SettingsDialog) -> None:
    dialog.presets.choose("Default")
    dialog.presets.rename("Default")
    assert dialog.presets.list.item(0).text() == "Default · 用于新对话"
    assert store(dialog).settings.default_preset == "Default"


def test_presets_are_added_renamed_chosen_and_removed(dialog: SettingsDialog, qtbot: QtBot) -> None:
    page = dialog.presets
    page.choose("Coding")
    editor(page, QDoubleSpinBox, "sampling", "temperature").setValue(0.2)
    assert [p.sampling.temperature for p in store(dialog).settings.presets] == [0.7, 0.2]
    page.add_preset(page.preset)
    assert page.preset.name == "Coding 2"
    assert page.preset.system_prompt == "Be exact."
    with qtbot.waitSignal(page.renamed) as renamed:
        page.rename("  Review ")
    assert renamed.args == ["Coding 2", "Review"]
    page._ask_name()
    asking = dialog.findChildren(TextDialog)[-1]
    assert (asking.okButtonText(), asking.textValue()) == ("Rename", "Review")
    asking.setTextValue("Second look")
    asking.accept()
    assert (page.preset.name, asking.isVisible()) == ("Second look", False)
    page.rename("Review")
    page.make_default()
    with qtbot.waitSignal(page.removed) as removed:
        page.remove()
    assert removed.args == ["Review"]
    now = store(dialog).settings
    assert ([p.name for p in now.presets], now.default_preset) == (["Default", "Coding"], "Default")
    page.remove()
    page.remove()
    assert len(store(dialog).settings.presets) == 1


def test_text_that_is_still_being_typed_is_kept_when_another_is_chosen_and_at_the_end(dialog: SettingsDialog) -> None:
    prompt = editor(dialog.presets, QPlainTextEdit, "system_prompt")
    dialog.presets.choose("Coding")
    prompt.setPlainText("Be brief.")
    dialog.presets.choose("Default")
    assert [p.system_prompt for p in store(dialog).settings.presets] == ["", "Be brief."]
    assert prompt.toPlainText() == ""
    prompt.setPlainText("Be kind.")
    dialog.open()
    dialog.close()
    assert store(dialog).settings.presets[0].system_prompt == "Be kind."


def test_the_prompt_library_is_edited_and_names_its_blanks(dialog: SettingsDialog) -> None:
    page = dialog.prompts
    assert "language, text" in page._blanks.text()
    page.add_prompt()
    page.name.setText("Explain")
    page.name.editingFinished.emit()
    page.text.setPlainText("Explain {{what}}.")
    page.flush()
    assert store(dialog).settings.prompts[-1] == PromptTemplate(name="Explain", text="Explain {{what}}.")
    page.remove()
    assert store(dialog).settings.prompts == SETTINGS.prompts
    page.remove()
    page.remove()
    assert store(dialog).settings.prompts == ()
    assert [each.isHidden() for each in (page.list, page.name, page.text, page._nothing)] == [True, True, True, False]
    page.add_prompt()
    assert [each.isHidden() for each in (page.list, page.name, page.text, page._nothing)] == [
        False,
        False,
        False,
        True,
    ]


def test_a_deleted_preset_and_a_deleted_prompt_come_back_to_their_places(dialog: SettingsDialog) -> None:
    presets, prompts = dialog.presets, dialog.prompts
    presets.choose("Default")
    presets.remove()
    assert presets.undo.text == "“Default” was deleted."
    presets.undo.button.click()
    prompts.remove()
    assert prompts.undo.text == "“Translate” was deleted."
    prompts.undo.button.click()
    assert prompts.undo.isHidden()
    now = store(dialog).settings
    assert (now.presets, now.default_preset, now.prompts) == (SETTINGS.presets, "Default", SETTINGS.prompts)


def test_a_key_that_is_taken_is_refused_and_its_owner_named(dialog: SettingsDialog) -> None:
    page = dialog.shortcuts
    edit = page.edit("models")
    edit.setKeySequence(QKeySequence("Ctrl+N"))
    edit.editingFinished.emit()
    assert page.problem == "Ctrl+N belongs to “New chat”. Choose another, or change that one first."
    assert edit.keySequence() == QKeySequence("Ctrl+Shift+M")
    edit.setKeySequence(QKeySequence("Ctrl+Alt+M"))
    edit.editingFinished.emit()
    assert page.problem == ""
    assert store(dialog).settings.general.shortcuts == {"models": "Ctrl+Alt+M"}
    edit.setKeySequence(QKeySequence())
    edit.editingFinished.emit()
    assert store(dialog).settings.general.shortcuts == {"models": ""}
    page.reset_button.click()
    assert store(dialog).settings.general.shortcuts == {}
    assert edit.keySequence() == QKeySequence("Ctrl+Shift+M")


def test_the_api_page_says_where_it_is_served_or_why_not(dialog: SettingsDialog) -> None:
    page = dialog.api
    assert page.status == "Off"
    page.set_state("http://127.0.0.1:11436", "")
    assert page.status == "http://127.0.0.1:11436/v1"
    page.copy_button.click()
    assert QApplication.clipboard().text() == "http://127.0.0.1:11436/v1"
    page.set_state("", "Port 11436 is in use by another program.")
    assert page.status.startswith("Port 11436")
    editor(page, QCheckBox, "api", "is_on").click()
    next(button for button in page.findChildren(QPushButton) if button.text() == "Make one").click()
    made = store(dialog).settings.api
    assert made == Api(is_on=True, token=made.token)
    assert len(made.token) >= 32


def test_a_key_with_enter_is_named_so_and_belongs_to_one_command(dialog: SettingsDialog) -> None:
    page = dialog.shortcuts
    field = page.edit("models")
    for pressed in ("Ctrl+Shift+Return", "Ctrl+Alt+Return"):
        field.setKeySequence(QKeySequence(pressed))
        field.editingFinished.emit()
        if pressed == "Ctrl+Shift+Return":
            assert page.problem.startswith("Ctrl+Shift+Enter belongs to “Add the text")
    assert store(dialog).settings.general.shortcuts == {"models": "Ctrl+Alt+Enter"}
    assert field.keySequence().toString() == "Ctrl+Alt+Enter"


def test_a_hub_token_is_handed_over_and_never_kept_in_the_settings(dialog: SettingsDialog, qtbot: QtBot) -> None:
    QTest.keyClicks(dialog.models.token, "hf_secret")
    with qtbot.waitSignal(dialog.models.token_changed) as kept:
        QTest.keyClick(dialog.models.token, Qt.Key.Key_Return)
    assert kept.args == ["hf_secret"]
    assert dialog.models.token.text() == ""
    assert "hf_secret" not in repr(store(dialog).settings)


def test_what_came_of_a_token_is_brought_into_view_in_its_colour(dialog: SettingsDialog, qtbot: QtBot) -> None:
    page = dialog.models
    dialog.resize(dialog.minimumSize())
    dialog.show_page(page)
    dialog.show()
    for text, is_warning, color in (
        ("The hub refuses access. " * 9, True, page.theme.tokens.warn),
        ("The token is kept.", False, page.theme.tokens.dim),
    ):
        page.verticalScrollBar().setValue(0)
        page.show_token_result(text, is_warning=is_warning)
        note = next(label for label in page.findChildren(QLabel) if label.text() == text)
        qtbot.waitUntil(lambda note=note: is_in_view(page, note))
        assert note.styleSheet() == f"color: {color};"


def test_a_key_that_is_refused_far_down_the_page_shows_the_reason_above(dialog: SettingsDialog, qtbot: QtBot) -> None:
    page = dialog.shortcuts
    dialog.show_page(page)
    dialog.show()
    qtbot.waitUntil(lambda: page.verticalScrollBar().maximum() > 0)
    page.verticalScrollBar().setValue(page.verticalScrollBar().maximum())
    page._set("quit", "Ctrl+F")
    reason = next(label for label in page.findChildren(QLabel) if label.text() == page.problem)
    qtbot.waitUntil(lambda: is_in_view(page, reason))


def is_in_view(page: SettingsPage, part: QWidget) -> bool:
    return page.viewport().rect().contains(QRect(part.mapTo(page.viewport(), QPoint()), part.size()))


def test_a_short_list_is_as_high_as_its_rows_in_any_script(qtbot: QtBot) -> None:
    made = TextList(Theme("light"), name="Folders")
    qtbot.addWidget(made)
    made.set_texts(("/one", "/two"))
    font = made.font()
    font.setPixelSize(34)
    made.setFont(font)
    made.show()
    bar = next(each for each in made.findChildren(QListWidget)).verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() == 0)
    font.setPixelSize(60)
    made.setFont(font)
    qtbot.waitUntil(lambda: bar.maximum() == 0)


def test_folders_are_added_once_and_removed(dialog: SettingsDialog) -> None:
    folders = dialog.models.folders
    folders.add("/data/models")
    folders.add("/data/models")
    assert store(dialog).value(("models", "folders")) == ("/data/models",)
    folders._list.setCurrentRow(0)
    next(button for button in folders.findChildren(QPushButton) if button.text() == "Remove").click()
    assert store(dialog).settings.models.folders == ()


def test_pages_are_reached_by_keyboard(dialog: SettingsDialog) -> None:
    dialog.show_page(dialog.general)
    QTest.keyClick(dialog._list, Qt.Key.Key_Down)
    assert dialog._stack.currentWidget() is dialog.models


def test_a_row_stands_in_one_line(dialog: SettingsDialog, qtbot: QtBot) -> None:
    page = dialog.loading
    page.set_effective(EffectiveSettings(n_ctx=16384, n_threads=1, n_parallel=4, n_layers=31), "starter")
    dialog.show_page(page)
    dialog.resize(860, 900)
    dialog.show()
    box = editor(page, QSpinBox, "performance", "load", "n_threads")
    name, _, in_force = page._rows[box][:3]

    def middles() -> set[int]:
        return {each.y() + each.height() // 2 for each in (name, box, in_force)}

    qtbot.waitUntil(lambda: box.y() > 0 and max(middles()) - min(middles()) <= 1)
