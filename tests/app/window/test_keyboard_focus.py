"""Escape and the focus: what is nearest closes first, nothing typed is lost, and the message field has the keys."""

from __future__ import annotations

from app_scene import Run, ask, shown, until, window
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QWidget

from app.application import Application
from app.core.answer_state import AnswerState
from engine.store.chats import ChatStore


def press(widget: QWidget, key: Qt.Key) -> None:
    """The window's shortcuts are looked at first, as a user's key does it."""
    widget.setFocus()
    QTest.keyClick(widget, key)


async def hang(application: Application) -> None:
    """An answer that goes on."""
    application.chats.send("hang")
    await until(lambda: shown(application)[-1:] == ["You said: hang"])


def test_escape_closes_the_find_bar_before_it_stops_the_answer(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            await hang(application)
            bar = application.find_bar
            application.actions["find"].trigger()
            press(bar.field, Qt.Key.Key_Escape)
            assert not bar.isVisible()
            assert application.chats.state is AnswerState.BUSY
            assert application.composer.edit.hasFocus()
            press(application.composer.edit, Qt.Key.Key_Escape)
            await until(lambda: application.chats.state is AnswerState.IDLE)

    run(scene())


def test_escape_from_the_message_closes_the_find_bar_and_keeps_the_text(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            application.actions["find"].trigger()
            application.composer.set_text("not lost")
            press(application.composer.edit, Qt.Key.Key_Escape)
            assert not application.find_bar.isVisible()
            assert application.composer.text == "not lost"

    run(scene())


def test_what_is_typed_over_the_chat_goes_into_the_message(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            await ask(application, "hello")
            await until(lambda: application.transcript is not None)
            assert application.transcript is not None
            press(application.transcript.area, Qt.Key.Key_A)
            assert application.composer.text == "a"
            assert application.composer.edit.hasFocus()

    run(scene())


def test_no_key_deletes_a_chat_but_delete_in_its_list(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            await ask(application, "hello")
            await until(lambda: application.transcript is not None and len(application.chat_list.chats) == 1)
            assert application.transcript is not None
            application.transcript.finish_drawing()
            card = application.transcript.area.visible_cards()[0]
            sidebar, find, chats = application.sidebar, application.find_bar, application.sidebar.list
            find.open_bar()
            beside = (sidebar.search, sidebar.new_chat, sidebar.models, application.top_bar.chip)
            places = (application.composer.edit, application.transcript.area, card, find.field, *beside)
            for place, key in [(place, key) for place in places for key in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)]:
                press(place, key)
            press(chats, Qt.Key.Key_Backspace)
            assert len(await application.database.call(ChatStore.chats)) == 1
            assert shown(application) == ["hello", "You said: hello"]
            assert application.window.notices.texts == []
            chats.setCurrentIndex(application.chat_list.index(1))
            press(chats, Qt.Key.Key_Delete)
            await until(lambda: not application.chat_list.chats and application.chats.chat is None)
            assert len(application.window.notices.texts) == 1
            application.window.notices.findChild(type(application.composer.send), "plain").click()
            await until(lambda: shown(application) == ["hello", "You said: hello"])

    run(scene())


def test_a_chosen_chat_a_stop_and_a_closed_dialog_leave_the_message_field_ready(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            chat = await application.database.call(ChatStore.create_chat, title="Lisbon")
            edit = application.composer.edit
            application.chat_list_controller.refresh()
            await until(lambda: bool(application.chat_list.chats))
            application.sidebar.list.setFocus()
            application.sidebar.chat_opened.emit(chat.id)
            assert edit.hasFocus()
            await until(lambda: application.chats.chat is not None)
            await hang(application)
            application.sidebar.list.setFocus()
            application.actions["stop"].trigger()
            assert edit.hasFocus()
            application.sidebar.settings.setFocus()
            application.actions["settings"].trigger()
            dialog = application.settings.dialog
            assert isinstance(dialog, QDialog)
            await until(dialog.isActiveWindow)
            dialog.close()
            application.window.activateWindow()  # As a desktop does it.
            await until(edit.hasFocus)

    run(scene())
