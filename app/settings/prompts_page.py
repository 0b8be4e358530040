"""Settings: the prompt library, texts with blanks that are filled in when one is used."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QListWidget, QPlainTextEdit, QPushButton, QWidget

from app.core.prompt_variables import blanks
from app.core.settings_store import SettingPath, SettingsStore
from app.settings.settings_form import SettingsPage
from app.settings.undo_line import UndoLine
from app.ui.quantities import format_list
from app.ui.theme import Theme
from engine.settings import PromptTemplate

_ROWS = 6


class PromptsPage(SettingsPage):
    def __init__(self, store: SettingsStore, theme: Theme) -> None:
        self._index = 0
        super().__init__(store, theme)
        self.set_title(
            self.tr("Prompts"),
            self.tr("Type / in an empty message to use one. A name in {{braces}} is a blank that you are asked for."),
        )
        self._list = QListWidget()
        self._list.setObjectName("settingsList")
        self._list.setAccessibleName(self.tr("Prompts"))
        self._list.setFixedHeight(_ROWS * 26 + 10)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.currentRowChanged.connect(self._on_row)
        new, self._delete = QPushButton(self.tr("New")), QPushButton(self.tr("Delete"))
        new.setAccessibleName(self.tr("New prompt"))
        self._delete.setAccessibleName(self.tr("Delete the prompt"))
        new.clicked.connect(self.add_prompt)
        self._delete.clicked.connect(self.remove)
        buttons = QWidget()
        row = QHBoxLayout(buttons)
        row.setContentsMargins(0, 0, 0, 0)
        for button in (new, self._delete):
            row.addWidget(button)
        row.addStretch(1)
        self._nothing = QLabel(self.tr("There are none yet. The menu of a message adds its text here, too."))
        self._nothing.setWordWrap(True)
        self.undo = UndoLine()
        for place, widget in enumerate((self._list, self._nothing, buttons, self.undo), 2):
            self.column.insertWidget(place, widget)
        self.name = QLineEdit()
        self.text = QPlainTextEdit()
        self.text.setTabChangesFocus(True)
        self.text.setFixedHeight(180)
        self._blanks = QLabel()
        self._blanks.setObjectName("dim")
        self._blanks.setWordWrap(True)
        self.add_row(self.tr("Name"), self.name, is_wide=True)
        self.add_row(self.tr("Text"), self.text, is_wide=True, is_high=True)
        self.add_row("", self._blanks, is_wide=True)
        self.name.editingFinished.connect(lambda: self._write_name(self.name.text()))
        self.bind(self.name, ("name",), self.name.setText)
        self.bind_text(self.text, ("text",))
        self.reset_button.hide()
        store.changed.connect(self._show_list)
        self._show_list()
        self.refresh()

    @property
    def prompts(self) -> tuple[PromptTemplate, ...]:
        return self.store.settings.prompts

    def locate(self, path: SettingPath) -> SettingPath:
        return ("prompts", self._index, *path)

    def is_there(self) -> bool:
        return bool(self.prompts)

    def refresh(self) -> None:
        self._index = max(0, min(self._index, len(self.prompts) - 1))
        is_any = bool(self.prompts)
        self._nothing.setVisible(not is_any)
        for widget in (self._list, self._delete):
            widget.setVisible(is_any)
        for editor in (self.name, self.text, self._blanks):
            self.show_row(editor, is_any)
        if is_any:
            super().refresh()
        else:
            for editor in (self.name, self.text):
                editor.blockSignals(True)
                editor.clear()
                editor.blockSignals(False)
        names = blanks(self.prompts[self._index].text) if self.prompts else ()
        self._blanks.setText(self.tr("Asks for: {names}").format(names=format_list(names)) if names else "")

    def add_prompt(self) -> None:
        """Add an empty prompt, ready for its text."""
        self.flush()
        added = PromptTemplate(name=self.tr("New prompt"), text="")
        self._take((*self.prompts, added))
        self._list.setCurrentRow(len(self.prompts) - 1)
        self.name.setFocus()
        self.name.selectAll()

    def remove(self) -> None:
        """Delete the prompt that is being edited; the line below the list brings it back."""
        self.flush()
        if self.prompts:
            place, gone = self._index, self.prompts[self._index]
            self._take((*self.prompts[:place], *self.prompts[place + 1 :]))
            self.undo.offer(gone.name, lambda: self._take((*self.prompts[:place], gone, *self.prompts[place:])))

    def _take(self, prompts: tuple[PromptTemplate, ...]) -> None:
        self.store.replace(msgspec.structs.replace(self.store.settings, prompts=prompts))

    def _write_name(self, name: str) -> None:
        if self.prompts and name.strip():
            self.write(name.strip(), ("name",))

    def _on_row(self, row: int) -> None:
        if 0 <= row < len(self.prompts):
            self.flush()
            self._index = row
            self.refresh()

    def _show_list(self) -> None:
        names = [prompt.name for prompt in self.prompts]
        if names != [self._list.item(row).text() for row in range(self._list.count())]:
            self._list.blockSignals(True)
            self._list.clear()
            self._list.addItems(names)
            self._list.setCurrentRow(min(self._index, len(names) - 1))
            self._list.blockSignals(False)
