"""The main window: its shape is kept, clamped to live screens, and every part has a name."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QDataStream, QIODevice, QRect, QSettings, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from app.ui.theme import Theme
from app.window.main_window import DEFAULT_SIZE, MainWindow


@pytest.fixture
def state(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)


def make(qtbot: QtBot, state: QSettings, scheme: str = "light") -> MainWindow:
    window = MainWindow(Theme(scheme), state)
    qtbot.addWidget(window, before_close_func=MainWindow.close_now)
    window.restore_state()
    assert window.sidebar.window() is window  # Made now, as after the first paint.
    return window


def saved_geometry(window: MainWindow, place: QRect, *, is_maximized: bool) -> QByteArray:
    """What Qt would have saved of a window at `place`: its own format, in version 3."""
    saved = QByteArray()
    stream = QDataStream(saved, QIODevice.OpenModeFlag.WriteOnly)
    stream.setVersion(QDataStream.Version.Qt_4_0)
    stream.writeUInt32(0x01D9D0CB)
    for number in (3, 0):
        stream.writeUInt16(number)
    for each in (place, place):
        stream << each
    stream.writeInt32(0)
    stream.writeUInt8(is_maximized)
    stream.writeUInt8(0)
    stream.writeInt32(QGuiApplication.primaryScreen().availableGeometry().width())  # Else Qt gives it up itself.
    stream << place
    assert window.saveGeometry().left(6) == saved.left(6)
    return saved


def test_a_first_start_has_the_default_size(qtbot: QtBot, state: QSettings) -> None:
    screen = QGuiApplication.primaryScreen().availableGeometry().size()
    assert make(qtbot, state).size() == DEFAULT_SIZE.boundedTo(screen)


def test_the_shape_is_kept(qtbot: QtBot, state: QSettings) -> None:
    first = make(qtbot, state)
    first.setGeometry(QRect(20, 30, 700, 500))
    first.toggle_sidebar()
    first.toggle_panel()
    first.save_state()
    second = make(qtbot, state)
    assert second.size() == QSize(700, 500)
    assert second.sidebar.isHidden()
    assert not second.panel.isHidden()


def test_the_chats_give_way_where_the_panel_leaves_no_room(qtbot: QtBot, state: QSettings) -> None:
    window = make(qtbot, state)
    window.panel.setMinimumWidth(344)
    window.show()
    window.resize(560, 500)
    assert window.sidebar.isVisible()
    window.toggle_panel()
    assert window.sidebar.isHidden()
    assert window.width() >= window.panel.width() + window.composer.minimumSizeHint().width()
    qtbot.waitUntil(lambda: window.panel.mapTo(window, window.panel.rect().topRight()).x() < window.width())
    window.save_state()
    assert state.value("window/has_sidebar", False, bool)
    window.resize(1180, 500)
    assert window.sidebar.isVisible()
    window.resize(700, 500)
    window.toggle_panel()
    assert window.sidebar.isVisible()
    window.resize(560, 500)
    assert window.width() == 560
    window.toggle_panel()
    window.toggle_sidebar()
    assert (window.sidebar.isVisible(), window.panel.isVisible()) == (True, False)
    window.toggle_sidebar()
    window.toggle_panel()
    window.resize(1180, 500)
    assert window.sidebar.isHidden()  # By the user's own wish.


@pytest.mark.parametrize(
    "place",
    [
        QRect(-9000, 7000, 700, 500), QRect(5000, 40, 1180, 800), QRect(-300, -200, 700, 500),
        QRect(300, 200, 9000, 9000), QRect(0, 0, 1, 1),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_maximized", [False, True])
def test_a_window_that_was_on_a_screen_that_is_gone_comes_back(
    qtbot: QtBot, state: QSettings, place: QRect, is_maximized: bool
) -> None:
    first = make(qtbot, state)
    state.setValue("window/geometry", saved_geometry(first, place, is_maximized=is_maximized))
    second = make(qtbot, state)
    second.show()
    qtbot.waitUntil(lambda: second.isMaximized() == is_maximized)
    QApplication.processEvents()
    assert QGuiApplication.primaryScreen().availableGeometry().contains(second.frameGeometry())


def test_a_damaged_state_is_given_up(qtbot: QtBot, state: QSettings) -> None:
    state.setValue("window/geometry", QByteArray(b"nonsense"))
    state.setValue("window/splitter", QByteArray(b"nonsense"))
    window = make(qtbot, state)
    area = QGuiApplication.primaryScreen().availableGeometry()
    assert area.contains(window.geometry())
    assert not window.sidebar.isHidden()


@pytest.mark.parametrize("scheme", ["light", "dark", "high_contrast"])
def test_everything_that_takes_the_focus_has_a_name(qtbot: QtBot, state: QSettings, scheme: str) -> None:
    window = make(qtbot, state, scheme)
    window.show()
    focusable = [
        widget
        for widget in window.findChildren(QWidget)
        if isinstance(widget, (QAbstractButton, QLineEdit, QPlainTextEdit))
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    assert len(focusable) > 8
    assert [widget for widget in focusable if not widget.accessibleName()] == []


def test_tab_goes_from_the_message_through_the_sidebar_to_the_model(qtbot: QtBot, state: QSettings) -> None:
    window = make(qtbot, state)
    order, widget = [], window.composer.edit
    for _ in range(200):
        order.append(widget)
        widget = widget.nextInFocusChain()
    side = window.sidebar
    wanted = [window.composer.edit, side.new_chat, side.search, side.list, window.top_bar.chip]
    places = [order.index(each) for each in wanted]
    assert places == sorted(places)


def test_the_theme_changes_live(qtbot: QtBot, state: QSettings) -> None:
    window = make(qtbot, state)
    window.show()
    before = window.grab().toImage().pixelColor(10, window.height() - 10)
    window.theme.set_choice("dark")
    after = window.grab().toImage().pixelColor(10, window.height() - 10)
    assert before.lightness() > 200
    assert after.lightness() < 60


def test_closing_asks_the_application(qtbot: QtBot, state: QSettings) -> None:
    window = make(qtbot, state)
    window.show()
    with qtbot.waitSignal(window.close_requested):
        window.close()
    assert window.isVisible()
    assert window.is_close_wanted


def test_notices_do_not_repeat_and_undo_acts_once(qtbot: QtBot, state: QSettings) -> None:
    window = make(qtbot, state)
    notices, undone = window.notices, []
    notices.show_notice("The disk is full.", is_warning=True)
    notices.show_notice("The disk is full.", is_warning=True)
    notice = notices.offer_undo("The chat was deleted.", lambda: undone.append(True))
    assert notices.texts == ["The disk is full.", "The chat was deleted."]
    assert notice.button is not None
    notice.button.click()
    assert undone == [True]
    assert notices.texts == ["The disk is full."]
    for number in range(5):
        notices.show_notice(f"Notice {number}")
    assert notices.texts == ["Notice 2", "Notice 3", "Notice 4"]
