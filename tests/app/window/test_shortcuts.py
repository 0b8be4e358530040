"""Commands by key, by palette, and by the user's own keys."""

from __future__ import annotations

import pytest
from app_scene import Run, ask, shown, until, window
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.application import Application
from app.ui.command_palette import CommandPalette, Entry
from app.ui.shortcuts import Actions, shortcuts
from app.ui.theme import Theme
from app.window.command_search import command_words
from engine.settings import General, Settings


def press(widget: object, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    QTest.keyClick(widget, key, modifiers)


def open_palette(app: Application) -> CommandPalette | None:
    return next((each for each in app.window.findChildren(CommandPalette) if each.isVisible()), None)


CTRL = Qt.KeyboardModifier.ControlModifier


def test_keys_are_unique() -> None:
    keys = [shortcut.key for shortcut in shortcuts() if shortcut.key]
    assert len(keys) == len(set(keys))


def test_either_enter_key_will_do_and_is_called_enter(qtbot: QtBot) -> None:
    base = QWidget()
    qtbot.addWidget(base)
    for chosen, key in (({}, "Ctrl+Shift+"), ({"add_message": "Ctrl+Alt+Return"}, "Ctrl+Alt+")):
        action = Actions(base, {"add_message": lambda: None}, chosen)["add_message"]
        assert [each.toString() for each in action.shortcuts()] == [f"{key}Enter", f"{key}Return"]


@pytest.mark.usefixtures("chinese")
def test_enter_is_called_enter_in_chinese_too() -> None:
    assert QKeySequence("Ctrl+Shift+Enter").toString(QKeySequence.SequenceFormat.NativeText) == "Ctrl+Shift+Enter"


def test_control_n_begins_a_new_chat_and_focuses_the_field(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            await ask(app, "hello")
            press(app.window, Qt.Key.Key_N, CTRL)
            assert shown(app) == []
            assert app.chats.chat is None

    run(scene())


def test_the_palette_finds_a_command_and_carries_it_out(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            press(app.window, Qt.Key.Key_K, CTRL)
            palette = open_palette(app)
            assert palette is not None
            QTest.keyClicks(palette.field, "show chats")
            QTest.keyClick(palette.field, Qt.Key.Key_Return)
            assert app.sidebar.isHidden()

    run(scene())


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("zoom", "larger"), ("font size", "larger"), ("dark mode", "dark"), ("theme", "system_colours"),
        ("export", "export_chat"), ("import", "import_chats"), ("chatgpt", "import_chats"), ("delete", "delete_chat"),
        ("settings", "settings"), ("gpu", "loading"), ("kv", "loading"), ("model", "regenerate_with"),
        ("download", "models"), ("rename", "rename_chat"), ("hotkeys", "shortcuts"), ("vram", "unload_model"),
        ("contrast", "high_contrast"),
    ],
)  # fmt: skip
def test_the_palette_finds_commands_by_other_words_too(typed: str, first: str, qtbot: QtBot) -> None:
    base = QWidget()
    qtbot.addWidget(base)
    words = command_words()
    palette = CommandPalette(Theme("light"), "Type a command", base)
    palette.set_entries([Entry(each.name, each.text, each.key, also=words[each.name]) for each in shortcuts()
                         if each.name in words])  # fmt: skip
    assert palette._matching(typed.split())[0].key == first


def test_every_command_but_the_palette_has_other_words() -> None:
    assert set(command_words()) == {each.name for each in shortcuts()} - {"palette"}


def test_the_palette_offers_what_can_be_done_now(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:

            def offered() -> set[str]:
                press(app.window, Qt.Key.Key_K, CTRL)
                palette = open_palette(app)
                assert palette is not None
                assert "palette" not in {entry.key for entry in palette._entries}
                palette.close()
                return {entry.key for entry in palette._entries}

            of_a_chat = {"delete_chat", "regenerate", "regenerate_with", "copy_answer", "find", "show_prompt"}
            of_a_text = {"add_message", "add_answer"}
            others = {"stop", "next_chat", "previous_chat"}
            assert not (of_a_chat | of_a_text | others) & offered()
            app.composer.set_text("  ")
            assert not of_a_text & offered()
            await ask(app, "hello")
            assert {"unload_model", *of_a_chat} <= offered()
            assert not (of_a_text | others) & offered()
            press(app.window, Qt.Key.Key_N, CTRL)
            await until(lambda: app.chats.chat is None)
            assert "next_chat" in offered() and not of_a_chat & offered()
            app.actions["next_chat"].trigger()
            await until(lambda: app.chats.chat is not None)
            app.composer.set_text("and then?")
            assert of_a_text <= offered()
            app.composer.set_text("")
            app.actions["dark"].trigger()
            assert app.settings_store.settings.general.theme == "dark"
            app.actions["delete_chat"].trigger()
            await until(lambda: app.chats.chat is None)
            assert "undo" in app.window.notices.buttons

    run(scene())


def test_the_text_grows_shrinks_and_is_reset_by_key_and_palette(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            usual = app.theme.font_size
            for key in (Qt.Key.Key_Plus, Qt.Key.Key_Plus, Qt.Key.Key_Minus):
                press(app.window, key, CTRL)
            assert app.theme.font_size == usual + 1
            press(app.window, Qt.Key.Key_0, CTRL)
            assert app.theme.font_size == usual
            press(app.window, Qt.Key.Key_Minus, CTRL)
            press(app.window, Qt.Key.Key_Slash, CTRL)
            palette = open_palette(app)
            assert palette is not None
            QTest.keyClicks(palette.field, "reset ctrl+0")
            QTest.keyClick(palette.field, Qt.Key.Key_Return)
            assert app.theme.font_size == usual

    run(scene())


def test_the_latency_panel_is_made_when_it_is_first_wanted(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            await ask(app, "hello")
            shift = CTRL | Qt.KeyboardModifier.ShiftModifier
            press(app.window, Qt.Key.Key_L, shift)
            assert not app.window.panel.isHidden()
            await until(lambda: app.latency is not None)
            assert app.latency is not None
            assert app.latency.panel is not None
            press(app.window, Qt.Key.Key_L, shift)
            assert app.window.panel.isHidden()

    run(scene())


def test_escape_stops_the_answer(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            app.chats.send("hang")
            await until(lambda: shown(app)[-1:] == ["You said: hang"])
            press(app.window, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
            await until(lambda: app.conversation.item(1).note == "Stopped by you.")

    run(scene())


def test_a_chosen_key_replaces_the_default(run: Run) -> None:
    settings = Settings(general=General(shortcuts={"sidebar": "Ctrl+Shift+S"}))

    async def scene() -> None:
        async with window(settings=settings) as app:
            press(app.window, Qt.Key.Key_B, CTRL)
            assert not app.sidebar.isHidden()
            press(app.window, Qt.Key.Key_S, CTRL | Qt.KeyboardModifier.ShiftModifier)
            assert app.sidebar.isHidden()

    run(scene())


def test_no_two_commands_share_a_key(qtbot: QtBot) -> None:
    keys = [shortcut.key for shortcut in shortcuts() if shortcut.key]
    assert len(keys) == len(set(keys))
    widget = QWidget()
    qtbot.addWidget(widget)
    handlers = {"larger": list, "write": list}
    assert [key.toString() for key in Actions(widget, handlers, {})["larger"].shortcuts()] == ["Ctrl++", "Ctrl+="]
    taken = Actions(widget, handlers, {"write": "Ctrl+="})
    assert [key.toString() for key in taken["larger"].shortcuts()] == ["Ctrl++"]
