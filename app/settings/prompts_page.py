"""Settings: the prompt library, texts with blanks that are filled in when one is used."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QLineEdit, QPlainTextEdit, QPushButton

from app.core.prompt_variables import blanks
from app.core.settings_store import SettingsStore
from app.settings.list_page import ListPage
from app.settings.settings_form import in_row
from app.ui.quantities import format_list
from app.ui.theme import Theme
from engine.settings import PromptTemplate

_ROWS = 6


class PromptsPage(ListPage):
    def __init__(self, store: SettingsStore, theme: Theme) -> None:
        super().__init__(store, theme, "prompts", n_rows=_ROWS)
        self.set_title(
            self.tr("Prompts"),
            self.tr("Type / in an empty message to use one. A name in {{braces}} is a blank that you are asked for."),
        )
        self.list.setAccessibleName(self.tr("Prompts"))
        new, self._delete = QPushButton(self.tr("New")), QPushButton(self.tr("Delete"))
        new.setAccessibleName(self.tr("New prompt"))
        self._delete.setAccessibleName(self.tr("Delete the prompt"))
        new.clicked.connect(self.add_prompt)
        self._delete.clicked.connect(self.remove)
        self._nothing = QLabel(self.tr("There are none yet. The menu of a message adds its text here, too."))
        self._nothing.setWordWrap(True)
        for place, widget in enumerate((self.list, self._nothing, in_row(new, self._delete), self.undo), 2):
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
        self.refresh()

    @property
    def prompts(self) -> tuple[PromptTemplate, ...]:
        return self.store.settings.prompts

    def item_text(self, item: PromptTemplate) -> str:
        return item.name

    def refresh(self) -> None:
        super().refresh()
        is_any = bool(self.prompts)
        self._nothing.setVisible(not is_any)
        for widget in (self.list, self._delete):
            widget.setVisible(is_any)
        for editor in (self.name, self.text, self._blanks):
            self.show_row(editor, is_any)
        if not is_any:
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
        self.set_items((*self.prompts, added))
        self.list.setCurrentRow(len(self.prompts) - 1)
        self.name.setFocus()
        self.name.selectAll()

    def remove(self) -> None:
        """Delete the prompt that is being edited; the line below the list brings it back."""
        self.flush()
        if self.prompts:
            place, gone = self._index, self.prompts[self._index]
            self.set_items((*self.prompts[:place], *self.prompts[place + 1 :]))
            self.undo.offer(gone.name, lambda: self.set_items((*self.prompts[:place], gone, *self.prompts[place:])))

    def _write_name(self, name: str) -> None:
        if self.prompts and name.strip():
            self.write(name.strip(), ("name",))
