"""What is done with one or several chats of the list: rename, pin, archive, folders, duplicate, delete with undo."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Concatenate, ParamSpec

from PySide6.QtCore import QObject, Signal

from app.chat.chat_prompt import first_words
from app.chat_list.chat_list_model import ChatListModel
from app.chat_list.sidebar import Sidebar
from app.core.chat_database import ChatDatabase, Ended, report_failure
from app.core.tasks import spawn
from app.ui.quantities import format_count
from app.ui.text_dialog import ask_text
from engine.errors import FirstlightError
from engine.store.chat_values import Chat
from engine.store.chats import ChatChanges, ChatStore

_P = ParamSpec("_P")


class ChatListController(QObject):
    """Signals: failed(Failure), undo_offered(text, callable), and with ids chat_removed from the list, chat_deleted
    after that, chat_added, chat_changed.
    """

    failed = Signal(object)
    undo_offered = Signal(str, object)
    chat_removed = Signal(str)
    chat_deleted = Signal(str)
    chat_added = Signal(str)
    chat_changed = Signal(str)

    def __init__(self, database: ChatDatabase, model: ChatListModel, sidebar: Sidebar, parent: QObject) -> None:
        """Does what the sidebar asks for; dialogs are opened over its window."""
        super().__init__(parent)
        self._database, self._model, self._sidebar = database, model, sidebar
        self._query = ""
        sidebar.search_requested.connect(self.search)
        sidebar.rename_requested.connect(self.ask_rename)
        sidebar.pin_requested.connect(self.pin)
        sidebar.move_requested.connect(self.move)
        sidebar.duplicate_requested.connect(self.duplicate)
        sidebar.archive_requested.connect(self.archive)
        sidebar.delete_requested.connect(self.delete)
        sidebar.folder_toggled.connect(self.toggle_folder)
        sidebar.folder_create_requested.connect(self.ask_new_folder)
        sidebar.folder_rename_requested.connect(self.ask_rename_folder)
        sidebar.folder_delete_requested.connect(self.delete_folder)
        model.chats_dropped.connect(self.move)

    def refresh(self) -> None:
        """Read the list again."""
        self._do(self._refresh)

    def search(self, text: str) -> None:
        """Show what a search finds in titles and messages; an empty text ends it."""
        self._query = text
        if not text:
            self._model.set_hits(None)
        else:
            self._do(lambda: self._search(text))

    def title_of(self, chat_id: str) -> str:
        chats = (*self._model.chats, *self._model.archived)
        return next((chat.title for chat in chats if chat.id == chat_id), "")

    def is_archived(self, chat: Chat) -> bool:
        """As the list has it; before that is read, as the chat itself says."""
        listed = (*self._model.chats, *self._model.archived)
        return next((each for each in listed if each.id == chat.id), chat).is_archived

    def ask_rename(self, chat_id: str) -> None:
        """Ask for a chat's title."""
        store = partial(self.rename, chat_id)
        self._ask_text(self.tr("Rename chat"), self.title_of(chat_id), store, verb=self.tr("Rename"))

    def rename(self, chat_id: str, title: str, ended: Ended) -> None:
        self._keep(title, lambda name: self._update(chat_id, title=name), ended)

    def rename_preset(self, old: str, new: str) -> None:
        """Chats know their preset by its name."""

        async def work() -> None:
            for chat in await self._database.call(ChatStore.chats):
                if chat.preset == old:
                    await self._database.call(ChatStore.update_chat, chat.id, preset=new)
            await self._refresh()

        self._do(work)

    def pin(self, chat_id: str, is_pinned: bool) -> None:
        self._do(lambda: self._update(chat_id, is_pinned=is_pinned))

    def archive(self, chat_ids: Sequence[str], is_archived: bool) -> None:
        """Take chats out of the list without deleting them, or bring them back."""

        async def work() -> None:
            await self._update(*chat_ids, is_archived=is_archived)
            if is_archived:
                for chat_id in chat_ids:
                    self.chat_removed.emit(chat_id)
                text = self.tr("The chat was archived.")
                if (n := len(chat_ids)) > 1:
                    text = self.tr("{n} chats were archived.", None, n).format(n=format_count(n))
                self.undo_offered.emit(text, lambda: self.archive(chat_ids, False))

        self._do(work)

    def move(self, chat_ids: Sequence[str], folder_id: str | None) -> None:
        """Put chats into a folder; None takes them out, an empty id asks for a new one.

        A pinned chat loses its pin: it is listed where it was put.
        """
        if folder_id == "":
            self.ask_new_folder(chat_ids)
        else:
            self._do(lambda: self._file(chat_ids, folder_id))

    def ask_new_folder(self, chat_ids: Sequence[str] = ()) -> None:
        """Ask for a new folder's name, and put these chats into it."""

        async def work(name: str) -> None:
            folder = await self._database.call(ChatStore.create_folder, name)
            await (self._file(chat_ids, folder.id) if chat_ids else self._refresh())

        self._ask_text(
            self.tr("New folder"), "", lambda name, ended: self._keep(name, work, ended), verb=self.tr("Create")
        )

    def ask_rename_folder(self, folder_id: str) -> None:
        """Ask for another name of a folder."""
        name = next((folder.name for folder in self._model.folders if folder.id == folder_id), "")
        store = partial(self.rename_folder, folder_id)
        self._ask_text(self.tr("Rename folder"), name, store, verb=self.tr("Rename"))

    def rename_folder(self, folder_id: str, name: str, ended: Ended) -> None:
        self._keep(name, lambda name: self._change_folders(ChatStore.update_folder, folder_id, name=name), ended)

    def delete_folder(self, folder_id: str) -> None:
        """Remove a folder and keep its chats; undo_offered puts them back into it."""
        folder = next((folder for folder in self._model.folders if folder.id == folder_id), None)
        if folder is None:
            return

        async def work() -> None:
            inside = await self._database.call(ChatStore.delete_folder, folder.id)
            await self._refresh()
            text = self.tr("The folder “{name}” was deleted.").format(name=first_words(folder.name))
            bring_back = partial(self._change_folders, ChatStore.restore_folder, folder, inside)
            self.undo_offered.emit(text, lambda: self._do(bring_back))

        self._do(work)

    def toggle_folder(self, folder_id: str) -> None:
        """Open or close a folder, and remember it."""
        is_open = self._model.toggle_folder(folder_id)

        async def work() -> None:
            await self._database.call(ChatStore.update_folder, folder_id, is_collapsed=not is_open)

        self._do(work)

    def duplicate(self, chat_id: str) -> None:
        async def work() -> None:
            copy = await self._database.call(ChatStore.duplicate_chat, chat_id)
            await self._refresh()
            self.chat_added.emit(copy.id)

        self._do(work)

    def delete(self, chat_ids: Sequence[str]) -> None:
        """Delete chats; one undo brings all of them back."""

        async def bring_back() -> None:
            await self._for_each(ChatStore.restore_chat, chat_ids)
            await self._refresh()
            if len(chat_ids) == 1:
                self.chat_added.emit(chat_ids[0])

        async def work() -> None:
            title = first_words(self.title_of(chat_ids[0])) or self.tr("New chat")
            text = self.tr("“{title}” was deleted.").format(title=title)
            if (n := len(chat_ids)) > 1:
                text = self.tr("{n} chats were deleted.", None, n).format(n=format_count(n))
            await self._for_each(ChatStore.delete_chat, chat_ids)
            await self._refresh()
            for chat_id in chat_ids:
                self.chat_removed.emit(chat_id)
                self.chat_deleted.emit(chat_id)
            self.undo_offered.emit(text, lambda: self._do(bring_back))

        self._do(work)

    def leave(self, chat_ids: Sequence[str]) -> None:
        """Somebody else has deleted these chats."""
        self.refresh()
        for chat_id in chat_ids:
            self.chat_removed.emit(chat_id)
            self.chat_deleted.emit(chat_id)

    async def _refresh(self) -> None:
        chats = await self._database.call(ChatStore.chats)
        folders = await self._database.call(ChatStore.folders)
        self._model.set_chats(chats, folders)

    async def _change_folders(
        self, method: Callable[Concatenate[ChatStore, _P], object], *arguments: _P.args, **fields: _P.kwargs
    ) -> None:
        await self._database.call(method, *arguments, **fields)
        await self._refresh()

    async def _search(self, text: str) -> None:
        hits = await self._database.call(ChatStore.search, text)
        if text == self._query:
            self._model.set_hits(hits)

    async def _file(self, chat_ids: Sequence[str], folder_id: str | None) -> None:
        unpinned = {"is_pinned": False} if folder_id is not None else {}
        await self._update(*chat_ids, folder_id=folder_id, **unpinned)

    async def _update(self, *chat_ids: str, **changes: object) -> None:
        fields: ChatChanges = changes  # type: ignore[assignment]
        await self._for_each(partial(ChatStore.update_chat, **fields), chat_ids)
        await self._refresh()
        for chat_id in chat_ids:
            self.chat_changed.emit(chat_id)

    async def _for_each(self, method: Callable[[ChatStore, str], object], chat_ids: Sequence[str]) -> None:
        """Call a method of the store for all of these chats, or for none. Raises StorageError."""

        def work(store: ChatStore) -> None:
            with store.together():
                for chat_id in chat_ids:
                    method(store, chat_id)

        await self._database.call(work)

    def _ask_text(self, title: str, text: str, store: Callable[[str, Ended], None], *, verb: str) -> None:
        ask_text(self._sidebar.theme, self._sidebar.window(), title, text, store, verb=verb)

    def _keep(self, text: str, work: Callable[[str], Coroutine[Any, Any, None]], ended: Ended) -> None:
        """Store what was typed; a blank text changes nothing."""
        if name := text.strip():
            storing = work(name)
            spawn(report_failure(storing, ended), owner=self, name="organise chats", inside=storing)
        else:
            ended("")

    def _do(self, work: Callable[[], Awaitable[None]]) -> None:
        async def guarded() -> None:
            try:
                await work()
            except FirstlightError as error:
                self.failed.emit(error.failure)

        spawn(guarded(), owner=self, name="organise chats")
