"""Several chats of the list at once: chosen by mouse and keyboard, deleted with one undo, archived, moved, exported."""

from __future__ import annotations

from app_scene import Run, until, window
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog, QMenu

from app.application import Application
from app.chat_list.export_dialog import ExportDialog
from engine.store.chats import ChatStore

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


async def make_chats(application: Application, n_chats: int) -> list[str]:
    """Store chats and wait until they are listed; their ids from top to bottom."""
    for number in range(n_chats):
        await application.database.call(ChatStore.create_chat, title=f"Trip {number}")
    application.chat_list_controller.refresh()
    await until(lambda: len(application.chat_list.chats) == n_chats)
    return [chat.id for chat in application.chat_list.chats]


def click(application: Application, chat_id: str, modifier: Qt.KeyboardModifier) -> None:
    row = application.chat_list.row_of_chat(chat_id)
    assert row is not None
    place = application.sidebar.list.visualRect(application.chat_list.index(row)).center()
    QTest.mouseClick(application.sidebar.list.viewport(), Qt.MouseButton.LeftButton, modifier, place)


def choose(menu: QMenu, text: str) -> None:
    next(action for action in menu.actions() if action.text() == text).trigger()


def test_several_chats_are_deleted_and_one_undo_brings_all_back(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            ids = await make_chats(application, 4)
            click(application, ids[0], CTRL)
            click(application, ids[2], SHIFT)
            assert application.sidebar.list.chosen == tuple(ids[:3])
            assert application.chats.chat is None  # Choosing opens nothing.
            application.chat_list_controller.refresh()
            QTest.keyClick(application.sidebar.list, Qt.Key.Key_Delete)
            await until(lambda: [chat.id for chat in application.chat_list.chats] == ids[3:])
            assert application.window.notices.texts == ["3 chats were deleted."]
            application.window.notices.buttons["undo"].click()
            await until(lambda: [chat.id for chat in application.chat_list.chats] == ids)

    run(scene())


def test_reading_the_list_again_keeps_what_is_chosen(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            ids = await make_chats(application, 3)
            application.sidebar.list.setFocus()
            click(application, ids[0], Qt.KeyboardModifier.NoModifier)
            await until(lambda: application.chats.chat is not None)
            QTest.keyClick(application.sidebar.list, Qt.Key.Key_Down, SHIFT)
            assert application.sidebar.list.chosen == tuple(ids[:2])
            assert application.sidebar.delegate.has_many
            await application.database.call(ChatStore.create_chat, title="Another")
            application.chat_list_controller.refresh()
            await until(lambda: len(application.chat_list.chats) == 4)
            assert application.sidebar.list.chosen == tuple(ids[:2])
            click(application, ids[2], Qt.KeyboardModifier.NoModifier)
            assert not application.sidebar.delegate.has_many

    run(scene())


def test_the_menu_of_several_chats_moves_archives_and_exports_them(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            ids = await make_chats(application, 3)
            sidebar = application.sidebar
            menu = sidebar.menu_for_several(ids[:2])
            assert menu.actions()[0].text() == "2 chats"
            assert [each.text() for each in menu.actions() if each.isSeparator()] == ["", ""]
            folders = next(each for each in menu.findChildren(QMenu))
            choose(folders, "New folder…")
            dialog = application.window.findChildren(QInputDialog)[-1]
            dialog.setTextValue("Travel")
            dialog.accept()
            await until(lambda: len([chat for chat in application.chat_list.chats if chat.folder_id]) == 2)
            choose(sidebar.menu_for_several(ids[:2]), "Export…")
            await until(lambda: bool(application.window.findChildren(ExportDialog)))
            asked = application.window.findChildren(ExportDialog)[-1]
            assert set(asked.chosen) == set(ids[:2])
            asked.reject()
            choose(sidebar.menu_for_several(ids[:2]), "Archive")
            await until(lambda: len(application.chat_list.archived) == 2)
            application.window.notices.buttons["undo"].click()
            await until(lambda: not application.chat_list.archived)

    run(scene())


def test_dragged_chats_go_into_a_folder_together(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            ids = await make_chats(application, 2)
            folder = await application.database.call(ChatStore.create_folder, "Travel")
            application.chat_list_controller.refresh()
            await until(lambda: bool(application.chat_list.folders))
            model = application.chat_list
            rows = [model.row_of_chat(chat_id) for chat_id in ids]
            data = model.mimeData([model.index(row) for row in rows if row is not None])
            target = next(model.index(n) for n in range(model.rowCount()) if model.row(n).key == folder.id)
            assert model.dropMimeData(data, Qt.DropAction.CopyAction, -1, -1, target)
            await until(lambda: all(chat.folder_id == folder.id for chat in model.chats))

    run(scene())
