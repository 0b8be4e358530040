"""What is done with several chats of the list at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QMenu

from app.chat_list.chat_list_controller import ChatListController
from app.chat_list.import_export_controller import ImportExportController
from app.chat_list.sidebar import Sidebar
from app.ui.quantities import format_count

Move = Callable[[Sequence[str], str | None], None]
"""Chat ids, and the folder: None for none, empty for a new one."""


class ChatSelection(QObject):
    """The menu and the Delete key of chats that are chosen with Ctrl or Shift."""

    def __init__(
        self, sidebar: Sidebar, organizer: ChatListController, exchange: ImportExportController, move: Move
    ) -> None:
        super().__init__(sidebar)
        self._sidebar, self._organizer, self._exchange, self._move = sidebar, organizer, exchange, move
        sidebar.many_delete_requested.connect(organizer.delete_all)
        sidebar.many_menu_requested.connect(self._open_menu)

    def menu_for(self, chat_ids: Sequence[str]) -> QMenu:
        """What can be done with these chats."""
        menu = QMenu(self._sidebar)
        # Not a section: the style sheet would leave only its line.
        heading = self.tr("{n} chats", None, len(chat_ids)).format(n=format_count(len(chat_ids)))
        menu.addAction(heading).setEnabled(False)
        menu.addSeparator()
        folders = menu.addMenu(self.tr("Move to folder"))
        for folder in self._organizer.folders:
            folders.addAction(folder.name, partial(self._move, chat_ids, folder.id))
        folders.addSeparator()
        folders.addAction(self.tr("No folder"), partial(self._move, chat_ids, None))
        folders.addAction(self.tr("New folder…"), partial(self._move, chat_ids, ""))
        menu.addAction(self.tr("Export…"), partial(self._exchange.ask_export, chat_ids))
        is_archived = self._organizer.is_archive_shown
        menu.addAction(
            self.tr("Unarchive") if is_archived else self.tr("Archive"),
            partial(self._organizer.archive_all, chat_ids, not is_archived),
        )
        menu.addSeparator()
        menu.addAction(self.tr("Delete"), partial(self._organizer.delete_all, chat_ids))
        return menu

    def _open_menu(self, chat_ids: Sequence[str], place: QPoint) -> None:
        menu = self.menu_for(chat_ids)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)
