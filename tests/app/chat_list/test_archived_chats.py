"""Archived chats in the real window: out of the list, found by search, opened, brought back, deleted and undone."""

from __future__ import annotations

import pytest
from app_scene import Run, shown, until, window
from PySide6.QtCore import Qt

from app.application import Application
from app.chat_list.chat_list_controller import ChatListController
from app.chat_list.chat_list_model import RowKind
from engine.protocol import Role
from engine.store.chats import ChatStore


def titles(application: Application) -> list[str]:
    model = application.chat_list
    return [model.row(n).text for n in range(model.rowCount()) if model.row(n).kind is not RowKind.HEADING]


def test_a_chat_goes_into_the_archive_and_comes_back(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            chat = await app.database.call(ChatStore.create_chat, title="Lisbon")
            await app.database.call(ChatStore.add_message, chat.id, Role.USER, "a tram to Belém")
            app.chat_list_controller.refresh()
            await until(lambda: titles(app) == ["Lisbon"])
            app.chat_list_controller.archive((chat.id,), True)
            await until(lambda: titles(app) == ["Archived"])
            app.sidebar.search.setText("tram")
            await until(lambda: app.chat_list.is_searching)
            hit = app.chat_list.row(0).hit
            assert hit is not None
            assert (hit.is_archived, hit.chat_title) == (True, "Lisbon")
            assert (
                app.chat_list.index(0).data(Qt.ItemDataRole.AccessibleTextRole) == "Lisbon, archived: a tram to Belém"
            )
            app.sidebar.hit_opened.emit(chat.id, hit.message_id)
            await until(lambda: shown(app) == ["a tram to Belém"])
            assert "This chat is archived." in app.window.notices.texts
            app.actions["archived"].trigger()
            await until(lambda: titles(app) == ["Archived", "Lisbon"])
            app.chat_list_controller.delete((chat.id,))
            await until(lambda: titles(app) == ["Archived"])
            assert "“Lisbon” was deleted." in app.window.notices.texts
            undo = app.window.notices._notices["undo"].button
            assert undo is not None
            undo.click()
            await until(lambda: titles(app) == ["Archived", "Lisbon"])
            await until(lambda: "This chat is archived." in app.window.notices.texts)
            back = app.window.notices._notices["archived"].button
            assert back is not None
            back.click()
            await until(lambda: titles(app) == ["Archived"])
            app.sidebar.show_archive(False)
            assert titles(app) == ["Lisbon"]
            await until(lambda: "This chat is archived." not in app.window.notices.texts)

    run(scene())


def test_an_archived_chat_says_so_before_the_list_is_read(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        async with window() as app:
            chat = await app.database.call(ChatStore.create_chat, title="Lisbon", is_archived=True)
            await app.database.call(ChatStore.add_message, chat.id, Role.USER, "a tram to Belém")
        refresh = ChatListController.refresh
        monkeypatch.setattr(ChatListController, "refresh", lambda _chat_list_controller: None)
        async with window() as app:
            app.chats.open_chat(chat.id)
            await until(lambda: shown(app) == ["a tram to Belém"])
            assert titles(app) == []
            assert "This chat is archived." in app.window.notices.texts
            app.top_bar.menu.aboutToShow.emit()
            assert "Unarchive" in [action.text() for action in app.top_bar.menu.actions()]
            refresh(app.chat_list_controller)
            await until(lambda: titles(app) == ["Archived"])
            app.chat_list_controller.archive((chat.id,), False)
            await until(lambda: "This chat is archived." not in app.window.notices.texts)

    run(scene())
