"""Says that a long answer or a download is over to a user who has gone to another window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QApplication

from app.chat.chat_controller import ChatController
from app.chat.chat_prompt import first_words
from app.core.engine_texts import translated
from app.core.host_client import HostClient
from app.core.settings_store import SettingsStore
from app.models.model_status import display_name
from app.window.main_window import MainWindow
from engine.protocol.events import PullFinished
from engine.store.chat_values import Chat, StoredMessage

LONG_SECONDS = 5.0
"""A shorter answer is not worth a word: who asked has hardly left."""
_MARK = "● "


class CompletionNotifications(QObject):
    """`told(title, text)` is what the desktop is to show; the window's title is marked until it is active again."""

    told = Signal(str, str)

    def __init__(
        self, window: MainWindow, *, chats: ChatController, client: HostClient, settings_store: SettingsStore
    ) -> None:
        super().__init__(window)
        self._window, self._settings_store = window, settings_store
        self._is_marked = False
        chats.answer_finished.connect(self._on_answer)
        client.subscribe(PullFinished, self._on_pull_finished)
        window.windowTitleChanged.connect(self._show_mark)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.WindowActivate and self._is_marked:
            self._is_marked = False
            self._window.setWindowTitle(self._window.windowTitle().removeprefix(_MARK))
        return super().eventFilter(watched, event)

    def _on_answer(self, chat: Chat, message: StoredMessage) -> None:
        if message.metrics is not None and (message.metrics.e2e_latency or 0.0) >= LONG_SECONDS:
            self._tell(chat.title or self.tr("New chat"), first_words(message.content, 120) or translated(message.note))

    def _on_pull_finished(self, event: PullFinished) -> None:
        name = display_name(event.pull.files[0])
        if event.pull.state == "finished":
            self._tell(name, self.tr("The download is complete."))
        elif event.pull.state == "failed":
            self._tell(name, self.tr("The download has stopped."))

    def _tell(self, title: str, text: str) -> None:
        if not self._settings_store.settings.general.is_notifying or QApplication.activeWindow() is not None:
            return
        self._is_marked = True
        self._show_mark()
        QApplication.alert(self._window)
        self.told.emit(title, text)

    def _show_mark(self) -> None:
        title = self._window.windowTitle()
        if self._is_marked and not title.startswith(_MARK):
            self._window.setWindowTitle(_MARK + title)
