"""The model manager's place in the app: made when it is first wanted, from wherever it is wanted."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.core.host_client import HostClient
from app.core.settings_store import SettingsStore
from app.models.download_line_controller import DownloadLineController
from app.models.library_controller import LibraryController
from app.models.load_notices import LoadNotices
from app.models.model_controller import ModelController
from app.models.model_manager import DOWNLOADS, ModelManager
from app.ui.announcement import unheard
from app.window.main_window import MainWindow

OFFERED_MS = 30_000
"""How long a model that has arrived is offered over the chat."""


class ModelManagerOpener(QObject):
    """`failed(Failure)`."""

    failed = Signal(object)

    def __init__(
        self,
        window: MainWindow,
        client: HostClient,
        models: ModelController,
        preferences: SettingsStore,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._parts = client, models, preferences
        self._feed: LibraryController | None = None
        self.downloads = DownloadLineController(client, window.sidebar, self.open_downloads)
        self._notices = LoadNotices(window, models, self)
        window.top_bar.stop.clicked.connect(models.cancel_load)

    @property
    def feed(self) -> LibraryController:
        """The manager with its contents."""
        if self._feed is None:
            with unheard():
                manager = ModelManager(self._window.theme, self._window)
            self._feed = LibraryController(manager, *self._parts)
            self._feed.failed.connect(self.failed)
            self._feed.arrived.connect(self._offer_load)
            self._feed.chat_wanted.connect(self._show_chat)
        return self._feed

    def open(self) -> None:
        """Show the models on this computer."""
        self.feed.open()

    def open_downloads(self) -> None:
        """Show what is on its way."""
        self.feed.open(DOWNLOADS)

    def open_repo(self, repo: str) -> None:
        """Show what a repository offers, and what of it suits this computer."""
        self.feed.open_repo(repo)

    def _show_chat(self) -> None:
        self.feed.manager.hide()
        self._window.raise_()
        self._window.activateWindow()
        self._window.composer.setFocus()

    def _offer_load(self, text: str, load: Callable[[], None]) -> None:
        self._window.notices.show_notice(text, action=self.tr("Load it"), on_action=load, lasts_ms=OFFERED_MS)
