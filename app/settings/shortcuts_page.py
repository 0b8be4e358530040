"""Settings: the key of every command; two commands never share one."""

from __future__ import annotations

import functools

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QKeySequenceEdit, QLabel, QLineEdit, QPushButton, QToolButton

from app.core.settings_store import SettingsStore
from app.settings.settings_form import SettingsPage, in_row
from app.ui.announcement import announce
from app.ui.shortcuts import called, shortcuts
from app.ui.style_sheet import set_clear_icon
from app.ui.theme import Theme

_PATH = ("general", "shortcuts")
_PORTABLE = QKeySequence.SequenceFormat.PortableText


class ShortcutsPage(SettingsPage):
    def __init__(self, store: SettingsStore, theme: Theme) -> None:
        super().__init__(store, theme)
        self.set_title(self.tr("Shortcuts"), self.tr("Click a field and press the keys. Backspace switches a key off."))
        self._problem = QLabel()
        self._problem.setWordWrap(True)
        self._problem.setTextFormat(Qt.TextFormat.PlainText)
        self._problem.hide()
        self.column.insertWidget(2, self._problem)
        self._commands = {shortcut.name: shortcut for shortcut in shortcuts()}
        self._edits: dict[str, QKeySequenceEdit] = {}
        self._resets: dict[str, QPushButton] = {}
        for shortcut in self._commands.values():
            self._add(shortcut.name, shortcut.text)
        self._paths.append(_PATH)
        self.reset_button.show()
        self.refresh()

    @property
    def problem(self) -> str:
        """The sentence about keys that were not taken; empty when all is well."""
        return self._problem.text()

    def edit(self, name: str) -> QKeySequenceEdit:
        """The field of a command."""
        return self._edits[name]

    def refresh(self) -> None:
        super().refresh()
        for name, edit in self._edits.items():
            edit.blockSignals(True)
            edit.setKeySequence(QKeySequence(self._key(name)))
            if (field := edit.findChild(QLineEdit)) is not None:
                field.setPlaceholderText(self.tr("None"))  # Qt's own words come back with each key.
            edit.setAccessibleDescription(_native(self._key(name)) or self.tr("None"))
            edit.blockSignals(False)
            self._resets[name].setVisible(self._key(name) != self._commands[name].key)

    def reset(self) -> None:
        self._tell("")
        super().reset()

    def _add(self, name: str, text: str) -> None:
        edit = QKeySequenceEdit()
        edit.setMaximumSequenceLength(1)
        edit.setFixedWidth(190)
        edit.setClearButtonEnabled(True)
        set_clear_icon(edit, self.theme)
        edit.setAccessibleName(text)
        for field in edit.findChildren(QLineEdit):
            field.setAccessibleName(text)
        for button in edit.findChildren(QToolButton):
            button.setAccessibleName(self.tr("No key for “{command}”").format(command=text))
        edit.editingFinished.connect(functools.partial(self._on_edited, name))
        back = QPushButton(self.tr("Default"))
        back.setObjectName("link")
        back.setAccessibleName(self.tr("Default key for “{command}”").format(command=text))
        back.clicked.connect(functools.partial(self._set, name, self._commands[name].key))
        self._edits[name], self._resets[name] = edit, back
        self.add_row(text, in_row(edit, back), is_wide=True)

    def _key(self, name: str) -> str:
        chosen: dict[str, str] = self.store.value(_PATH)
        return called(chosen.get(name, self._commands[name].key))

    def _on_edited(self, name: str) -> None:
        self._set(name, called(self._edits[name].keySequence().toString(_PORTABLE)))

    def _set(self, name: str, key: str) -> None:
        owner = self._owner(QKeySequence(key), but=name)
        if owner:
            self._tell(
                self.tr("{key} belongs to “{command}”. Choose another, or change that one first.").format(
                    key=_native(key), command=self._commands[owner].text
                )
            )
            self.refresh()
            return
        self._tell("")
        chosen = {known: value for known, value in self.store.value(_PATH).items() if known != name}
        if key != self._commands[name].key:
            chosen[name] = key
        self.write(chosen, _PATH)
        self.refresh()
        said = _native(key) or self.tr("None")
        announce(self, f"{self._commands[name].text}: {said}")

    def _owner(self, key: QKeySequence, *, but: str) -> str:
        if key.isEmpty():
            return ""
        for name in self._commands:
            if name != but and QKeySequence(self._key(name)) == key:
                return name
        return ""

    def _tell(self, text: str) -> None:
        self._problem.setText(text)
        self._problem.setStyleSheet(f"color: {self.theme.tokens.warn};")
        self._problem.setVisible(bool(text))
        if text:
            self.show_part(self._problem)
        announce(self, text)


def _native(key: str) -> str:
    """As it is called on this system; empty for none."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
