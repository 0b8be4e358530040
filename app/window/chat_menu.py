"""The menu of the open chat and of the window: what is done with a whole chat, and the dialogs that this needs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QInputDialog, QMenu, QPlainTextEdit

from app.chat.chat_controller import ChatController
from app.chat.context_full_menu import ContextFullMenu
from app.chat.continuation import Continuation
from app.chat.formula_switch import FormulaSwitch
from app.chat.prompt_dialog import PromptDialog
from app.chat.regeneration import Regeneration
from app.chat_list.chat_list_controller import ChatListController
from app.chat_list.chat_selection import ChatSelection
from app.chat_list.import_export_controller import ImportExportController
from app.core.engine_texts import failure_text, notice_text
from app.core.failure_reports import Ended
from app.core.host_client import HostClient
from app.core.settings_store import SettingsStore
from app.core.tasks import spawn
from app.models.model_controller import ModelController
from app.models.temporary_model import TemporaryModel
from app.ui.quantities import format_sentences
from app.ui.shortcuts import Actions
from app.ui.text_dialog import TextDialog
from app.window.chat_menu_actions import ChatMenuActions
from app.window.completion_notifications import CompletionNotifications
from app.window.desktop_notification import DesktopNotification
from app.window.main_window import MainWindow
from engine.protocol import ContextPolicy, PromptRendered, RenderPrompt, RequestFailed

if TYPE_CHECKING:
    from engine.store.chat_values import Chat

_COMMANDS = (
    ("add_message", "add_answer"), ("models", "settings", "palette", "shortcuts"),
    ("sidebar", "latency_panel", "larger", "smaller", "usual_size"),
)  # fmt: skip
"""The window's own, in groups."""


class ChatMenu(QObject):
    """Fills the window's menu anew each time it opens, so that it says what is true now."""

    def __init__(
        self,
        window: MainWindow,
        *,
        client: HostClient,
        chats: ChatController,
        organizer: ChatListController,
        preferences: SettingsStore,
        actions: Actions,
        exchange: ImportExportController,
        models: ModelController,
    ) -> None:
        super().__init__(window)
        self._window, self._client = window, client
        self._chats, self._organizer, self._preferences, self._actions = chats, organizer, preferences, actions
        self._exchange, self._models = exchange, models
        beside = TemporaryModel(window, client, models)
        self.regeneration = Regeneration(
            window, client=client, chats=chats, models=models, preferences=preferences, beside=beside
        )
        self.continuation = Continuation(window, client, chats, models, beside)
        chats.chat_opened.connect(lambda chat: beside.chat_opened(chat.id if chat is not None else ""))
        exchange.undone.connect(organizer.leave)
        models.given_up.connect(chats.give_up)
        actions["stop"].triggered.connect(window.composer.setFocus)
        self.full_chat = ContextFullMenu(window, chats, models)
        self.end_notices = CompletionNotifications(window, chats=chats, client=client, preferences=preferences)
        self.end_notices.told.connect(DesktopNotification(window).show)
        self.chat_actions = ChatMenuActions(
            self, actions, chats=chats, organizer=organizer, exchange=exchange, models=models, preferences=preferences
        )
        self._menu = window.top_bar.menu
        self._menu.aboutToShow.connect(self._fill)
        self.formulas = FormulaSwitch(chats, preferences, self)
        actions.add("formulas", self.formulas.toggle)
        actions.add("show_prompt", self.show_prompt)
        actions.add("system_prompt", self.edit_system_prompt)
        actions.add("regenerate_with", self.regeneration.ask_last)
        chats.chat_opened.connect(self._tell_archived)
        organizer.chat_changed.connect(chats.reread)
        organizer.chat_deleted.connect(chats.stop)
        window.sidebar.rename_requested.connect(self.rename)
        window.sidebar.export_requested.connect(self.export)
        window.sidebar.folder_requested.connect(lambda chat_id, folder_id: self.move((chat_id,), folder_id))
        self.selection = ChatSelection(window.sidebar, organizer, exchange, self.move)
        window.sidebar.folder_create_requested.connect(
            lambda: self._ask_text(self.tr("New folder"), "", organizer.create_folder, verb=self.tr("Create"))
        )
        window.sidebar.folder_rename_requested.connect(self._rename_folder)
        window.sidebar.folder_delete_requested.connect(organizer.delete_folder)
        window.chat_list.chats_dropped.connect(organizer.move)

    def rename(self, chat_id: str) -> None:
        """Ask for a title."""
        self._ask_text(
            self.tr("Rename chat"),
            self._organizer.title_of(chat_id),
            functools.partial(self._organizer.rename, chat_id),
            verb=self.tr("Rename"),
        )

    def move(self, chat_ids: Sequence[str], folder_id: str | None) -> None:
        """Put chats into a folder; None takes them out, an empty id asks for a new one."""
        if folder_id == "":
            self._ask_text(
                self.tr("New folder"),
                "",
                functools.partial(self._organizer.move_to_new_folder, chat_ids),
                verb=self.tr("Create"),
            )
        else:
            self._organizer.move(chat_ids, folder_id)

    def export(self, chat_id: str) -> None:
        """Ask for a file, whose ending says the format."""
        self._exchange.ask_file(chat_id, self._organizer.title_of(chat_id))

    def edit_system_prompt(self) -> None:
        """Ask what the model is told first in this chat."""
        self._ask_text(
            self.tr("System prompt"),
            self._chats.system_prompt,
            lambda text, ended: self._chats.change_chat(ended=ended, system_prompt=text),
            label=self.tr("What the model is told before everything else in this chat:"),
        )

    def edit_summary(self) -> None:
        """Show what stands for the chat's earlier turns, to be changed by hand."""
        if (summary := self._chats.summary) is not None:
            self._ask_text(
                self.tr("Summary of earlier turns"),
                summary.text,
                functools.partial(self._chats.summaries.edit, summary),
                label=self.tr("What the model sees instead of the turns above the mark:"),
            )

    def show_prompt(self) -> None:
        """Show exactly what the model sees of this chat."""
        spawn(self._show_prompt(), owner=self, name="render prompt")

    def _fill(self) -> None:
        menu, chat = self._menu, self._chats.chat
        menu.clear()
        if chat is not None:
            is_archived = self._organizer.is_archived(chat)
            menu.addAction(self.tr("Rename…"), lambda: self.rename(chat.id))
            menu.addAction(self.tr("System prompt…"), self.edit_system_prompt)
            self._add_policies(menu.addMenu(self.tr("When the context is full")))
            self.formulas.add_to(menu.addMenu(self.tr("Formulas in this chat")))
            if self._chats.summary is not None:
                menu.addAction(self.tr("Summary of earlier turns…"), self.edit_summary)
            menu.addAction(self.tr("What the model sees…"), self.show_prompt)
            menu.addSeparator()
            menu.addAction(self.tr("Duplicate"), lambda: self._organizer.duplicate(chat.id))
            menu.addAction(self.tr("Export…"), lambda: self.export(chat.id))
            menu.addAction(
                self.tr("Unarchive") if is_archived else self.tr("Archive"),
                lambda: self._organizer.archive(chat.id, not is_archived),
            )
            menu.addAction(self.tr("Delete"), lambda: self._organizer.delete(chat.id))
            menu.addSeparator()
        for number, names in enumerate(_COMMANDS):
            if number:
                menu.addSeparator()
            menu.addActions([self._actions[name] for name in names])
        themes = menu.addMenu(self.tr("Colours"))
        for choice, text in (
            ("system", self.tr("As the system")),
            ("light", self.tr("Light")),
            ("dark", self.tr("Dark")),
            ("high_contrast", self.tr("High contrast")),
        ):
            self._add_choice(
                themes,
                text,
                self._preferences.settings.general.theme == choice,
                functools.partial(self._preferences.change, "general", theme=choice),
            )
        menu.addSeparator()
        menu.addAction(self._actions["quit"])

    def _tell_archived(self, chat: Chat | None) -> None:
        """Say that the open chat is not in the list, with the way back into it."""
        if chat is None or not self._organizer.is_archived(chat):
            self._window.notices.dismiss("archived")
            return
        self._window.notices.show_notice(
            self.tr("This chat is archived."),
            key="archived",
            action=self.tr("Unarchive"),
            on_action=lambda: self._organizer.archive(chat.id, False),
        )

    def _add_policies(self, menu: QMenu) -> None:
        in_force = self._chats.policy(self._chats.chat)
        for policy, text in (
            (ContextPolicy.SLIDE, self.tr("Leave out the oldest turns")),
            (ContextPolicy.SUMMARISE, self.tr("Summarise the oldest turns")),
            (ContextPolicy.STOP, self.tr("Stop")),
        ):
            self._add_choice(
                menu, text, policy is in_force, functools.partial(self._chats.change_chat, context_policy=policy)
            )

    def _add_choice(self, menu: QMenu, text: str, is_chosen: bool, choose: Callable[[], None]) -> None:
        action = menu.addAction(text, choose)
        action.setCheckable(True)
        action.setChecked(is_chosen)

    def _rename_folder(self, folder_id: str) -> None:
        name = self._organizer.folder_name(folder_id)
        accept = functools.partial(self._organizer.rename_folder, folder_id)
        self._ask_text(self.tr("Rename folder"), name, accept, verb=self.tr("Rename"))

    def _ask_text(
        self, title: str, text: str, accept: Callable[[str, Ended], None], *, label: str = "", verb: str = ""
    ) -> None:
        """Ask for one line, or with a `label` for a longer text; `verb` is what is done with it."""
        dialog = TextDialog(self._window.theme, label or title, self._window)
        if label:
            dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
        dialog.setWindowTitle(title)
        dialog.setTextValue(text)
        dialog.setOkButtonText(verb or self.tr("Save"))
        dialog.setCancelButtonText(self.tr("Cancel"))
        dialog.submitted.connect(lambda text: accept(text, dialog.end))
        dialog.resize(560 if label else 420, 320 if label else dialog.sizeHint().height())
        dialog.open()  # With its size: it is placed by it.
        if (longer := dialog.findChild(QPlainTextEdit)) is not None:
            longer.moveCursor(QTextCursor.MoveOperation.End)  # Selected, a key would overwrite all of it.

    async def _show_prompt(self) -> None:
        request_id, model_id = self._client.new_request_id(), self._models.model_id
        options = self._preferences.preset(self._chats.preset_name).template_options
        command = RenderPrompt(
            request_id=request_id, model_id=model_id, messages=self._chats.prompt, template_options=options
        )
        event = await self._client.request(command)
        if isinstance(event, RequestFailed):
            self._window.notices.show_notice(failure_text(event.failure), is_warning=True)
        elif isinstance(event, PromptRendered):
            changes = format_sentences(map(notice_text, event.notices))
            PromptDialog(self._window.theme, event.text, event.n_tokens, changes, self._window).open()
