"""The sidebar: groups, folders, search hits, keys, and ten thousand chats."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from types import FrameType

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QFontMetrics, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.chat_list.chat_delegate import leading_cut
from app.chat_list.chat_list_model import ChatListModel, RowKind
from app.chat_list.sidebar import Sidebar
from app.ui.theme import Theme
from engine.store.chat_values import Chat, Folder, SearchHit

DAY = 86_400.0


def chat(number: int, age: float = 0.0, **fields: object) -> Chat:
    moment = time.time() - age
    return Chat(id=f"c{number}", title=f"Chat {number}", created_at=moment, updated_at=moment, **fields)  # type: ignore[arg-type]


@pytest.fixture
def model() -> ChatListModel:
    return ChatListModel()


@pytest.fixture
def sidebar(model: ChatListModel, qtbot: QtBot) -> Sidebar:
    widget = Sidebar(model, Theme("light"))
    qtbot.addWidget(widget)
    widget.resize(232, 800)
    widget.show()
    return widget


def rows(model: ChatListModel) -> list[str]:
    return [model.row(number).text for number in range(model.rowCount())]


def test_chats_are_grouped_by_pin_age_and_folder(model: ChatListModel) -> None:
    work = Folder(id="f", name="Work")
    model.set_chats(
        [
            chat(1), chat(2, is_pinned=True), chat(3, DAY), chat(4, 4 * DAY), chat(5, 20 * DAY), chat(6, 400 * DAY),
            chat(7, folder_id="f"), chat(8, folder_id="gone"),
        ],
        [work],
    )  # fmt: skip
    assert rows(model) == [
        "Pinned", "Chat 2", "Today", "Chat 1", "Chat 8", "Yesterday", "Chat 3", "Last 7 days", "Chat 4",
        "Last 30 days", "Chat 5", "Older", "Chat 6", "Folders", "Work", "Chat 7",
    ]  # fmt: skip


def test_a_folder_closes_and_counts(model: ChatListModel) -> None:
    model.set_chats([chat(1, folder_id="f")], [Folder(id="f", name="Work")])
    assert not model.toggle_folder("f")
    assert rows(model) == ["Folders", "Work"]
    assert model.row(1).n_chats == 1


def test_rows_say_what_is_painted(model: ChatListModel) -> None:
    def spoken() -> list[object]:
        role = Qt.ItemDataRole.AccessibleTextRole
        return [model.data(model.index(number), role) for number in range(model.rowCount())]

    model.set_chats([chat(1), chat(2, is_archived=True)])
    assert spoken() == ["Today", "Chat 1", "Archived", "Archived, 1"]
    model.set_chats([chat(1, folder_id="f"), chat(2)], [Folder(id="f", name="Work")])
    model.set_busy(frozenset({"c2"}))
    assert spoken() == ["Today", "Chat 2, being answered", "Folders", "Folder Work, 1, open", "Chat 1"]
    model.toggle_folder("f")
    assert spoken()[-1] == "Folder Work, 1, closed"


def test_headings_cannot_be_chosen_and_chats_can(model: ChatListModel) -> None:
    model.set_chats([chat(1)])
    flag = Qt.ItemFlag
    assert not model.flags(model.index(0)) & (flag.ItemIsEnabled | flag.ItemIsSelectable | flag.ItemIsDragEnabled)
    assert model.flags(model.index(1)) & Qt.ItemFlag.ItemIsSelectable


def test_the_key_of_a_new_chat_gives_way_to_its_words(sidebar: Sidebar) -> None:
    sidebar.set_new_chat_shortcut(QKeySequence("Ctrl+N"))
    assert sidebar._new_key.isVisible()
    sidebar.new_chat.setText("A new chat in many more words")
    sidebar.resize(220, 800)
    assert not sidebar._new_key.isVisible()


def test_what_chats_would_be_dropped_on_is_marked(sidebar: Sidebar, model: ChatListModel) -> None:
    model.set_chats([chat(1), chat(2, folder_id="f")], [Folder(id="f", name="Work")])
    listed, got = sidebar.list, []
    model.chats_dropped.connect(lambda ids, folder: got.append((ids, folder)))
    data, copy = model.mimeData([model.index(1)]), Qt.DropAction.CopyAction
    button, no_key = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier

    def over(row: int) -> QPoint:
        return listed.visualRect(model.index(row)).center()

    def drag(kind: type[QDragMoveEvent], row: int, mime: QMimeData) -> bool:
        event = kind(over(row), copy, mime, button, no_key)
        QApplication.sendEvent(listed.viewport(), event)
        return event.isAccepted()

    drag(QDragEnterEvent, 3, data)
    assert drag(QDragMoveEvent, 3, data)
    assert (rows(model)[3], listed.drop_row) == ("Work", 3)
    drop = QDropEvent(QPointF(over(3)), copy, data, button, no_key)
    QApplication.sendEvent(listed.viewport(), drop)
    assert (got, listed.drop_row) == ([(("c1",), "f")], -1)
    other = QMimeData()
    other.setText("words")
    drag(QDragEnterEvent, 3, other)
    assert not drag(QDragMoveEvent, 3, other)
    assert listed.drop_row == -1


def test_keys_open_delete_and_rename(sidebar: Sidebar, model: ChatListModel, qtbot: QtBot) -> None:
    model.set_chats([chat(1), chat(2)])
    sidebar.list.setFocus()
    sidebar.list.setCurrentIndex(model.index(1))
    QTest.keyClick(sidebar.list, Qt.Key.Key_Down)
    with qtbot.waitSignal(sidebar.chat_opened) as opened:
        QTest.keyClick(sidebar.list, Qt.Key.Key_Return)
    assert opened.args == ["c2"]
    with qtbot.waitSignal(sidebar.delete_requested):
        QTest.keyClick(sidebar.list, Qt.Key.Key_Delete)
    with qtbot.waitSignal(sidebar.rename_requested):
        QTest.keyClick(sidebar.list, Qt.Key.Key_F2)


def test_larger_text_has_higher_rows(sidebar: Sidebar, model: ChatListModel) -> None:
    model.set_chats([chat(1), chat(2)])
    heights = []
    for size in (14, 24):
        sidebar.theme.set_font(size)
        heights.append(sidebar.list.visualRect(model.index(1)).height())
        assert heights[-1] > QFontMetrics(sidebar.theme.font()).height() + 6
    assert heights[0] == 34 < heights[1]


def test_backspace_deletes_nothing(sidebar: Sidebar, model: ChatListModel, qtbot: QtBot) -> None:
    model.set_chats([chat(1)])
    sidebar.list.setCurrentIndex(model.index(1))
    with qtbot.assertNotEmitted(sidebar.delete_requested):
        QTest.keyClick(sidebar.list, Qt.Key.Key_Backspace)


def test_typing_searches_after_a_pause_and_escape_ends_it(sidebar: Sidebar, qtbot: QtBot) -> None:
    with qtbot.waitSignal(sidebar.search_requested) as searched:
        QTest.keyClicks(sidebar.search, "kv cache")
    assert searched.args == ["kv cache"]
    with qtbot.waitSignal(sidebar.search_requested) as ended:
        QTest.keyClick(sidebar.search, Qt.Key.Key_Escape)
    assert ended.args == [""]


def test_hits_show_their_place_and_open_it(sidebar: Sidebar, model: ChatListModel, qtbot: QtBot) -> None:
    hit = SearchHit(
        chat_id="c1", chat_title="Chat 1", message_id="m1", created_at=0.0, snippet="the KV cache", highlights=((4, 6),)
    )
    model.set_hits([hit])
    assert model.row(0).kind is RowKind.HIT
    with qtbot.waitSignal(sidebar.hit_opened) as opened:
        sidebar.list.clicked.emit(model.index(0))
    assert opened.args == ["c1", "m1"]
    assert not sidebar.grab().isNull()
    model.set_hits([])
    assert sidebar._nothing.isVisible()
    sidebar.search.setText("rain")
    assert sidebar.way_out.text() == "Clear the search"
    sidebar.way_out.click()
    assert not sidebar.search.text()
    model.set_hits(None)
    assert not sidebar._nothing.isVisible()


def test_the_menu_offers_everything_that_can_be_done(sidebar: Sidebar, model: ChatListModel, qtbot: QtBot) -> None:
    model.set_chats([chat(1)], [Folder(id="f", name="Work")])
    menu = sidebar.menu_for(model.chats[0])
    names = [action.text() for action in menu.actions() if action.text()]
    assert names == ["Rename…", "Pin", "Move to folder", "Duplicate", "Export…", "Archive", "Delete"]
    with qtbot.waitSignal(sidebar.pin_requested) as pinned:
        menu.actions()[1].trigger()
    assert pinned.args == ["c1", True]


def test_ten_thousand_chats_cost_what_is_seen_of_them(sidebar: Sidebar, model: ChatListModel) -> None:
    """In calls of functions: scrolling, painting and choosing as much as with three hundred."""
    n_calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal n_calls
        n_calls += event in ("call", "c_call")

    def cost(work: Callable[[], object]) -> int:
        nonlocal n_calls
        n_calls = 0
        sys.setprofile(count)
        try:
            work()
        finally:
            sys.setprofile(None)
        return n_calls

    def look() -> None:
        bar = sidebar.list.verticalScrollBar()
        for place in (0, bar.maximum() // 2, bar.maximum()):
            bar.setValue(place)
            sidebar.grab()
        QTest.keyClick(sidebar.list, Qt.Key.Key_Up)

    def answer() -> None:
        for busy in ({"c1"}, {"c1", "c99"}, set[str]()):
            model.set_busy(frozenset(busy))
            sidebar.grab()

    listing, placing, looking, answering = [], [], [], []
    for n_chats in (300, 10_000):
        chats = [chat(number, number * 3600.0) for number in range(n_chats)]
        listing.append(cost(partial(model.set_chats, chats)) / n_chats)
        placing.append(cost(sidebar.grab) / n_chats)
        looking.append(cost(look))
        answering.append(cost(answer))
    assert looking[1] < 1.5 * looking[0]
    assert answering[1] < 1.5 * answering[0]
    assert listing[1] < 1.5 * listing[0]
    assert placing[1] < 8  # Qt asks the model for each; nothing is measured.


def test_archived_chats_have_a_view_of_their_own(sidebar: Sidebar, model: ChatListModel) -> None:
    model.set_chats([chat(1), chat(2, is_archived=True), chat(3, 3 * DAY, is_archived=True)])
    assert rows(model) == ["Today", "Chat 1", "", "Archived"]
    sidebar.list.clicked.emit(model.index(3))
    assert rows(model) == ["Archived", "Today", "Chat 2", "Last 7 days", "Chat 3"]
    archived = model.row(2).chat
    assert archived is not None
    assert "Unarchive" in [action.text() for action in sidebar.menu_for(archived).actions()]
    QTest.keyClick(sidebar, Qt.Key.Key_Escape)
    assert rows(model) == ["Today", "Chat 1", "", "Archived"]


def test_nothing_stands_over_the_archive_when_all_chats_are_in_it(sidebar: Sidebar, model: ChatListModel) -> None:
    model.set_chats([chat(1, is_archived=True)])
    assert rows(model) == ["Archived"]


def test_an_empty_archive_says_how_it_fills(sidebar: Sidebar, model: ChatListModel) -> None:
    model.set_chats([chat(1)])
    assert rows(model) == ["Today", "Chat 1"]
    sidebar.show_archive()
    assert rows(model) == ["Archived"]
    assert sidebar._nothing.isVisible()
    assert sidebar._nothing.text().startswith("No chat is archived.")
    sidebar.list.clicked.emit(model.index(0))
    assert not sidebar._nothing.isVisible()


def test_a_hit_far_into_its_line_is_brought_into_view_by_whole_words() -> None:
    text = "some words before the rain in Spain"
    assert leading_cut(text, text.index("rain") + 4, 12, len) == text.index("the")
    assert leading_cut("rain in Spain", 4, 12, len) == 0
    assert leading_cut("里斯本五月份的雨", 8, 3, len) == 5


def test_an_empty_archive_says_so_under_the_way_back(model: ChatListModel, sidebar: Sidebar, qtbot: QtBot) -> None:
    model.set_chats([chat(1)])
    sidebar.show_archive()
    hint = sidebar._nothing
    qtbot.waitUntil(lambda: hint.isVisible() and hint.y() >= sidebar.list.geometry().bottom())
    assert sidebar.list.height() == sidebar.list.sizeHintForRow(0)
    sidebar.show_archive(False)
    qtbot.waitUntil(lambda: not hint.isVisible() and sidebar.list.height() > 400)


def test_the_key_of_new_chat_gives_way_to_the_words(qtbot: QtBot, model: ChatListModel) -> None:
    theme = Theme("light")
    sidebar = Sidebar(model, theme)
    qtbot.addWidget(sidebar)
    sidebar.set_new_chat_shortcut(QKeySequence("Ctrl+N"))
    sidebar.resize(232, 400)
    sidebar.show()
    key = next(label for label in sidebar.new_chat.findChildren(QLabel) if label.text() == "Ctrl N")
    assert key.isVisible()
    theme.set_font(24)
    sidebar.resize(180, 400)
    assert not key.isVisible()


def test_a_list_without_chats_offers_to_import_some(sidebar: Sidebar, model: ChatListModel, qtbot: QtBot) -> None:
    assert not sidebar.way_out.isVisible()  # Not read yet.
    model.set_chats([])
    assert sidebar._nothing.text() == "No chats yet. What you write is kept here."
    with qtbot.waitSignal(sidebar.import_requested):
        sidebar.way_out.click()
    model.set_chats([chat(1)])
    assert not sidebar.way_out.isVisible()
    assert not sidebar._nothing.isVisible()


def test_the_row_that_keys_lead_to_is_ringed_and_the_one_clicked_is_not(
    model: ChatListModel, sidebar: Sidebar, qtbot: QtBot
) -> None:
    model.set_chats([chat(number) for number in range(3)], [])
    sidebar.activateWindow()
    sidebar.list.setFocus(Qt.FocusReason.MouseFocusReason)
    qtbot.waitUntil(sidebar.list.hasFocus)

    def ring() -> bool:
        """The accent is in the picture of the list: nothing else of it has that colour."""
        picture = sidebar.list.viewport().grab().toImage()
        accent = sidebar.theme.color("accent").rgb()
        return any(picture.pixel(x, y) == accent for y in range(picture.height()) for x in range(20, 40))

    place = sidebar.list.visualRect(model.index(2, 0)).center()
    QTest.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert not ring()
    QTest.keyClick(sidebar.list, Qt.Key.Key_Down)
    assert ring()
    QTest.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert not ring()


def test_rows_make_room_for_larger_letters(model: ChatListModel, sidebar: Sidebar) -> None:
    model.set_chats([chat(number) for number in range(3)], [])

    def height() -> int:
        return sidebar.list.visualRect(model.index(1)).height()

    usual = height()
    sidebar.theme.set_font(24)
    assert height() > QFontMetrics(sidebar.theme.font()).height() + 8
    assert height() > usual
    assert sidebar.search.height() > QFontMetrics(sidebar.search.font()).height() + 4
    sidebar.theme.set_font(10)
    assert height() == usual
