"""What changes without the focus moving is told to whoever uses a screen reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QDialog, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from reader_audit import told
from settings_in_memory import settings_store

from app.chat.find_bar import FindBar
from app.chat_list.chat_list_model import ChatListModel
from app.chat_list.sidebar import Sidebar
from app.composer.overflow_line import OverflowLine
from app.composer.part_dialog import PartDialog
from app.composer.prompt_size import PromptSize
from app.latency.ablation_dialog import AblationDialog
from app.latency.trial_pane import TrialPane
from app.models.downloads_model import DownloadsModel
from app.models.downloads_page import DownloadsPage
from app.models.find_page import FindPage
from app.models.model_status import ModelState, ModelStatus
from app.models.quantize_dialog import QuantizeDialog
from app.settings.list_page import UndoLine
from app.settings.settings_dialog import SettingsDialog
from app.settings.text_list import TextList
from app.ui.announcement import unheard
from app.ui.command_palette import CommandPalette, Entry
from app.ui.text_dialog import TextDialog
from app.ui.theme import Theme
from app.window.model_chip import ModelChip
from engine.errors import Code, Failure
from engine.protocol import ModelEntry, Pull
from engine.settings import Models, Settings
from engine.store.chat_values import Attachment

Act = Callable[[QWidget], object]


@pytest.fixture
def theme() -> Theme:
    return Theme("light")


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[QWidget]:
    """An open window, with a screen reader listening."""
    QAccessible.setActive(True)
    shown = QWidget()
    QVBoxLayout(shown)
    shown.resize(900, 600)
    shown.show()
    yield shown
    QAccessible.setActive(False)
    for dialog in shown.findChildren(QDialog):
        dialog.close()
    shown.close()


def put(window: QWidget, widget: QWidget) -> None:
    column = window.layout()
    assert column is not None
    column.addWidget(widget)
    widget.show()


def test_why_a_text_could_not_be_kept(window: QWidget, theme: Theme) -> None:
    dialog = TextDialog(theme, "Rename chat", window)
    dialog.open()
    dialog.end("The disk is full.")
    assert told(dialog) == ["The disk is full."]


def test_how_the_making_of_a_quantization_ended(window: QWidget, theme: Theme) -> None:
    dialog = QuantizeDialog(theme, ModelEntry(model_id="m", name="M", path="m.gguf", quantization="F16"), window)
    dialog.open()
    dialog.set_progress(0.4)
    dialog.set_finished(1_000_000, {"Q4_K": 1})
    dialog.set_failure("The disk is full.")
    assert told(dialog) == ["Ready: 1 MB, Q4_K 100 %.", "The disk is full."]


def test_how_a_trial_and_a_measurement_ended(window: QWidget, theme: Theme) -> None:
    pane = TrialPane(theme)
    put(window, pane)
    pane.set_progress(1, 10)
    pane.set_ended("Done.")
    assert told(window) == ["Done."]
    ablation = AblationDialog(theme, window)
    ablation.open()
    ablation.set_ended("The model could not be loaded.", is_warning=True)
    assert told(ablation) == ["The model could not be loaded."]


def test_what_a_page_of_the_settings_says(window: QWidget, theme: Theme) -> None:
    dialog = SettingsDialog(settings_store(), theme, (), window)
    dialog.open()
    dialog.show_page(dialog.api)
    dialog.api.set_state("", "The port 80 is taken.")
    dialog.show_page(dialog.models)
    dialog.models.show_token_result("The token is forgotten.")
    dialog.show_page(dialog.shortcuts)
    dialog.shortcuts._set("new_chat", "Ctrl+K")
    dialog.shortcuts._set("new_chat", "Ctrl+Shift+Y")
    assert told(dialog) == [
        "The port 80 is taken.",
        "The token is forgotten.",
        "Ctrl+K belongs to “Command palette”. Choose another, or change that one first.",
        "New chat: Ctrl+Shift+Y",
    ]
    assert dialog.shortcuts.edit("new_chat").accessibleDescription() == "Ctrl+Shift+Y"


def test_what_was_deleted(window: QWidget) -> None:
    line = UndoLine()
    put(window, line)
    line.offer("Coding", lambda: None)
    assert told(window) == ["“Coding” was deleted."]


def test_how_many_matches_there_are(window: QWidget, theme: Theme) -> None:
    bar = FindBar(theme)
    put(window, bar)
    bar.field.setText("rain")
    bar.set_count(1, 3)
    bar.set_count(1, 3)
    bar.set_count(0, 0)
    assert told(window) == ["1 of 3", "nothing found"]


def test_the_field_to_find_in_stays_where_it_is_whatever_is_found(window: QWidget, theme: Theme) -> None:
    theme.set_font(22)
    bar = FindBar(theme)
    bar.setFont(theme.font())
    put(window, bar)
    bar.resize(800, 44)
    bar.field.setText("rain")
    places = []
    for current, total in ((0, 0), (1, 3), (120, 340)):
        bar.set_count(current, total)
        QApplication.processEvents()
        places.append(bar.field.x())
    assert len(set(places)) == 1


def test_how_many_chats_were_found(window: QWidget, theme: Theme) -> None:
    model = ChatListModel()
    put(window, Sidebar(model, theme))
    model.set_chats(())
    assert told(window) == []
    model.set_hits(())
    assert told(window) == ["Nothing found."]


def test_what_enter_would_take_in_a_list(window: QWidget, theme: Theme) -> None:
    palette = CommandPalette(theme, "Type a command", window)
    palette.set_entries(
        [
            Entry("a", "New chat", "Ctrl+N"),
            Entry("b", "Qwen3", is_current=True),
            Entry("c", "Phi", is_enabled=False),
            Entry("d", "Gemma"),
            Entry("e", "Llama", is_enabled=False),
        ]
    )
    palette.open_over()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_PageUp):
        QTest.keyClick(palette.field, key)
    palette.field.setText("zebra")
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    said = ["Qwen3, in use", "Gemma", "Gemma", "New chat, Ctrl+N", "Nothing matches.", "Nothing matches."]
    assert told(window) == said


def test_that_the_model_is_there(window: QWidget, theme: Theme) -> None:
    chip = ModelChip(theme)
    put(window, chip)
    for fraction in (0.1, 0.5):
        chip.set_status(ModelStatus(ModelState.LOADING, name="Qwen3", fraction=fraction))
    for state in (ModelState.WARM, ModelState.BUSY, ModelState.WARM):
        chip.set_status(ModelStatus(state, name="Qwen3"))
    assert told(window) == ["Qwen3: loading", "Qwen3: ready"]


def test_once_that_a_message_is_too_long(window: QWidget, theme: Theme) -> None:
    line = OverflowLine(theme)
    put(window, line)
    line.hide()
    for excess in (5, 6):
        line.show_size(PromptSize(n_own=100 + excess, room=100), ())
    assert told(window) == ["The message is 5 tokens too long for the model's context."]


def test_how_much_a_part_comes_to(window: QWidget, theme: Theme) -> None:
    attachment = Attachment(name="a.txt", text="\n".join("word " * 10 for _ in range(100)))
    dialog = PartDialog(theme, attachment, 1000, 5000, window)
    dialog.open()
    before = told(dialog)
    dialog.last.setValue(40)
    assert len(told(dialog)) == len(before) + 1
    assert told(dialog)[-1].endswith("tokens")
    assert dialog.map.accessibleDescription().startswith("1 to 40 of 100, ")


def test_why_a_search_or_a_download_failed(window: QWidget, theme: Theme) -> None:
    model = DownloadsModel()
    find, downloads = FindPage(theme, model), DownloadsPage(theme, model)
    put(window, find)
    find.set_status("The hub cannot be reached.", is_warning=True)
    find.set_failure("The hub refuses access.")
    put(window, downloads)
    failure = Failure(code=Code.DISK_FULL, message="The disk is full.")
    pull = Pull(pull_id="p", repo="a/b", files=("c.gguf",), state="failed", failure=failure)
    for _ in range(2):
        model.report(pull)
    assert told(window) == ["The hub cannot be reached.", "The hub refuses access.", "The disk is full."]


def test_nothing_is_told_to_nobody(window: QWidget, theme: Theme) -> None:
    chip = ModelChip(theme)
    put(window, chip)
    window.hide()
    chip.set_status(ModelStatus(ModelState.LOADING, name="Qwen3"))
    assert told(window) == []


def test_enter_in_a_field_of_the_settings_presses_no_button(window: QWidget, theme: Theme) -> None:
    store = settings_store(Settings(models=Models(is_offline=True)))
    dialog = SettingsDialog(store, theme, (), window)
    dialog.open()
    dialog.show_page(dialog.models)
    proxy, offline = dialog.models.editor("models", "proxy"), dialog.models.editor("models", "is_offline")
    assert isinstance(proxy, QLineEdit) and isinstance(offline, QCheckBox)
    proxy.setFocus()
    QTest.keyClicks(proxy, "http://proxy")
    QTest.keyClick(proxy, Qt.Key.Key_Return)
    assert dialog.isVisible() and offline.isChecked()
    assert store.settings.models == Models(is_offline=True, proxy="http://proxy")


def test_an_empty_list_lets_tab_go_on(window: QWidget, theme: Theme) -> None:
    before, listed, after = QLineEdit(), TextList(theme, name="Folders"), QLineEdit()
    listed.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    for widget in (before, listed, after):
        put(window, widget)
    listed.set_texts(())
    before.setFocus()
    QTest.keyClick(before, Qt.Key.Key_Tab)
    assert after.hasFocus()
    listed.set_texts(("a", "b"))
    before.setFocus()
    QTest.keyClick(before, Qt.Key.Key_Tab)
    assert not after.hasFocus()


def test_a_window_is_built_unheard(window: QWidget, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    with unheard():
        assert not QAccessible.isActive()
    assert QAccessible.isActive()
    QAccessible.setActive(False)
    with unheard():
        pass
    assert not QAccessible.isActive()
