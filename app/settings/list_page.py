"""A page of several likewise settings, such as presets: a list of them, and the rows of the one that is chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QListWidget, QPushButton, QWidget

from app.core.settings_store import SettingPath, SettingsStore
from app.settings.settings_form import SettingsPage
from app.ui.announcement import announce
from app.ui.theme import Theme

_ROW_HEIGHT, _FRAME = 26, 10


class UndoLine(QWidget):
    """Takes the last deletion back: hidden until something was deleted, and again once it is back."""

    def __init__(self) -> None:
        super().__init__()
        self._label = QLabel()
        self._label.setObjectName("dim")
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self.button = QPushButton(self.tr("Undo"))
        self.button.clicked.connect(self._on_clicked)
        self._undo: Callable[[], None] | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._label, 1)
        row.addWidget(self.button)
        self.hide()

    @property
    def text(self) -> str:
        return self._label.text()

    def offer(self, name: str, undo: Callable[[], None]) -> None:
        """Say what was deleted; `undo` brings it back."""
        self._label.setText(self.tr("“{name}” was deleted.").format(name=name))
        self._undo = undo
        self.show()
        announce(self, self._label.text())

    def _on_clicked(self) -> None:
        undo, self._undo = self._undo, None
        self.hide()
        if undo is not None:
            undo()


class ListPage(SettingsPage):
    """Its subclass places `list` and `undo`, says what an item is called, and adds the rows."""

    def __init__(self, store: SettingsStore, theme: Theme, section: str, *, n_rows: int) -> None:
        """`section` is the settings' tuple of items; the list is `n_rows` high."""
        self._section, self._index = section, 0
        super().__init__(store, theme)
        self.list = QListWidget()
        self.list.setObjectName("settingsList")
        self.list.setFixedHeight(n_rows * _ROW_HEIGHT + _FRAME)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(self._on_row)
        self.undo = UndoLine()

    @property
    def items(self) -> tuple[Any, ...]:
        found: tuple[Any, ...] = getattr(self.store.settings, self._section)
        return found

    def item_text(self, item: Any) -> str:
        """What the list calls it."""
        raise NotImplementedError

    def locate(self, path: SettingPath) -> SettingPath:
        return (self._section, self._index, *path)

    def is_there(self) -> bool:
        return bool(self.items)

    def refresh(self) -> None:
        self._index = max(0, min(self._index, len(self.items) - 1))
        super().refresh()
        texts = [self.item_text(item) for item in self.items]
        if texts != [self.list.item(row).text() for row in range(self.list.count())]:
            self.list.blockSignals(True)
            self.list.clear()
            self.list.addItems(texts)
            self.list.setCurrentRow(self._index)
            self.list.blockSignals(False)

    def set_items(self, items: tuple[Any, ...], **others: Any) -> None:
        """Change which items there are, and other settings with them."""
        self.store.replace(msgspec.structs.replace(self.store.settings, **{self._section: items}, **others))

    def _on_row(self, row: int) -> None:
        if 0 <= row < len(self.items):
            self.flush()
            self._index = row
            self.refresh()
