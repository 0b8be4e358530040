"""The models' part of the app: the downloads, what is told of them in the window, and the manager when it is wanted."""

from __future__ import annotations

import functools
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.core.host_client import HostClient
from app.core.preferences import Preferences
from app.core.settings_sync import SettingsSync
from app.models.download_line import DownloadLine
from app.models.downloads_model import DownloadsModel
from app.models.library_controller import LibraryController
from app.models.load_notices import LoadNotices
from app.models.model_controller import ModelController
from app.models.model_manager import DOWNLOADS, ModelManager
from app.ui.announcement import unheard
from app.ui.notice_bar import NoticeBar
from app.ui.theme import Theme

OFFERED_MS = 30_000
"""How long a model that has arrived is offered over the chat."""


class ModelManagerOpener(QObject):
    """The manager's window is made over `parent` when it is first wanted. `failed(Failure)`;
    `chat_wanted()` when the manager gives way to the chat.
    """

    failed = Signal(object)
    chat_wanted = Signal()

    def __init__(
        self,
        parent: QWidget,
        theme: Theme,
        notices: NoticeBar,
        *,
        client: HostClient,
        models: ModelController,
        preferences: Preferences,
        settings_sync: SettingsSync,
    ) -> None:
        super().__init__(parent)
        self._parent, self._theme, self._notices = parent, theme, notices
        self.downloads = DownloadsModel(self)
        self.downloads.follow(client)
        self.download_line = DownloadLine(theme, self.downloads)
        self.download_line.clicked.connect(self.open_downloads)
        self._make_library = functools.partial(
            LibraryController, client=client, models=models, downloads=self.downloads, preferences=preferences,
            settings_sync=settings_sync,
        )  # fmt: skip
        self._library: LibraryController | None = None
        LoadNotices(notices, models)

    @property
    def library(self) -> LibraryController:
        """The manager with its contents."""
        if self._library is None:
            with unheard():
                manager = ModelManager(self._theme, self.downloads, self._parent)
            self._library = self._make_library(manager)
            self._library.failed.connect(self.failed)
            self._library.arrived.connect(self._offer_load)
            self._library.chat_wanted.connect(self._show_chat)
        return self._library

    def open(self) -> None:
        """Show the models on this computer."""
        self.library.open()

    def open_downloads(self) -> None:
        """Show what is on its way."""
        self.library.open(DOWNLOADS)

    def open_repo(self, repo: str) -> None:
        """Show what a repository offers, and what of it suits this computer."""
        self.library.open_repo(repo)

    def _show_chat(self) -> None:
        self.library.manager.hide()
        self._parent.raise_()
        self._parent.activateWindow()
        self.chat_wanted.emit()

    def _offer_load(self, text: str, load: Callable[[], None]) -> None:
        self._notices.show_notice(text, action=self.tr("Load it"), on_action=load, lasts_ms=OFFERED_MS)
