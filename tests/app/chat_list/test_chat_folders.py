"""Folders in the sidebar: made, renamed, deleted with undo, and filled by dragging."""

from __future__ import annotations

from app_scene import Run, until, window
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog

from app.application import Application
from app.chat_list.chat_list_model import CHAT_MIME, RowKind
from engine.store.chats import ChatStore


def rows(application: Application, kind: RowKind) -> list[str]:
    model = application.chat_list
    return [model.row(n).text for n in range(model.rowCount()) if model.row(n).kind is kind]


def row_of(application: Application, text: str) -> QModelIndex:
    model = application.chat_list
    return next(model.index(n) for n in range(model.rowCount()) if model.row(n).text == text)


def answer(application: Application, text: str) -> None:
    """Type into the dialog that is open, and accept it."""
    dialog = application.window.findChildren(QInputDialog)[-1]
    dialog.setTextValue(text)
    dialog.accept()


def test_folders_live_from_their_making_to_their_undone_end(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            chat = await application.database.call(ChatStore.create_chat, title="Lisbon")
            application.chat_list_controller.refresh()
            await until(lambda: rows(application, RowKind.CHAT) == ["Lisbon"])
            application.sidebar.folder_menu().actions()[0].trigger()
            answer(application, " Trips ")
            await until(lambda: rows(application, RowKind.FOLDER) == ["Trips"])
            model = application.chat_list
            data = model.mimeData([row_of(application, "Lisbon")])
            assert data.data(CHAT_MIME).data().decode() == chat.id
            copy = Qt.DropAction.CopyAction
            assert model.dropMimeData(data, copy, -1, -1, row_of(application, "Trips"))
            await until(lambda: model.chats[0].folder_id is not None)
            folder_id = model.folders[0].id
            assert model.chats[0].folder_id == folder_id
            application.sidebar.list.setCurrentIndex(row_of(application, "Trips"))
            QTest.keyClick(application.sidebar.list, Qt.Key.Key_F2)
            answer(application, "Travel")
            await until(lambda: rows(application, RowKind.FOLDER) == ["Travel"])
            application.sidebar.list.setCurrentIndex(row_of(application, "Travel"))
            QTest.keyClick(application.sidebar.list, Qt.Key.Key_Delete)
            await until(lambda: not model.folders)
            assert rows(application, RowKind.CHAT) == ["Lisbon"]
            assert "The folder “Travel” was deleted." in application.window.notices.texts
            notice = next(iter(application.window.notices._notices.values()))
            assert notice.button is not None
            notice.button.click()
            await until(lambda: bool(model.folders))
            assert model.chats[0].folder_id == folder_id
            assert model.dropMimeData(data, copy, -1, -1, row_of(application, "Folders"))
            await until(lambda: model.chats[0].folder_id is None)

    run(scene())


def test_what_is_no_chat_is_not_taken(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            await application.database.call(ChatStore.create_folder, "Trips")
            application.chat_list_controller.refresh()
            await until(lambda: bool(application.chat_list.folders))
            model, folder = application.chat_list, row_of(application, "Trips")
            data = model.mimeData([folder])
            data.clear()
            data.setText("chat")
            assert not model.dropMimeData(data, Qt.DropAction.CopyAction, -1, -1, folder)
            assert not model.flags(folder) & Qt.ItemFlag.ItemIsDragEnabled
            assert model.flags(folder) & Qt.ItemFlag.ItemIsDropEnabled

    run(scene())


def test_a_pinned_chat_is_listed_in_the_folder_where_it_is_put(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            chat = await application.database.call(ChatStore.create_chat, title="Lisbon")
            folder = await application.database.call(ChatStore.create_folder, "Trips")
            application.chat_list_controller.pin(chat.id, True)
            model = application.chat_list
            await until(lambda: bool(model.chats) and model.chats[0].is_pinned)
            application.chat_list_controller.move((chat.id,), folder.id)
            await until(lambda: model.chats[0].folder_id == folder.id)
            assert row_of(application, "Lisbon").row() == row_of(application, "Trips").row() + 1
            application.chat_list_controller.pin(chat.id, True)
            await until(lambda: model.chats[0].is_pinned)
            application.chat_list_controller.move((chat.id,), None)
            await until(lambda: model.chats[0].folder_id is None)
            assert model.chats[0].is_pinned

    run(scene())
