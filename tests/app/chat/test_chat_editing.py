"""A chat changed by hand: messages without an answer, edits, branches, undone deletes, and its exact prompt."""

from __future__ import annotations

import asyncio

from app_scene import Run, ask, emitted, shown, until, window, write
from fake_host import FOLDED
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QPushButton

from app.application import Application
from app.chat.prompt_dialog import PromptDialog
from app.core.answer_state import AnswerState
from app.latency.strip_readings import Phase
from engine.protocol import Role
from engine.store.chats import ChatStore

ADD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def test_the_system_prompt_is_asked_for_in_the_middle_of_the_window(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            await ask(app, "hello")
            app.menu.edit_system_prompt()
            dialog = next(each for each in app.window.findChildren(QDialog) if each.isVisible())
            off = dialog.geometry().center() - app.window.geometry().center()
            assert max(abs(off.x()), abs(off.y())) < 30
            dialog.close()

    run(scene())


def roles(app: Application) -> list[Role]:
    return [item.role for item in app.conversation.items()]


def undo(app: Application) -> None:
    """Press the button of the notice that offers it."""
    button = next(each for each in app.window.notices.findChildren(QPushButton) if each.text() == "Undo")
    button.click()


def test_a_message_is_added_without_an_answer_by_key(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            write(app, "just a note", enter=False)
            QTest.keyClick(app.composer.edit, Qt.Key.Key_Return, ADD)
            await until(lambda: shown(app) == ["just a note"])
            assert (roles(app), app.chats.state, app.composer.text) == ([Role.USER], AnswerState.IDLE, "")
            await until(lambda: [chat.title for chat in app.chat_list.chats] == ["just a note"])
            await ask(app, "repeat")
            assert shown(app) == ["just a note", "repeat", "just a note/repeat"]

    run(scene())


def test_the_model_s_message_can_be_written_by_hand(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            await ask(app, "hello")
            write(app, "I am a teapot", enter=False)
            app.actions["add_answer"].trigger()
            await until(lambda: len(shown(app)) == 3)
            assert roles(app) == [Role.USER, Role.ASSISTANT, Role.ASSISTANT]
            assert app.conversation.item(2).content == "I am a teapot"

    run(scene())


def test_a_message_without_an_answer_is_answered_later(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            write(app, "hello", enter=False)
            app.actions["add_message"].trigger()
            await until(lambda: shown(app) == ["hello"])
            finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
            await until(lambda: app.transcript is not None)
            assert app.transcript is not None
            app.transcript.regenerate_requested.emit(app.conversation.item(0).id)
            await finished
            assert shown(app) == ["hello", "You said: hello"]

    run(scene())


def test_nothing_is_added_while_an_answer_runs_or_nothing_is_written(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            app.actions["add_message"].trigger()
            write(app, "hang")
            await until(lambda: shown(app)[-1:] == ["You said: hang"])
            write(app, "more", enter=False)
            app.actions["add_message"].trigger()
            app.chats.stop()
            await until(lambda: app.chats.state is AnswerState.IDLE)
            assert (shown(app), app.composer.text) == (["hang", "You said: hang"], "more")

    run(scene())


def test_the_menu_of_the_chat_offers_it_by_mouse(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            app.top_bar.menu.aboutToShow.emit()
            offered = app.top_bar.menu.actions()
            assert app.actions["add_message"] in offered
            assert app.actions["add_answer"] in offered

    run(scene())


def test_an_edited_answer_is_another_version_and_asks_nothing(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            answer = await ask(app, "hello")
            app.versions.edit(answer.id, "Rather this")
            await until(lambda: shown(app) == ["hello", "Rather this"])
            await until(lambda: app.chats.state is AnswerState.IDLE)
            item = app.conversation.item(1)
            assert (item.role, item.version_index, item.version_count) == (Role.ASSISTANT, 1, 2)
            assert (await ask(app, "repeat")).content.strip() == "hello/Rather this/repeat"

    run(scene())


def test_a_chat_is_duplicated_from_a_message(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            first = await ask(app, "one")
            await ask(app, "two")
            await until(lambda: app.transcript is not None)
            assert app.transcript is not None
            app.transcript.branch_requested.emit(first.id)
            await until(lambda: shown(app) == ["one", "You said: one"])
            assert app.chats.chat is not None
            assert app.chats.chat.id != first.chat_id
            original = await app.database.call(ChatStore.path, first.chat_id)
            assert len(original) == 4

    run(scene())


def test_a_deleted_chat_comes_back(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            answer = await ask(app, "hello")
            await until(lambda: len(app.chat_list.chats) == 1)
            app.sidebar.delete_requested.emit((answer.chat_id,))
            await until(lambda: not app.chat_list.chats and not shown(app))
            await until(lambda: bool(app.window.notices.texts))
            undo(app)
            await until(lambda: shown(app) == ["hello", "You said: hello"])
            assert [chat.id for chat in app.chat_list.chats] == [answer.chat_id]

    run(scene())


def test_a_new_title_is_the_window_s_too(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            chat_id = (await ask(app, "hello")).chat_id
            ended: list[str] = []
            app.chat_list_controller.rename(chat_id, " Trams ", ended.append)
            await until(lambda: app.window.windowTitle() == "Trams – Firstlight")
            app.chat_list_controller.rename(chat_id, "  ", ended.append)
            assert ended == ["", ""]
            write(app, "hang")
            await until(lambda: app.strip_controller.figures.phase is Phase.DECODE)
            app.chat_list_controller.rename(chat_id, "Trains", ended.append)
            await until(lambda: app.window.windowTitle() == "Trains – Firstlight")
            assert app.strip_controller.figures.phase is Phase.DECODE
            app.chats.stop()
            await until(lambda: app.strip_controller.figures.phase is Phase.IDLE)

    run(scene())


def test_what_the_model_sees_is_its_exact_prompt(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            await ask(app, "hello")
            app.chats.change_chat(system_prompt="Be brief.")
            await emitted(app.chats.chat_opened)
            app.actions["show_prompt"].trigger()
            await until(lambda: bool(app.window.findChildren(QDialog)))
            (dialog,) = app.window.findChildren(QDialog)
            assert dialog.windowTitle() == "What the model sees: 9 tokens"
            text = dialog.findChild(QPlainTextEdit)
            assert isinstance(text, QPlainTextEdit)
            assert text.isReadOnly()
            assert text.toPlainText().splitlines() == [
                "system: Be brief.", "user: hello", "assistant: You said: hello "
            ]  # fmt: skip
            assert isinstance(dialog, PromptDialog)
            assert dialog.changes.text() == FOLDED
            assert not dialog.changes.isHidden()
            dialog.close()

    run(scene())
