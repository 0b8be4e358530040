"""The main window: places the parts, remembers its shape, and stays on a live screen."""

from __future__ import annotations

import itertools
import logging

from PySide6.QtCore import QByteArray, QRect, QSettings, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QMainWindow, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.chat_list_model import ChatListModel
from app.style import app_icon, style_sheet
from app.theme import Theme
from app.widgets.composer import Composer
from app.widgets.find_bar import FindBar
from app.widgets.hud import HudStrip
from app.widgets.notice_bar import NoticeBar
from app.widgets.sidebar import WIDTH as SIDEBAR_WIDTH
from app.widgets.sidebar import Sidebar
from app.widgets.top_bar import TopBar
from app.widgets.welcome import Welcome

DEFAULT_SIZE = QSize(1180, 800)
PANEL_WIDTH = 344
_MINIMUM = QSize(560, 420)
_log = logging.getLogger(__name__)


class MainWindow(QMainWindow):
    """`close_requested` when the user closes the window: the application decides what follows."""

    close_requested = Signal()
    panel_shown = Signal(bool)

    def __init__(self, theme: Theme, state: QSettings, chat_list: ChatListModel) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setWindowTitle("Firstlight")
        self.setWindowIcon(app_icon())
        self.setMinimumSize(_MINIMUM)
        self.theme, self._state = theme, state
        self._may_close = False
        self.is_close_wanted = False
        self.chat_list = chat_list
        self.sidebar = Sidebar(chat_list, theme)
        self.top_bar = TopBar(theme)
        self.composer = Composer(theme)
        self.strip = HudStrip(theme)
        self._transcript: QWidget | None = None
        self.notices = NoticeBar(theme)
        self.find_bar = FindBar(theme)
        self.welcome = Welcome(theme)
        self.stack = QStackedWidget()
        self.stack.setObjectName("transcriptStack")
        self.stack.addWidget(self.welcome)
        centre = QWidget()
        centre.setObjectName("centre")
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top_bar)
        column.addWidget(self.notices)
        column.addWidget(self.find_bar)
        column.addWidget(self.stack, 1)
        column.addWidget(self.composer)
        column.addWidget(self.strip)
        self.panel = QFrame()
        self.panel.setObjectName("dockPanel")
        self.panel.setMinimumWidth(300)
        panel_column = QVBoxLayout(self.panel)
        panel_column.setContentsMargins(0, 0, 0, 0)
        self.panel.hide()
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        for widget in (self.sidebar, centre, self.panel):
            self.splitter.addWidget(widget)
        self.splitter.setStretchFactor(1, 1)
        self.sidebar.setMinimumWidth(180)
        self.sidebar.setMaximumWidth(420)
        self.splitter.setSizes([SIDEBAR_WIDTH, DEFAULT_SIZE.width() - SIDEBAR_WIDTH, PANEL_WIDTH])
        self.setCentralWidget(self.splitter)
        self._set_tab_order()
        self._on_theme_changed()
        theme.changed.connect(self._on_theme_changed)

    def set_transcript(self, transcript: QWidget, *, is_empty: bool) -> None:
        """Put the transcript into its place; until then the welcome is shown."""
        self._transcript = transcript
        self.stack.addWidget(transcript)
        QWidget.setTabOrder(self.top_bar.chip, transcript)
        self.show_conversation(is_empty)

    def show_conversation(self, is_empty: bool) -> None:
        """The welcome for an empty chat, else the transcript."""
        self.stack.setCurrentWidget(self.welcome if is_empty or self._transcript is None else self._transcript)

    def set_panel(self, widget: QWidget) -> None:
        """Put the latency panel into its place."""
        layout = self.panel.layout()
        if layout is not None:
            layout.addWidget(widget)

    def toggle_sidebar(self) -> None:
        self.sidebar.setVisible(self.sidebar.isHidden())

    def toggle_panel(self) -> None:
        is_shown = self.panel.isHidden()
        self.panel.setVisible(is_shown)
        if is_shown and self.panel.width() < PANEL_WIDTH:
            left, middle, right = self.splitter.sizes()
            self.splitter.setSizes([left, max(1, middle + right - PANEL_WIDTH), PANEL_WIDTH])
        self.panel_shown.emit(is_shown)

    def restore_state(self) -> None:
        """Take the shape of the last time; a shape that is damaged or off every screen is given up."""
        geometry, sizes = self._state.value("window/geometry"), self._state.value("window/splitter")
        if not (isinstance(geometry, QByteArray) and self.restoreGeometry(geometry)):
            self.resize(DEFAULT_SIZE)
        self._clamp()
        if isinstance(sizes, QByteArray) and not self.splitter.restoreState(sizes):
            _log.info("the saved splitter state is of another version")
        self.sidebar.setVisible(bool(self._state.value("window/has_sidebar", True, bool)))
        self.panel.setVisible(bool(self._state.value("window/has_panel", False, bool)))

    def save_state(self) -> None:
        self._state.setValue("window/geometry", self.saveGeometry())
        self._state.setValue("window/splitter", self.splitter.saveState())
        self._state.setValue("window/has_sidebar", not self.sidebar.isHidden())
        self._state.setValue("window/has_panel", not self.panel.isHidden())

    def remember_look(self, general: dict[str, object]) -> None:
        """Keep what the next start shows before it reads the settings: theme, font and language."""
        for name in ("theme", "font_size", "font_family", "language"):
            self._state.setValue(f"look/{name}", general[name])

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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.composer.set_window_height(event.size().height())

    def _clamp(self) -> None:
        """Move and shrink the window so that all of it is on a screen that exists."""
        frame = self.geometry()
        screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        home = max(screens, key=lambda area: _overlap(area, frame))
        size = frame.size().boundedTo(home.size()).expandedTo(_MINIMUM)
        x = max(home.left(), min(frame.left(), home.right() + 1 - size.width()))
        y = max(home.top(), min(frame.top(), home.bottom() + 1 - size.height()))
        self.setGeometry(QRect(x, y, size.width(), size.height()))

    def _set_tab_order(self) -> None:
        order: list[QWidget] = [
            self.composer.edit, self.composer.send, self.sidebar.new_chat, self.sidebar.search, self.sidebar.list,
            self.sidebar.models, self.sidebar.settings, self.top_bar.chip,
        ]  # fmt: skip
        for before, after in itertools.pairwise(order):
            QWidget.setTabOrder(before, after)

    def _on_theme_changed(self) -> None:
        self.setPalette(self.theme.palette())
        self.setFont(self.theme.font())
        self.setStyleSheet(style_sheet(self.theme))


def _overlap(area: QRect, frame: QRect) -> int:
    common = area.intersected(frame)
    return common.width() * common.height() if common.isValid() else -1
