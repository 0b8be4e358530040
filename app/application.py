"""The composition root: builds every part, connects them by signals, and shuts down in order.

Start: the host process, the window, the chats, the model; each without waiting for the one after it.
End: what still runs is cancelled and kept, then the host, then the chats, then the window.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import logging
import sys
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import qasync
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from app.chat.chat_controller import ChatController
from app.chat.chat_titles import ChatTitles
from app.chat.find_bar import FindBar
from app.chat.find_in_chat_controller import FindInChatController
from app.chat.message_versions import MessageVersions
from app.chat.other_model_controller import OtherModelController
from app.chat_list.chat_list_controller import ChatListController
from app.chat_list.import_export_controller import ImportExportController
from app.composer.attachment_controller import AttachmentController
from app.composer.context_full_menu import ContextFullMenu
from app.composer.draft_controller import DraftController
from app.composer.part_controller import PartController
from app.composer.prompt_library import PromptLibrary
from app.composer.send_controller import SendController
from app.core import tasks
from app.core.answer_state import AnswerState
from app.core.chat_database import ChatDatabase
from app.core.conversation_model import ConversationModel
from app.core.engine_texts import failure_text, translated
from app.core.host_client import HostClient, HostState
from app.core.settings_store import SettingsStore
from app.latency.strip_controller import StripController
from app.models.download_line import DownloadLine
from app.models.downloads_model import DownloadsModel
from app.models.library_controller import LibraryController
from app.models.load_notices import LoadNotices
from app.models.model_controller import ModelController
from app.models.model_manager import DOWNLOADS, ModelManager
from app.models.model_picker import ModelPicker
from app.models.model_status import ModelState, ModelStatus
from app.settings.settings_controller import SettingsController
from app.startup.garbage_collection import tame_garbage_collector
from app.ui.announcement import unheard
from app.ui.shortcuts import Actions
from app.window.chat_menu import ChatMenu
from app.window.command_search import CommandSearch
from app.window.completion_notifications import CompletionNotifications
from app.window.desktop_notification import DesktopNotification
from app.window.file_drops import FileDrops
from app.window.first_run import FirstRun
from app.window.keyboard_focus import KeyboardFocus
from app.window.main_window import MainWindow
from app.window.open_chat_commands import OpenChatCommands
from engine.errors import Code, Failure
from engine.folders import Folders, folders
from engine.protocol import Role
from engine.settings import Settings, load_settings
from engine.store.chat_values import Chat

if TYPE_CHECKING:
    from app.composer.spelling_controller import SpellingController
    from app.latency.latency_controller import LatencyController
    from app.transcript.transcript_view import Transcript

T = TypeVar("T")


def run_application(app: QApplication, window: MainWindow, work: Callable[[Application], Coroutine[Any, Any, T]]) -> T:
    """Build the application around a shown window, and run `work` in a loop that is Qt's and asyncio's at once."""
    logging.basicConfig(level=logging.WARNING, format="%(name)s: %(message)s", stream=sys.stderr)
    places = folders()
    settings, notice = load_settings(places.settings_file)
    with qasync.QEventLoop(app) as loop:
        application = Application(window, settings, places)
        if notice:
            window.notices.show_notice(translated(notice), is_warning=True)
        result: T = loop.run_until_complete(work(application))
    return result


class Application(QObject):
    """The whole app. `run()` lives until the window is closed."""

    def __init__(
        self, window: MainWindow, settings: Settings, places: Folders, *, host_command: tuple[str, ...] = ()
    ) -> None:
        super().__init__()
        self.client = HostClient(host_command, parent=self)
        self.client.start()
        self.window, self.theme = window, window.theme
        self.settings_store = SettingsStore(settings, places.settings_file, self.client, self)
        self.database = ChatDatabase(places.chats_file)
        self.conversation = ConversationModel(self)
        self.chat_list = window.chat_list
        self.models = ModelController(self.client, self.settings_store, self)
        self.chats = ChatController(
            self.client, self.database, self.conversation, self.settings_store, self.models, parent=self
        )
        self.versions = MessageVersions(self.chats, self.database)
        self.other_model = OtherModelController(
            window, self.theme, window.notices,
            client=self.client, chats=self.chats, models=self.models, settings_store=self.settings_store,
        )  # fmt: skip
        self.titles = ChatTitles(self.client, self.database, self)
        self.drafts = DraftController(
            self.client, self.database, self.settings_store, history=lambda: self.chats.prompt,
            preset=lambda: self.settings_store.preset(self.chats.preset_name),
            policy=lambda: self.chats.policy(self.chats.chat), model_id=lambda: self.models.model_id, parent=self,
        )  # fmt: skip
        self.strip_controller = StripController(self.client, self)
        self.sidebar, self.top_bar = window.sidebar, window.top_bar
        self.chat_list_controller = ChatListController(self.database, self.chat_list, self.sidebar, self)
        self.composer, self.strip = window.composer, window.strip
        self.attachments = AttachmentController(self.theme, self.composer, self)
        self.parts = PartController(self.composer, self.client, lambda: self.models.model_id, self)
        self.model_picker = ModelPicker(self.theme, window.top_bar.chip)
        self.prompt_library = PromptLibrary(self.theme, self.composer, self.settings_store, window.notices)
        self.command_search = CommandSearch(self.theme, window)
        self.import_export = ImportExportController(
            window, self.theme, window.notices, self.database, self.settings_store
        )
        self.settings = SettingsController(
            window, self.theme, window.notices, client=self.client, settings_store=self.settings_store,
            models=self.models, database=self.database, places=places,
        )  # fmt: skip
        self.find_bar = FindBar(self.theme)
        window.set_find_bar(self.find_bar)
        self.finder = FindInChatController(
            self.find_bar, self.conversation, show=self._show_match, clear=self._clear_match, parent=self
        )
        self.file_drops = FileDrops(window, self.models, self.settings_store, self.import_export)
        KeyboardFocus(window, self.find_bar)
        self.completions = CompletionNotifications(
            window, chats=self.chats, client=self.client, settings_store=self.settings_store
        )
        self.completions.told.connect(DesktopNotification(window).show)
        self.commands = OpenChatCommands(
            self.chats, self.chat_list, self.conversation, self.settings_store,
            database=self.database, composer=self.composer,
        )  # fmt: skip
        self.transcript: Transcript | None = None
        self.spelling: SpellingController | None = None
        self.latency: LatencyController | None = None
        self._theme_choice = settings.general.theme
        self.first_run = FirstRun(self.client, places.settings_file, self)
        self.first_run.found.connect(window.welcome.set_hardware)
        self.first_run.recommended.connect(window.welcome.set_recommendation)
        self.downloads = DownloadsModel(self)
        self.downloads.follow(self.client)
        self.download_line = DownloadLine(self.theme, self.downloads)
        LoadNotices(window.notices, self.models)
        self._closing: asyncio.Task[None] | None = None
        self._done: asyncio.Future[None] | None = None
        self._connect_engine()
        self._connect_chat()
        self._connect_composer()
        self._connect_sidebar()
        self._connect_window()
        self.actions = Actions(self.window, self._handlers(), settings.general.shortcuts, self.commands.conditions())
        self.actions["stop"].triggered.connect(self.composer.setFocus)
        self.menu = ChatMenu(
            self.window, client=self.client, chats=self.chats, chat_list=self.chat_list_controller,
            settings_store=self.settings_store, actions=self.actions, import_export=self.import_export,
            models=self.models,
        )  # fmt: skip
        self._on_settings_changed()

    @functools.cached_property
    def library(self) -> LibraryController:
        """The model manager, made when it is first opened."""
        with unheard():
            manager = ModelManager(self.theme, self.downloads, self.window)
        library = LibraryController(
            manager, self.client, models=self.models, downloads=self.downloads, settings_store=self.settings_store,
            notices=self.window.notices,
        )  # fmt: skip
        library.failed.connect(self.show_failure)
        library.chat_wanted.connect(self._show_chat)
        return library

    async def run(self) -> None:
        """Bring the chats and the model to the window, and wait for the end."""
        self._done = asyncio.get_running_loop().create_future()
        tasks.spawn(self._open_database(), owner=self, name="open chats")
        tasks.spawn(self._bring_transcript(), owner=self, name="make transcript")
        self.chats.new_chat()
        if last := self.settings_store.settings.models.last_model:
            self.models.load(last)
        self.first_run.start()
        if self.window.is_close_wanted:
            self.quit()
        await self._done

    def quit(self) -> None:
        """Begin the end; run() returns when it is reached."""
        if self._closing is None:
            self.window.save_state()
            self.window.hide_all()
            self._closing = asyncio.get_running_loop().create_task(self._close())

    def show_failure(self, failure: Failure) -> None:
        """One sentence over the chat, in the place of one of its kind; each of several refused files has its own."""
        key = "" if failure.code is Code.BAD_REQUEST else str(failure.code)
        self.window.notices.show_notice(failure_text(failure), key=key, is_warning=True)

    async def _bring_transcript(self) -> None:
        """Its Markdown, code and mathematics take longer to import than the rest of the window, which need not wait."""
        try:
            await tasks.run_blocking(importlib.import_module, "app.transcript.transcript_view")
            self._make_transcript()
            await tasks.run_blocking(importlib.import_module, "app.latency.latency_controller")
            self._make_latency()
        finally:
            tame_garbage_collector(self.window)

    async def _open_database(self) -> None:
        if notice := await self.database.open():
            self.window.notices.show_notice(translated(notice), is_warning=True)
        self.chat_list_controller.refresh()

    async def _close(self) -> None:
        if self.spelling is not None:
            self.spelling.close()
        await self.drafts.close()
        await self.settings_store.close()
        await tasks.cancel_all()
        await self.client.stop()
        await self.database.close()
        self.window.close_now()
        if self._done is not None and not self._done.done():
            self._done.set_result(None)

    # Wiring.

    def _connect_engine(self) -> None:
        self.client.state_changed.connect(self._on_host_state)
        self.models.status_changed.connect(self._on_model_status)
        self.models.models_listed.connect(lambda models: self.model_picker.show(models, self.models.status))
        self.model_picker.chosen.connect(lambda model_id, name: self.models.load(model_id, name=name))
        self.model_picker.manager_requested.connect(self._show_models)
        self.strip_controller.figures_changed.connect(self.strip.set_figures)
        self.settings_store.changed.connect(self._on_settings_changed)
        for source in (
            self.chats, self.chat_list_controller, self.drafts, self.settings_store, self.attachments,
            self.settings, self.import_export, self.commands.inserter,
        ):  # fmt: skip
            source.failed.connect(self.show_failure)

    def _connect_chat(self) -> None:
        chats = self.chats
        chats.chat_opened.connect(self._on_chat_opened)
        chats.chat_stored.connect(self._on_chat_stored)
        chats.state_changed.connect(self._on_answer_state)
        chats.chats_changed.connect(self.chat_list_controller.refresh)
        chats.answering_changed.connect(self._on_answering_changed)
        self.strip_controller.follow(chats.answer_started, chats.answer_finished)
        chats.answer_finished.connect(self.titles.answer_finished)
        chats.undo_offered.connect(self.window.notices.offer_undo)

    def _make_transcript(self) -> None:
        from app.composer.spelling_controller import SpellingController  # Not needed for a start.
        from app.transcript.link_question import open_link
        from app.transcript.transcript_view import Transcript

        chats, versions = self.chats, self.versions
        self.transcript = transcript = Transcript(self.conversation, self.theme)
        self.spelling = SpellingController(self.composer.edit, self.theme, self.settings_store, self)
        self._set_up_pictures()
        transcript.set_math_on(chats.is_math_on)
        chats.place_wanted.connect(transcript.scroll_to_message)
        transcript.copy_requested.connect(self.commands.copy_message)
        self.composer.submitted.connect(transcript.scroll_to_end)
        transcript.edit_submitted.connect(versions.edit)
        transcript.regenerate_requested.connect(chats.regenerate)
        transcript.regenerate_with_requested.connect(self.other_model.offer)
        transcript.continue_requested.connect(self.other_model.continue_answer)
        transcript.delete_requested.connect(versions.delete)
        transcript.version_requested.connect(versions.show_version)
        transcript.branch_requested.connect(versions.branch)
        transcript.prompt_requested.connect(self._add_prompt)
        transcript.first_token_painted.connect(chats.first_glyph_painted)
        transcript.link_requested.connect(lambda url, text: open_link(url, text, self.window))
        for signal in (self.conversation.modelReset, self.conversation.rowsInserted, self.conversation.rowsRemoved):
            signal.connect(lambda *_: self.window.show_conversation(not self.conversation.rowCount()))
        self.window.set_transcript(transcript, is_empty=not self.conversation.rowCount())

    def _make_latency(self) -> None:
        from app.latency.latency_controller import LatencyController

        self.latency = latency = LatencyController(
            self.window, self.theme, self.window.notices,
            client=self.client, chats=self.chats, models=self.models, settings_store=self.settings_store,
        )  # fmt: skip
        latency.models_requested.connect(self.models.refresh)
        latency.alerts.changed.connect(self.strip.set_alerts)
        latency.panel_made.connect(self.window.set_panel)
        latency.panel_toggled.connect(self.window.toggle_panel)
        self.window.panel_shown.connect(latency.set_panel_shown)
        self.composer.submitted.connect(lambda *_: latency.why_slow.note_enter())
        if self.transcript is not None:
            self.transcript.first_token_painted.connect(latency.why_slow.note_painted)
            self.transcript.why_slow_requested.connect(latency.explain)
        if not self.window.panel.isHidden():
            latency.set_panel_shown(True)

    def _connect_composer(self) -> None:
        composer, drafts = self.composer, self.drafts
        sender = SendController(composer, drafts, self.chats)
        sender.sending.connect(self.titles.cancel)
        # Said again where it still is.
        sender.sending.connect(lambda: self.window.notices.dismiss(str(Code.DISK_FULL)))
        self.context_full_menu = ContextFullMenu(composer, self.chats, self.models)
        composer.stop_requested.connect(self.chats.stop)
        self.chats.not_stored.connect(composer.give_back)
        composer.text_changed.connect(lambda text: drafts.set_draft(text, composer.attachments))
        composer.attachments_changed.connect(lambda: drafts.set_draft(composer.text, composer.attachments))
        self.prompt_library.editor_requested.connect(self.settings.open_prompts)
        self.window.welcome.prompt_chosen.connect(self.prompt_library.insert)
        drafts.counted.connect(composer.set_counts)
        self.attachments.noted.connect(self.window.notices.show_notice)
        drafts.attachment_counted.connect(composer.set_attachment_tokens)
        drafts.draft_found.connect(lambda draft: composer.give_back(draft.text, draft.attachments))
        if composer.text:  # Written while the window came up.
            drafts.set_draft(composer.text, ())

    def _connect_sidebar(self) -> None:
        sidebar, chat_list_controller = self.sidebar, self.chat_list_controller
        sidebar.new_chat_requested.connect(self._new_chat)
        sidebar.chat_opened.connect(self.chats.open_chat)
        sidebar.hit_opened.connect(lambda chat_id, message_id: self.chats.open_chat(chat_id, at=message_id or ""))
        sidebar.settings_requested.connect(self._show_settings)
        sidebar.models_requested.connect(self._show_models)
        sidebar.add_line(self.download_line)
        self.download_line.clicked.connect(lambda: self.library.open(DOWNLOADS))
        sidebar.import_requested.connect(self.import_export.ask_import_file)
        self.settings.import_requested.connect(self.import_export.ask_import_file)
        self.settings.import_folder_requested.connect(self.import_export.ask_import_folder)
        self.settings.export_requested.connect(self.import_export.ask_export)
        self.import_export.undone.connect(chat_list_controller.leave)
        self.import_export.chats_changed.connect(chat_list_controller.refresh)
        chat_list_controller.undo_offered.connect(self.window.notices.offer_undo)
        chat_list_controller.chat_removed.connect(self._on_chat_removed)
        chat_list_controller.chat_added.connect(self.chats.open_chat)
        chat_list_controller.chat_changed.connect(self.chats.reread)
        chat_list_controller.chat_deleted.connect(self.chats.stop)
        self.titles.titled.connect(lambda _chat_id: chat_list_controller.refresh())
        self.titles.titled.connect(self.chats.reread)

    def _connect_window(self) -> None:
        self.window.close_requested.connect(self.quit)
        self.find_bar.closed.connect(self.composer.setFocus)
        self.top_bar.sidebar_toggled.connect(self.window.toggle_sidebar)
        self.top_bar.panel_toggled.connect(self.window.toggle_panel)
        self.top_bar.chip.clicked.connect(self.models.refresh)
        self.top_bar.stop.clicked.connect(self.models.cancel_load)
        self.top_bar.preset_chosen.connect(lambda name: self.chats.change_chat(preset=name))
        self.strip.clicked.connect(self.window.toggle_panel)
        self.window.welcome.models_requested.connect(self.models.refresh)
        self.settings.preset_renamed.connect(self._on_preset_renamed)
        self.window.welcome.recommendation_chosen.connect(self._show_repo)

    def _handlers(self) -> dict[str, Callable[[], None]]:
        return {
            "new_chat": self._new_chat, "stop": self.chats.stop, "search_all": self.sidebar.focus_search,
            "archived": self.sidebar.show_archive, "settings": self._show_settings, "models": self._show_models,
            "find": self.find_bar.open_bar, "latency_panel": self.window.toggle_panel, "quit": self.quit,
            "palette": lambda: self.command_search.show_commands(self.actions.possible(but="palette")),
            "shortcuts": lambda: self.command_search.show_shortcuts(self.actions.all()),
            "choose_model": self.models.refresh,
            "sidebar": self.window.toggle_sidebar, "write": self.composer.setFocus,
            "regenerate_with": self.other_model.offer_last, **self.commands.handlers(),
        }  # fmt: skip

    # What happens.

    def _on_chat_opened(self, chat: Chat | None) -> None:
        chat_id = chat.id if chat is not None else ""
        answers = [message for message in self.chats.path if message.metrics is not None]
        self.strip_controller.show_chat(chat_id, answers[-1] if answers else None)
        self.sidebar.set_current_chat(chat_id)
        self.composer.edit.set_history([m.content for m in self.chats.path if m.role is Role.USER and m.content])
        self._show_presets()
        self._show_formulas()
        self.window.setWindowTitle(f"{chat.title} – Firstlight" if chat is not None and chat.title else "Firstlight")
        before = self.drafts.chat_id
        self.drafts.open_chat(chat_id)
        if before not in (None, chat_id):
            self.composer.clear()

    def _show_presets(self) -> None:
        current = self.settings_store.preset(self.chats.preset_name).name
        self.top_bar.set_presets(self.settings_store.preset_names(), current)

    def _show_formulas(self) -> None:
        if self.transcript is not None:
            self.transcript.set_math_on(self.chats.is_math_on)

    def _on_preset_renamed(self, old: str, new: str) -> None:
        if self.chats.preset_name == old:
            self.chats.change_chat(preset=new)
        self.chat_list_controller.rename_preset(old, new)

    def _on_chat_stored(self, chat: Chat) -> None:
        self.drafts.chat_was_stored(chat.id)
        self._on_chat_opened(chat)

    def _on_answer_state(self, state: AnswerState) -> None:
        self.composer.set_state(state)
        self.actions["stop"].setEnabled(state is AnswerState.BUSY)
        self.drafts.set_busy(state is not AnswerState.IDLE)

    def _on_answering_changed(self, chat_ids: frozenset[str]) -> None:
        self.chat_list.set_busy(chat_ids)
        self.models.set_answering(self.chats.answering_models)

    def _on_model_status(self, status: ModelStatus) -> None:
        self.top_bar.set_status(status)
        self.window.welcome.set_status(status)
        self.strip_controller.set_effective(status.effective)
        self.drafts.set_ready(status.state in (ModelState.WARM, ModelState.BUSY))

    def _on_host_state(self, state: HostState) -> None:
        if state is HostState.FAILED:
            self.window.notices.dismiss(str(self.client.failure.code))  # That it is being started again is over.
            self.window.notices.show_notice(
                failure_text(self.client.failure), key="host", is_warning=True,
                action=self.tr("Start again"), on_action=self._restart_host,
            )  # fmt: skip
        elif state is HostState.READY:
            self.window.notices.dismiss("host")

    def _restart_host(self) -> None:
        self.client.start()
        if model_id := self.models.model_id:
            self.models.load(model_id, name=self.models.status.name)

    def _on_settings_changed(self) -> None:
        settings = self.settings_store.settings
        self._show_presets()
        self.actions.set_keys(settings.general.shortcuts)
        self.sidebar.set_new_chat_shortcut(self.actions["new_chat"].shortcut())
        self.composer.set_enter_sends(settings.general.is_enter_send)
        self.strip.set_thresholds(settings.thresholds)
        self._set_up_pictures()
        self._show_formulas()
        if settings.general.theme != self._theme_choice:
            self._theme_choice = settings.general.theme
            self.theme.set_choice(self._theme_choice)
        self.window.remember_look(msgspec.structs.asdict(settings.general))
        self.theme.set_font(settings.general.font_size, settings.general.font_family)

    def _on_chat_removed(self, chat_id: str) -> None:
        if self.chats.choices.id == chat_id:
            self.chats.new_chat()

    def _show_settings(self) -> None:
        self.settings.open(self.settings_store.preset(self.chats.preset_name).name)

    def _show_models(self) -> None:
        self.library.open()

    def _show_repo(self, repo: str) -> None:
        self.library.open_repo(repo)

    def _show_chat(self) -> None:
        self.window.raise_()
        self.window.activateWindow()
        self.composer.setFocus()

    def _new_chat(self) -> None:
        self.chats.new_chat()
        self.composer.setFocus()

    def _add_prompt(self, message_id: str) -> None:
        if (row := self.conversation.row_of(message_id)) is not None:
            self.prompt_library.add(self.conversation.item(row).content)

    def _show_match(self, message_id: str, text: str, number: int) -> None:
        if self.transcript is not None:
            self.transcript.show_match(message_id, text, number)

    def _clear_match(self) -> None:
        if self.transcript is not None:
            self.transcript.clear_match()

    def _set_up_pictures(self) -> None:
        if self.transcript is not None:
            models = self.settings_store.settings.models
            self.transcript.pictures.is_offline, self.transcript.pictures.proxy = models.is_offline, models.proxy
