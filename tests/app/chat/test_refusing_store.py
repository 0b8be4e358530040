"""A store that refuses, as on a full disk: nothing that was typed may vanish, and a sentence says the way out."""

from __future__ import annotations

from typing import Any

import pytest
from app_scene import Run, ask, shown, until, window, write
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox, QInputDialog, QLabel, QPlainTextEdit

from app.application import Application
from app.core.answer_state import AnswerState
from engine.errors import Code, StorageError
from engine.protocol import Role
from engine.store.chats import ChatStore

SAID = "The disk is full. Free some space."
WRITES = (
    "add_message", "create_chat", "create_folder", "delete_chat", "delete_message", "edit_message", "edit_summary",
    "update_chat", "update_folder",
)  # fmt: skip


class Disk:
    """Full until there is room."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch

    def fill(self) -> None:
        def full(*_: Any, **__: Any) -> None:
            raise StorageError(Code.DISK_FULL, "The disk is full.", "Free some space.")

        for name in WRITES:
            self._patch.setattr(ChatStore, name, full)

    def free(self) -> None:
        self._patch.undo()


@pytest.fixture
def disk() -> Any:
    """Its own patch: the fixture that all share keeps the test's folders in place."""
    with pytest.MonkeyPatch.context() as patch:
        yield Disk(patch)


def editor_of(app: Application, message_id: str) -> QPlainTextEdit:
    assert app.transcript is not None
    app.transcript.start_edit(message_id)
    return app.transcript.findChildren(QPlainTextEdit)[-1]


def submit(field: QPlainTextEdit, text: str) -> None:
    field.setPlainText(text)
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


def faults(app: Application) -> list[str]:
    """What the open editors say."""
    assert app.transcript is not None
    labels = app.transcript.findChildren(QLabel)
    return [label.text() for label in labels if label.wordWrap() and label.isVisibleTo(app.transcript)]


def dialog_of(app: Application) -> QInputDialog:
    return next(each for each in app.window.findChildren(QInputDialog) if each.isVisible())


def accept(dialog: QInputDialog) -> None:
    buttons = dialog.findChild(QDialogButtonBox)
    assert isinstance(buttons, QDialogButtonBox)
    buttons.button(QDialogButtonBox.StandardButton.Ok).click()


async def fault_in(dialog: QInputDialog) -> None:
    await until(lambda: dialog.labelText() == SAID)


def test_an_edit_stays_open_with_its_text_until_it_is_stored(run: Run, disk: Disk) -> None:
    async def scene() -> None:
        async with window() as app:
            await ask(app, "hello")
            question = app.conversation.item(0).id
            await until(lambda: app.transcript is not None)
            field = editor_of(app, question)
            disk.fill()
            submit(field, "hello again")
            await until(lambda: faults(app) == [SAID])
            await until(lambda: app.chats.state is AnswerState.IDLE)
            assert (field.toPlainText(), field.isVisible()) == ("hello again", True)
            assert shown(app) == ["hello", "You said: hello"]
            disk.free()
            submit(field, "hello again")
            await until(lambda: shown(app) == ["hello again", "You said: hello again"])
            await until(lambda: app.chats.state is AnswerState.IDLE)
            assert faults(app) == []

    run(scene())


def test_an_edit_made_while_an_answer_runs_or_left_empty_is_kept_too(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            answer = await ask(app, "hello")
            await until(lambda: app.transcript is not None)
            field = editor_of(app, answer.id)
            submit(field, "   ")
            assert faults(app) == ["A message cannot be empty. Delete it instead."]
            write(app, "hang")
            await until(lambda: shown(app)[-1:] == ["You said: hang"])
            submit(field, "Rather this")
            assert faults(app) == [
                "An answer is still being written. Stop it or wait for its end, then save this again."
            ]
            app.chats.stop()
            await until(lambda: app.chats.state is AnswerState.IDLE)
            submit(field, field.toPlainText())
            await until(lambda: shown(app) == ["hello", "Rather this"])

    run(scene())


def test_a_title_a_system_prompt_and_folders_are_kept_in_their_dialogs(run: Run, disk: Disk) -> None:
    async def scene() -> None:
        async with window() as app:
            chat_id = (await ask(app, "hello")).chat_id
            await until(lambda: len(app.chat_list.chats) == 1)
            chat_list = app.chat_list_controller
            for opened, stored in (
                (lambda: chat_list.ask_rename(chat_id), lambda: chat_list.title_of(chat_id)),
                (app.menu.edit_system_prompt, lambda: app.chats.system_prompt),
                (app.sidebar.folder_create_requested.emit, lambda: [each.name for each in app.chat_list.folders][-1]),
            ):
                disk.fill()
                opened()
                dialog = dialog_of(app)
                dialog.setTextValue("My words")
                accept(dialog)
                await fault_in(dialog)
                assert (dialog.isVisible(), dialog.textValue()) == (True, "My words")
                disk.free()
                accept(dialog)
                await until(lambda: not any(each.isVisible() for each in app.window.findChildren(QInputDialog)))
                assert stored() == "My words"

    run(scene())


def test_what_is_accepted_twice_is_stored_once(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            app.sidebar.folder_create_requested.emit()
            dialog = dialog_of(app)
            dialog.setTextValue("Travel")
            accept(dialog)
            accept(dialog)
            await until(lambda: not app.window.findChildren(QInputDialog))
            assert [each.name for each in app.chat_list.folders] == ["Travel"]

    run(scene())


def test_what_was_closed_meanwhile_is_left_alone(run: Run, disk: Disk) -> None:
    async def scene() -> None:
        async with window() as app:
            chat_id = (await ask(app, "hello")).chat_id
            disk.fill()
            app.chat_list_controller.ask_rename(chat_id)
            dialog = dialog_of(app)
            dialog.setTextValue("Mine")
            accept(dialog)
            dialog.reject()
            await app.database.call(ChatStore.chats)
            await until(lambda: not app.window.findChildren(QInputDialog))

    run(scene())


def test_what_cannot_be_deleted_pinned_or_added_stays_and_is_told(run: Run, disk: Disk) -> None:
    async def scene() -> None:
        async with window() as app:
            answer = await ask(app, "hello")
            await until(lambda: len(app.chat_list.chats) == 1)
            disk.fill()
            for act in (
                lambda: app.versions.delete(answer.id),
                lambda: app.chat_list_controller.delete((answer.chat_id,)),
                lambda: app.chat_list_controller.pin(answer.chat_id, True),
                app.commands.inserter.add_own,
            ):
                write(app, "words", enter=False)
                act()
                await until(lambda: SAID in app.window.notices.texts)
                await until(lambda: app.chats.state is AnswerState.IDLE)
                for text in app.window.notices.texts:
                    assert text == SAID
                app.window.notices.dismiss(str(Code.DISK_FULL))
            assert shown(app) == ["hello", "You said: hello"]
            assert [chat.is_pinned for chat in app.chat_list.chats] == [False]
            assert app.composer.text == "words" * 4

    run(scene())


def test_a_system_prompt_given_before_the_first_message_is_used(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            app.actions["system_prompt"].trigger()
            dialog = dialog_of(app)
            dialog.setTextValue("Be brief.")
            accept(dialog)
            assert app.chats.system_prompt == "Be brief."
            assert (await ask(app, "repeat")).content.strip() == "Be brief./repeat"
            app.chats.new_chat()
            assert app.chats.system_prompt == ""
            assert (await ask(app, "repeat")).content.strip() == "repeat"
            write(app, "by hand", enter=False)
            assert app.conversation.item(0).role is Role.USER

    run(scene())
