"""The menu and the commands of the open chat: what is done with a whole chat, and the dialogs that this needs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from app.chat.chat_controller import ChatController
from app.chat.prompt_dialog import PromptDialog
from app.chat_list.chat_list_controller import ChatListController
from app.chat_list.import_export_controller import ImportExportController
from app.core.engine_texts import failure_text, notice_text
from app.core.host_client import HostClient
from app.core.settings_store import SettingsStore
from app.core.tasks import spawn
from app.models.model_controller import ModelController
from app.ui.quantities import format_sentences
from app.ui.shortcuts import Actions
from app.ui.text_dialog import ask_text
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
    """Fills the window's menu anew each time it opens, so that it says what is true now.

    The same is there as commands, for the palette and for keys.
    """

    def __init__(
        self,
        window: MainWindow,
        *,
        client: HostClient,
        chats: ChatController,
        chat_list: ChatListController,
        settings_store: SettingsStore,
        actions: Actions,
        import_export: ImportExportController,
        models: ModelController,
    ) -> None:
        super().__init__(window)
        self._window, self._client = window, client
        self._chats, self._chat_list, self._settings_store, self._actions = chats, chat_list, settings_store, actions
        self._import_export, self._models = import_export, models
        self._menu = window.top_bar.menu
        self._menu.aboutToShow.connect(self._fill)
        self._add_commands()
        chats.chat_opened.connect(self._tell_archived)
        window.sidebar.export_requested.connect(self.export)

    def export(self, chat_ids: Sequence[str]) -> None:
        """Ask for a file for one chat, whose ending says the format; for several ask which of them, and as what."""
        if len(chat_ids) == 1:
            self._import_export.ask_file(chat_ids[0], self._chat_list.title_of(chat_ids[0]))
        else:
            self._import_export.ask_export(chat_ids)

    def edit_system_prompt(self) -> None:
        """Ask what the model is told first in this chat."""
        ask_text(
            self._window.theme,
            self._window,
            self.tr("System prompt"),
            self._chats.system_prompt,
            lambda text, ended: self._chats.change_chat(ended=ended, system_prompt=text),
            label=self.tr("What the model is told before everything else in this chat:"),
        )

    def edit_summary(self) -> None:
        """Show what stands for the chat's earlier turns, to be changed by hand."""
        if (summary := self._chats.summary) is not None:
            ask_text(
                self._window.theme,
                self._window,
                self.tr("Summary of earlier turns"),
                summary.text,
                functools.partial(self._chats.summaries.edit, summary),
                label=self.tr("What the model sees instead of the turns above the mark:"),
            )

    def show_prompt(self) -> None:
        """Show exactly what the model sees of this chat."""
        spawn(self._show_prompt(), owner=self, name="render prompt")

    def _add_commands(self) -> None:
        actions, chat_list = self._actions, self._chat_list
        for name, act in (
            ("rename_chat", chat_list.ask_rename), ("export_chat", lambda chat_id: self.export((chat_id,))),
            ("duplicate_chat", chat_list.duplicate), ("archive_chat", self._archive_or_bring_back),
            ("delete_chat", lambda chat_id: chat_list.delete((chat_id,))),
        ):  # fmt: skip
            actions.add(name, functools.partial(self._with_chat, act), lambda: self._chats.chat is not None)
        actions.add("export_chats", self._import_export.ask_export)
        actions.add("import_chats", self._import_export.ask_import_file)
        actions.add("unload_model", self._unload_model, lambda: self._models.status.effective is not None)
        actions.add(
            "loading", lambda: self._models.settings_wanted.emit(self._models.model_id, self._models.status.name)
        )
        actions.add("system_colours", functools.partial(self._settings_store.change, "general", theme="system"))
        for theme in ("light", "dark", "high_contrast"):
            actions.add(theme, functools.partial(self._settings_store.change, "general", theme=theme))
        actions.add("formulas", lambda: self._chats.change_chat(is_math_on=not self._chats.is_math_on))
        actions.add("show_prompt", self.show_prompt)
        actions.add("system_prompt", self.edit_system_prompt)

    def _with_chat(self, act: Callable[[str], None]) -> None:
        if (chat := self._chats.chat) is not None:
            act(chat.id)

    def _unload_model(self) -> None:
        if self._models.status.effective is not None:
            self._models.unload()

    def _archive_or_bring_back(self, chat_id: str) -> None:
        if (chat := self._chats.chat) is not None:
            self._chat_list.archive((chat_id,), not self._chat_list.is_archived(chat))

    def _fill(self) -> None:
        menu, chat = self._menu, self._chats.chat
        menu.clear()
        if chat is not None:
            is_archived = self._chat_list.is_archived(chat)
            menu.addAction(self.tr("Rename…"), lambda: self._chat_list.ask_rename(chat.id))
            menu.addAction(self.tr("System prompt…"), self.edit_system_prompt)
            self._add_policies(menu.addMenu(self.tr("When the context is full")))
            self.add_formula_choices(menu.addMenu(self.tr("Formulas in this chat")))
            if self._chats.summary is not None:
                menu.addAction(self.tr("Summary of earlier turns…"), self.edit_summary)
            menu.addAction(self.tr("What the model sees…"), self.show_prompt)
            menu.addSeparator()
            menu.addAction(self.tr("Duplicate"), lambda: self._chat_list.duplicate(chat.id))
            menu.addAction(self.tr("Export…"), lambda: self.export((chat.id,)))
            menu.addAction(
                self.tr("Unarchive") if is_archived else self.tr("Archive"),
                lambda: self._chat_list.archive((chat.id,), not is_archived),
            )
            menu.addAction(self.tr("Delete"), lambda: self._chat_list.delete((chat.id,)))
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
                self._settings_store.settings.general.theme == choice,
                functools.partial(self._settings_store.change, "general", theme=choice),
            )
        menu.addSeparator()
        menu.addAction(self._actions["quit"])

    def _tell_archived(self, chat: Chat | None) -> None:
        """Say that the open chat is not in the list, with the way back into it."""
        if chat is None or not self._chat_list.is_archived(chat):
            self._window.notices.dismiss("archived")
            return
        self._window.notices.show_notice(
            self.tr("This chat is archived."),
            key="archived",
            action=self.tr("Unarchive"),
            on_action=lambda: self._chat_list.archive((chat.id,), False),
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

    def add_formula_choices(self, menu: QMenu) -> None:
        """Drawn or as LaTeX in the open chat, the choice in force marked."""
        usual = self.tr("drawn") if self._settings_store.settings.general.is_math_on else self.tr("as LaTeX")
        for is_on, text in (
            (None, self.tr("As in the settings: {usual}").format(usual=usual)),
            (True, self.tr("Drawn")),
            (False, self.tr("As LaTeX")),
        ):
            is_chosen = self._chats.choices.is_math_on is is_on
            self._add_choice(menu, text, is_chosen, functools.partial(self._chats.change_chat, is_math_on=is_on))

    def _add_choice(self, menu: QMenu, text: str, is_chosen: bool, choose: Callable[[], None]) -> None:
        action = menu.addAction(text, choose)
        action.setCheckable(True)
        action.setChecked(is_chosen)

    async def _show_prompt(self) -> None:
        options = self._settings_store.preset(self._chats.preset_name).template_options
        command = RenderPrompt(model_id=self._models.model_id, messages=self._chats.prompt, template_options=options)
        event = await self._client.request(command)
        if isinstance(event, RequestFailed):
            self._window.notices.show_notice(failure_text(event.failure), is_warning=True)
        elif isinstance(event, PromptRendered):
            changes = format_sentences(map(notice_text, event.notices))
            PromptDialog(self._window.theme, event.text, event.n_tokens, changes, self._window).open()
