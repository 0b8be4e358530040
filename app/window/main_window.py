"""The main window: places the parts, remembers its shape, and stays on a live screen."""

from __future__ import annotations

import functools
import itertools
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QObject, QRect, QSettings, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QMainWindow, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.composer.composer import Composer
from app.ui.notice_bar import NoticeBar
from app.ui.style_sheet import style_sheet
from app.ui.theme import Theme
from app.window.top_bar import TopBar
from app.window.welcome import Welcome

if TYPE_CHECKING:
    from app.chat_list.chat_list_model import ChatListModel
    from app.chat_list.sidebar import Sidebar
    from app.latency.latency_strip import LatencyStrip

DEFAULT_SIZE = QSize(1180, 800)
SIDEBAR_WIDTH = 232
PANEL_WIDTH = 344
_STRIP_HEIGHT = 34
_MINIMUM = QSize(560, 420)
_UNPAINTED_MS = 300
_log = logging.getLogger(__name__)


class MainWindow(QMainWindow):
    """`close_requested` when the user closes the window: the application decides what follows."""

    close_requested = Signal()
    panel_shown = Signal(bool)

    def __init__(self, theme: Theme, state: QSettings) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setWindowTitle("Firstlight")
        self.setMinimumSize(_MINIMUM)
        self.theme, self._state = theme, state
        self._may_close = self._has_given_way = False
        self.is_close_wanted = False
        self.first_paint = FirstPaint(self)
        self.top_bar = TopBar(theme)
        self.composer = Composer(theme)
        self._foot = QFrame()
        self._foot.setObjectName("latencyStrip")
        self._foot.setFixedHeight(_STRIP_HEIGHT)
        self._transcript: QWidget | None = None
        self.notices = NoticeBar(theme)
        self.welcome = Welcome(theme)
        self.stack = QStackedWidget()
        self.stack.setObjectName("transcriptStack")
        self.stack.addWidget(self.welcome)
        self.stack.setMinimumSize(1, 1)  # In a low window it gives way before a notice loses a line.
        self._centre = centre = QWidget()
        centre.setObjectName("centre")
        self._column = column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top_bar)
        column.addWidget(self.notices)
        column.addWidget(self.stack, 1)
        column.addWidget(self.composer)
        column.addWidget(self._foot)
        self.panel = QFrame()
        self.panel.setObjectName("dockPanel")
        self.panel.setMinimumWidth(300)
        panel_column = QVBoxLayout(self.panel)
        panel_column.setContentsMargins(0, 0, 0, 0)
        self.panel.hide()
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self._left = _as_sidebar(QFrame())
        for widget in (self._left, centre, self.panel):
            self.splitter.addWidget(widget)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([SIDEBAR_WIDTH, DEFAULT_SIZE.width() - SIDEBAR_WIDTH, PANEL_WIDTH])
        self.setCentralWidget(self.splitter)
        self.stack.setAccessibleName(self.tr("Chat"))
        self._on_theme_changed()
        theme.changed.connect(self._on_theme_changed)

    @functools.cached_property
    def chat_list(self) -> ChatListModel:
        from app.chat_list.chat_list_model import ChatListModel

        return ChatListModel(self)

    @functools.cached_property
    def sidebar(self) -> Sidebar:
        """Made when it is first used, after the first paint: the chats that it lists come later anyway."""
        from app.chat_list.sidebar import Sidebar

        sidebar = Sidebar(self.chat_list, self.theme)
        is_hidden = self._left.isHidden()
        self._left.deleteLater()
        self._left = _as_sidebar(sidebar)
        self.splitter.replaceWidget(0, sidebar)
        sidebar.setHidden(is_hidden)
        order: list[QWidget] = [
            self.composer.send, sidebar.new_chat, sidebar.search, sidebar.list, sidebar.models, sidebar.settings,
            *self.top_bar.controls,
        ]  # fmt: skip
        for before, after in itertools.pairwise(order):
            QWidget.setTabOrder(before, after)
        return sidebar

    @functools.cached_property
    def strip(self) -> LatencyStrip:
        """Made when it is first used, as the sidebar: before an answer it has nothing to say."""
        from app.latency.latency_strip import LatencyStrip

        strip = LatencyStrip(self.theme)
        strip.setFixedHeight(_STRIP_HEIGHT)
        self._column.replaceWidget(self._foot, strip)
        self._foot.deleteLater()
        return strip

    def set_transcript(self, transcript: QWidget, *, is_empty: bool) -> None:
        """Put the transcript into its place; until then the welcome is shown."""
        self._transcript = transcript
        self.stack.addWidget(transcript)
        QWidget.setTabOrder(self.top_bar.controls[-1], transcript)
        self.show_conversation(is_empty)

    def show_conversation(self, is_empty: bool) -> None:
        """The welcome for an empty chat, else the transcript."""
        self.stack.setCurrentWidget(self.welcome if is_empty or self._transcript is None else self._transcript)

    def set_find_bar(self, bar: QWidget) -> None:
        """Put the bar for finding in the chat over the chat."""
        self._column.insertWidget(self._column.indexOf(self.stack), bar)

    def set_panel(self, widget: QWidget) -> None:
        """Put the latency panel into its place."""
        self.panel.setMinimumWidth(0)  # It has its own width, with larger text a larger one.
        layout = self.panel.layout()
        if layout is not None:
            layout.addWidget(widget)

    def toggle_sidebar(self) -> None:
        """Show or hide the chats; what was asked for last has the room."""
        is_shown = self.sidebar.isHidden()
        if is_shown and self._has_given_way:
            self.toggle_panel()
        else:
            self.sidebar.setVisible(is_shown)
            self._make_room()

    def toggle_panel(self) -> None:
        is_shown = self.panel.isHidden()
        self.panel.setVisible(is_shown)
        if is_shown and self.panel.width() < PANEL_WIDTH:
            left, middle, right = self.splitter.sizes()
            self.splitter.setSizes([left, max(1, middle + right - PANEL_WIDTH), PANEL_WIDTH])
        self.panel_shown.emit(is_shown)
        self._make_room()
        QTimer.singleShot(0, self, self._make_room)  # What has just been put into it counts only then.

    def restore_state(self) -> None:
        """Take the shape of the last time; a shape that is damaged or off every screen is given up."""
        geometry, sizes = self._state.value("window/geometry"), self._state.value("window/splitter")
        if not (isinstance(geometry, QByteArray) and self.restoreGeometry(geometry)):
            self.resize(DEFAULT_SIZE)
        self._clamp()
        if isinstance(sizes, QByteArray) and not self.splitter.restoreState(sizes):
            _log.info("the saved splitter state is of another version")
        self._left.setVisible(bool(self._state.value("window/has_sidebar", True, bool)))
        self.panel.setVisible(bool(self._state.value("window/has_panel", False, bool)))

    def save_state(self) -> None:
        self._state.setValue("window/geometry", self.saveGeometry())
        self._state.setValue("window/splitter", self.splitter.saveState())
        self._state.setValue("window/has_sidebar", self._has_given_way or not self._left.isHidden())
        self._state.setValue("window/has_panel", not self.panel.isHidden())

    def remember_look(self, general: dict[str, object]) -> None:
        """Keep what the next start shows before it reads the settings: theme, font and language."""
        for name in ("theme", "font_size", "font_family", "language"):
            self._state.setValue(f"look/{name}", general[name])

    def hide_all(self) -> None:
        """Hide it with the dialogs over it, which would stay there and go on asking."""
        for each in (self, *self.findChildren(QDialog)):
            each.hide()

    def close_now(self) -> None:
        """Close without asking the application again."""
        self._may_close = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.save_state()
        if self._may_close:
            event.accept()
            return
        event.ignore()
        self.is_close_wanted = True
        self.close_requested.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            QTimer.singleShot(0, self, self._clamp)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.composer.set_window_height(event.size().height())
        self._make_room()

    def _make_room(self) -> None:
        """Keep the chat and the panel whole: the window does not get narrower, and the sidebar gives way."""
        panel = 0 if self.panel.isHidden() else max(self.panel.minimumWidth(), self.panel.minimumSizeHint().width())
        needed = self._centre.minimumSizeHint().width() + panel
        widest = max(screen.availableGeometry().width() for screen in QGuiApplication.screens())
        self.setMinimumWidth(min(widest, max(_MINIMUM.width(), needed)))
        has_room = self.width() >= needed + self._left.minimumWidth()
        if self._left.isHidden() and not self._has_given_way:
            return
        if has_room == self._has_given_way:
            self._has_given_way = not has_room
            self._left.setVisible(has_room)

    def _clamp(self) -> None:
        """Move and shrink the window so that all of it, with its frame once that is known, is on a live screen."""
        if self.isVisible() and (self.isMaximized() or self.isFullScreen()):
            return
        inner, frame = self.geometry(), self.frameGeometry()
        screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        home = max(screens, key=lambda area: _overlap(area, inner))
        home = home.adjusted(
            inner.left() - frame.left(), inner.top() - frame.top(),
            inner.right() - frame.right(), inner.bottom() - frame.bottom(),
        )  # fmt: skip
        size = inner.size().boundedTo(home.size()).expandedTo(_MINIMUM)
        x = max(home.left(), min(inner.left(), home.right() + 1 - size.width()))
        y = max(home.top(), min(inner.top(), home.bottom() + 1 - size.height()))
        if (wanted := QRect(x, y, size.width(), size.height())) != inner:
            self.setGeometry(wanted)

    def _on_theme_changed(self) -> None:
        self.setPalette(self.theme.palette())
        self.setFont(self.theme.font())
        self.setStyleSheet(style_sheet(self.theme))
        QTimer.singleShot(0, self, self._make_room)  # When all parts have taken their new fonts.


class FirstPaint(QObject):
    """Watches `window` until its first paint: what the user need not wait for comes after that."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._has_happened = False
        self._timer = QTimer(self, singleShot=True)
        window.installEventFilter(self)

    def call_after(self, begin: Callable[[], None]) -> None:
        """Call `begin` once, when that paint is over; or soon, when the window is shown minimised and not painted."""
        self._timer.timeout.connect(begin)
        self._timer.start(0 if self._has_happened else _UNPAINTED_MS)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint:
            watched.removeEventFilter(self)
            self._has_happened = True
            if self._timer.isActive():
                self._timer.start(0)
        return False


def _as_sidebar(frame: QFrame) -> QFrame:
    frame.setObjectName("sidebar")
    frame.setMinimumWidth(180)
    frame.setMaximumWidth(420)
    return frame


def _overlap(area: QRect, frame: QRect) -> int:
    common = area.intersected(frame)
    return common.width() * common.height() if common.isValid() else -1
