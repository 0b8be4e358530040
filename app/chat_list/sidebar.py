"""The sidebar: new chat, search, the list of chats, and the ways to models and settings."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6 import QtGui
from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QMenu, QVBoxLayout, QWidget

from app.chat_list.chat_delegate import ChatDelegate
from app.chat_list.chat_list_model import ChatListModel, RowKind
from app.chat_list.chat_list_view import ChatListView
from app.ui.announcement import announce
from app.ui.icon_button import IconButton
from app.ui.key_filters import EscapeFilter
from app.ui.quantities import format_count
from app.ui.style_sheet import icon
from app.ui.theme import Theme

if TYPE_CHECKING:
    from engine.store.chat_values import Chat

_SEARCH_MS = 120
_ANY_HEIGHT = 16_777_215
"""Qt's QWIDGETSIZE_MAX: no bound."""


class Sidebar(QFrame):
    """Signals carry a chat's id, or a tuple of ids for what can be done with several chats at once.

    `search_requested` has an empty text when the search ends; `move_requested(ids, folder id)` None for no folder and
    an empty id for a new one.
    """

    new_chat_requested = Signal()
    chat_opened = Signal(str)
    hit_opened = Signal(str, object)
    search_requested = Signal(str)
    folder_toggled = Signal(str)
    rename_requested = Signal(str)
    pin_requested = Signal(str, bool)
    move_requested = Signal(object, object)
    duplicate_requested = Signal(str)
    export_requested = Signal(object)
    archive_requested = Signal(object, bool)
    delete_requested = Signal(object)
    folder_create_requested = Signal()
    folder_rename_requested = Signal(str)
    folder_delete_requested = Signal(str)
    import_requested = Signal()
    models_requested = Signal()
    settings_requested = Signal()

    def __init__(self, model: ChatListModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self._model, self.theme = model, theme
        self.new_chat = IconButton(theme, "", self.tr("New chat"), kind="newChat", parent=self)
        self._new_key = QLabel(self.new_chat)
        self._new_key.setObjectName("faint")
        self._new_key.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        inner = QHBoxLayout(self.new_chat)
        inner.setContentsMargins(0, 0, 11, 0)
        inner.addStretch(1)
        inner.addWidget(self._new_key)
        self.search = QLineEdit(self)
        self.search.setObjectName("searchField")
        self.search.setPlaceholderText(self.tr("Search all chats"))
        self.search.setAccessibleName(self.tr("Search all chats"))
        self._search_icon = QAction(self.tr("Search all chats"), self.search)
        self.search.addAction(self._search_icon, QLineEdit.ActionPosition.LeadingPosition)
        self._clear = QAction(self.tr("Clear the search"), self.search)
        self._clear.setVisible(False)
        self.search.addAction(self._clear, QLineEdit.ActionPosition.TrailingPosition)
        self._search_timer = QTimer(self, singleShot=True, interval=_SEARCH_MS)
        self.list = ChatListView(self)
        self.list.setAccessibleName(self.tr("Chats"))
        self.list.setModel(model)
        self.delegate = ChatDelegate(theme, self)
        self._chosen: tuple[str, ...] = ()
        self.list.setItemDelegate(self.delegate)
        self._nothing = QLabel(self)
        self._nothing.setObjectName("faint")
        self._nothing.setWordWrap(True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)
        self._nothing.setContentsMargins(10, 6, 10, 6)
        self.way_out = IconButton(theme, "", kind="plain", size_delta=-1, parent=self)
        self.way_out.clicked.connect(self._take_way_out)
        self.models = IconButton(theme, "", self.tr("Models"), kind="sideButton", parent=self)
        self.settings = IconButton(theme, "", self.tr("Settings"), kind="sideButton", parent=self)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 14, 10, 12)
        column.setSpacing(8)
        column.addWidget(self.new_chat)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        column.addWidget(self._nothing)
        way_out = QHBoxLayout()
        way_out.setContentsMargins(10, 0, 0, 0)
        way_out.addWidget(self.way_out)
        way_out.addStretch(1)
        column.addLayout(way_out)
        self._rest = QWidget(self)  # Takes what an empty list leaves.
        column.addWidget(self._rest, 1)
        column.addSpacing(6)
        for button in (self.models, self.settings):
            column.addWidget(button)
        column.setSpacing(6)
        EscapeFilter(self, lambda: bool(self.search.text()) or model.is_archive_shown)
        self._connect()
        self._take_theme()
        self._on_rows_changed()

    def _connect(self) -> None:
        self.new_chat.clicked.connect(self.new_chat_requested)
        self.models.clicked.connect(self.models_requested)
        self.settings.clicked.connect(self.settings_requested)
        self.search.textChanged.connect(self._on_search_typed)
        self._clear.triggered.connect(self.search.clear)
        self._search_timer.timeout.connect(lambda: self.search_requested.emit(self.search.text().strip()))
        self.list.opened.connect(self._open)
        self.list.delete_pressed.connect(self._on_delete_pressed)
        self.list.rename_pressed.connect(self._on_rename_pressed)
        self.list.customContextMenuRequested.connect(self._on_menu_requested)
        self.list.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self._model.modelAboutToBeReset.connect(self._keep_chosen)
        self._model.modelReset.connect(self._on_rows_changed)
        self._model.modelReset.connect(self._say_found)
        self.theme.changed.connect(self._on_theme_changed)

    def add_line(self, line: QWidget) -> None:
        """Put a line of something that goes on above the ways to models and settings."""
        column = self.layout()
        assert isinstance(column, QVBoxLayout)
        column.insertWidget(column.indexOf(self.models), line)

    def set_current_chat(self, chat_id: str) -> None:
        """Mark the chat that is open."""
        self.delegate.current_chat = chat_id
        self._on_rows_changed()

    def set_new_chat_shortcut(self, key: QtGui.QKeySequence) -> None:
        self._new_key.setText(key.toString(key.SequenceFormat.NativeText).replace("+", " "))
        self._fit_key()

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_key()

    def _fit_key(self) -> None:
        """The key gives way where large letters leave no room beside the words."""
        needed = self.new_chat.sizeHint().width() + self._new_key.sizeHint().width()
        self._new_key.setVisible(needed <= self.new_chat.width())

    def focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def show_archive(self, is_shown: bool = True) -> None:
        """List the archived chats, or the others again."""
        self.search.clear()
        self._model.show_archive(is_shown)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and (self.search.text() or self._model.is_archive_shown):
            self.show_archive(False)
            return
        if event.key() == Qt.Key.Key_Down and self.search.hasFocus():
            self.list.setFocus(Qt.FocusReason.TabFocusReason)
            return
        super().keyPressEvent(event)

    def menu_for(self, chat: Chat) -> QMenu:
        """The menu of one chat."""
        menu, key = QMenu(self), chat.id
        menu.addAction(self.tr("Rename…"), lambda: self.rename_requested.emit(key))
        menu.addAction(
            self.tr("Unpin") if chat.is_pinned else self.tr("Pin"),
            lambda: self.pin_requested.emit(key, not chat.is_pinned),
        )
        self._add_folders(menu, (key,), is_filed=chat.folder_id is not None)
        menu.addAction(self.tr("Duplicate"), lambda: self.duplicate_requested.emit(key))
        self._add_ways_out(menu, (key,), is_archived=chat.is_archived)
        return menu

    def menu_for_several(self, chat_ids: Sequence[str]) -> QMenu:
        """The menu of several chats."""
        menu = QMenu(self)
        # Not a section: the style sheet would leave only its line.
        heading = self.tr("{n} chats", None, len(chat_ids)).format(n=format_count(len(chat_ids)))
        menu.addAction(heading).setEnabled(False)
        menu.addSeparator()
        self._add_folders(menu, chat_ids, is_filed=True)
        self._add_ways_out(menu, chat_ids, is_archived=self._model.is_archive_shown)
        return menu

    def _add_folders(self, menu: QMenu, chat_ids: Sequence[str], *, is_filed: bool) -> None:
        move = functools.partial(self.move_requested.emit, chat_ids)
        folders = menu.addMenu(self.tr("Move to folder"))
        for folder in self._model.folders:
            folders.addAction(folder.name, functools.partial(move, folder.id))
        folders.addSeparator()
        if is_filed:
            folders.addAction(self.tr("No folder"), lambda: move(None))
        folders.addAction(self.tr("New folder…"), lambda: move(""))

    def _add_ways_out(self, menu: QMenu, chat_ids: Sequence[str], *, is_archived: bool) -> None:
        menu.addAction(self.tr("Export…"), lambda: self.export_requested.emit(chat_ids))
        menu.addAction(
            self.tr("Unarchive") if is_archived else self.tr("Archive"),
            lambda: self.archive_requested.emit(chat_ids, not is_archived),
        )
        menu.addSeparator()
        menu.addAction(self.tr("Delete"), lambda: self.delete_requested.emit(chat_ids))

    def folder_menu(self, folder_id: str = "") -> QMenu:
        """The menu of a folder, or of the place beside the chats."""
        menu = QMenu(self)
        if folder_id:
            menu.addAction(self.tr("Rename…"), lambda: self.folder_rename_requested.emit(folder_id))
            menu.addAction(
                self.tr("Delete the folder, keep its chats"), lambda: self.folder_delete_requested.emit(folder_id)
            )
            menu.addSeparator()
        menu.addAction(self.tr("New folder…"), self.folder_create_requested.emit)
        menu.addAction(self.tr("Archived chats"), self.show_archive)
        return menu

    def _open(self, index: QModelIndex) -> None:
        row = self._model.row(index.row())
        if row.kind is RowKind.FOLDER:
            self.folder_toggled.emit(row.key)
        elif row.kind is RowKind.ARCHIVE:
            self.show_archive(not row.is_open)
        elif row.kind is RowKind.HIT and row.hit is not None:
            self.hit_opened.emit(row.key, row.hit.message_id)
        elif row.kind is RowKind.CHAT:
            self.chat_opened.emit(row.key)

    def _on_search_typed(self, text: str) -> None:
        self._clear.setVisible(bool(text))
        self._search_timer.start()

    def _on_delete_pressed(self, index: QModelIndex) -> None:
        if len(chosen := self.list.chosen) > 1:
            self.delete_requested.emit(chosen)
        elif (row := self._model.row(index.row())).kind is RowKind.CHAT:
            self.delete_requested.emit((row.key,))
        elif row.kind is RowKind.FOLDER:
            self.folder_delete_requested.emit(row.key)

    def _on_rename_pressed(self, index: QModelIndex) -> None:
        if (row := self._model.row(index.row())).kind is RowKind.CHAT:
            self.rename_requested.emit(row.key)
        elif row.kind is RowKind.FOLDER:
            self.folder_rename_requested.emit(row.key)

    def _on_menu_requested(self, position: QPoint) -> None:
        index = self.list.indexAt(position)
        row = self._model.row(index.row()) if index.isValid() else None
        if len(chosen := self.list.chosen) > 1 and row is not None and row.key in chosen:
            menu = self.menu_for_several(chosen)
        elif row is not None and row.chat is not None:
            menu = self.menu_for(row.chat)
        elif row is None or row.kind is not RowKind.HIT:
            menu = self.folder_menu(row.key if row is not None and row.kind is RowKind.FOLDER else "")
        else:
            return
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.list.viewport().mapToGlobal(position))

    def _on_selection_changed(self) -> None:
        self.delegate.has_many = len(self.list.chosen) > 1
        self.list.viewport().update()

    def _keep_chosen(self) -> None:
        """The list is read again after each answer, which must not undo what is being chosen."""
        self._chosen = self.list.chosen

    def _on_rows_changed(self) -> None:
        sentence, way_out = self._nothing_words()
        for label, words in ((self._nothing, sentence), (self.way_out, way_out)):
            label.setText(words)
            label.setVisible(bool(words))
        self.way_out.setAccessibleName(way_out or self.tr("Import chats…"))
        self._rest.setVisible(bool(sentence))
        self.list.setMaximumHeight(self._model.rowCount() * self.delegate.row_height if sentence else _ANY_HEIGHT)
        if (number := self._model.row_of_chat(self.delegate.current_chat)) is not None:
            self.list.set_current(number)
        if len(self._chosen) > 1:
            self.list.choose(self._chosen)
        self._chosen = ()
        self.list.viewport().update()

    def _say_found(self) -> None:
        if self._model.is_searching:
            found = self.tr("{n} found").format(n=format_count(self._model.rowCount()))
            announce(self, self._nothing.text() or found)

    def _nothing_words(self) -> tuple[str, str]:
        """What stands in a list without chats, and what its button says; both empty where there are some."""
        if self._model.is_searching:
            return ("", "") if self._model.rowCount() else (self.tr("Nothing found."), self.tr("Clear the search"))
        if self._model.is_archive_shown:
            words = self.tr("No chat is archived. Choose Archive in a chat's menu to keep it here, out of the list.")
            return ("", "") if self._model.archived else (words, self.tr("Back to the chats"))
        if self._model.chats or self._model.archived or self._model.folders or not self._model.is_read:
            return "", ""
        return self.tr("No chats yet. What you write is kept here."), self.tr("Import chats…")

    def _take_way_out(self) -> None:
        if self._model.is_searching or self._model.is_archive_shown:
            self.show_archive(False)
        else:
            self.import_requested.emit()

    def _on_theme_changed(self) -> None:
        self._take_theme()
        self.list.doItemsLayout()  # Rows have another height beside larger letters.
        self._on_rows_changed()

    def _take_theme(self) -> None:
        for widget, height in ((self.new_chat, 38), (self.search, 34), (self.models, 34), (self.settings, 34)):
            widget.setFixedHeight(self.theme.grown(height))
        self._new_key.setFont(self.theme.font(-2))
        self._fit_key()
        self.search.setFont(self.theme.font(-1))
        self._nothing.setFont(self.theme.font(-1))
        self._search_icon.setIcon(icon(self.theme, "search", "faint"))
        self._clear.setIcon(icon(self.theme, "close", "faint"))
