"""What is opened over the chat: the settings, import and export, and find in chat; each made when first wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.chat.find_bar import FindBar
from app.chat.find_in_chat_controller import FindInChatController
from app.chat_list.import_export_controller import ImportExportController
from app.core.chat_database import ChatDatabase
from app.core.conversation_model import ConversationModel
from app.core.host_client import HostClient
from app.core.prompt_variables import blanks, filled
from app.core.settings_store import SettingsStore
from app.models.model_controller import ModelController
from app.settings.settings_controller import SettingsController
from app.window.file_drops import FileDrops
from app.window.focus_restoring import FocusRestorer
from app.window.main_window import MainWindow
from app.window.prompt_form import PromptForm
from app.window.unhandled_keys import UnhandledKeys
from engine.folders import Folders

if TYPE_CHECKING:
    from app.composer.spelling_controller import SpellingController
    from app.transcript.transcript_view import Transcript


class Tools(QObject):
    """Signals: `failed(Failure)`, `chats_changed` when chats came or went."""

    failed = Signal(object)
    chats_changed = Signal()

    def __init__(
        self,
        window: MainWindow,
        *,
        client: HostClient,
        preferences: SettingsStore,
        models: ModelController,
        archive: ChatDatabase,
        conversation: ConversationModel,
        places: Folders,
    ) -> None:
        super().__init__(window)
        self._window, self._preferences = window, preferences
        self.exchange = ImportExportController(window, archive, preferences)
        self.settings = SettingsController(
            window, client=client, preferences=preferences, models=models, archive=archive, places=places
        )
        self.find_bar = FindBar(window.theme)
        window.set_find_bar(self.find_bar)
        self.finder = FindInChatController(
            self.find_bar, conversation, show=self._show_match, clear=self._clear_match, parent=self
        )
        self._transcript: Transcript | None = None
        self._spelling: SpellingController | None = None
        self.find_bar.closed.connect(window.composer.setFocus)
        self.settings.import_requested.connect(self.exchange.ask_import_file)
        self.settings.import_folder_requested.connect(self.exchange.ask_import_folder)
        self.settings.export_requested.connect(self.exchange.ask_export)
        window.sidebar.import_requested.connect(self.exchange.ask_import_file)
        self.exchange.chats_changed.connect(self.chats_changed)
        for source in (self.settings, self.exchange):
            source.failed.connect(self.failed)
        self.drops = FileDrops(window, models, preferences, self.exchange)
        UnhandledKeys(window, self.find_bar)
        FocusRestorer(window)

    def set_transcript(self, transcript: Transcript) -> None:
        """Where find in chat shows what it found."""
        self._transcript = transcript
        from app.composer.spelling_controller import SpellingController  # Not needed for a start.

        self._spelling = SpellingController(self._window.composer.edit, self._window.theme, self._preferences, self)
        self._preferences.changed.connect(self._set_up_transcript)
        self._set_up_transcript()

    def close(self) -> None:
        """Begin nothing more."""
        if self._spelling is not None:
            self._spelling.close()

    def _set_up_transcript(self) -> None:
        if self._transcript is not None:
            settings = self._preferences.settings
            self._transcript.pictures.is_offline = settings.models.is_offline
            self._transcript.pictures.proxy = settings.models.proxy

    def fill_in(self, prompt: str, accept: Callable[[str], None]) -> None:
        """Hand a prompt over, after asking for what belongs into its blanks."""
        if not (names := blanks(prompt)):
            accept(prompt)
            return
        form = PromptForm(names, self._window)
        form.filled.connect(lambda values: accept(filled(prompt, values)))
        form.open()

    def _show_match(self, message_id: str, text: str, number: int) -> None:
        if self._transcript is not None:
            self._transcript.show_match(message_id, text, number)

    def _clear_match(self) -> None:
        if self._transcript is not None:
            self._transcript.clear_match()
