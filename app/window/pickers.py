"""The lists that open over the window: models, commands, keys, prompts; and the question before a link is opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
from PySide6.QtCore import QCoreApplication, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QGridLayout, QMessageBox, QSpacerItem

from app.chat.chat_prompt import first_words
from app.core.settings_store import SettingsStore
from app.models.model_status import ModelStatus
from app.ui.command_palette import MAX_ROWS, ROW_HEIGHT, CommandPalette, Entry
from app.ui.quantities import format_bytes
from app.ui.theme import Theme
from app.window.command_keywords import command_words
from app.window.main_window import MainWindow
from engine.protocol import ModelEntry
from engine.settings import PromptTemplate

translate = QCoreApplication.translate


class Pickers(QObject):
    """Each list is made when it is first asked for. The choices come as signals."""

    model_chosen = Signal(str, str)
    manager_requested = Signal()
    prompt_chosen = Signal(str)
    library_requested = Signal()
    link_accepted = Signal(str)

    def __init__(self, window: MainWindow, theme: Theme, preferences: SettingsStore) -> None:
        super().__init__(window)
        self._window, self._theme, self._preferences = window, theme, preferences
        self._models: dict[str, ModelEntry] = {}
        self._actions: dict[str, QAction] = {}

    def show_models(self, models: Sequence[ModelEntry], status: ModelStatus) -> None:
        """Choose from these models; loaded ones come first."""
        self._models = {model.model_id: model for model in models}
        entries = model_entries(models, status.model_id)
        entries.append(Entry(key="", text=self.tr("Manage models…"), detail=self.tr("download, delete, keep warm")))
        palette = self._palette(self.tr("Choose a model"), entries)
        palette.chosen.connect(self._on_model_chosen)
        chip = self._window.top_bar.chip
        palette.open_at(chip.mapTo(self._window, QPoint(0, chip.height() + 6)))

    def _on_model_chosen(self, key: str) -> None:
        if key:
            self.model_chosen.emit(key, self._models[key].name)
        else:
            self.manager_requested.emit()

    def show_commands(self, actions: Sequence[QAction]) -> None:
        """The command palette, with these commands."""
        words = command_words()
        entries = [replace(_entry(action), also=words.get(action.objectName(), "")) for action in actions]
        self._open_commands(self._palette(self.tr("Type a command"), entries), actions)

    def _open_commands(self, palette: CommandPalette, actions: Sequence[QAction]) -> None:
        self._actions = {action.objectName(): action for action in actions}
        palette.chosen.connect(lambda name: self._actions[name].trigger())
        palette.open_over()

    def show_shortcuts(self, actions: Sequence[QAction]) -> None:
        """The keys of all commands; choosing one carries it out."""
        keyed = [action for action in actions if not action.shortcut().isEmpty()]
        room = self._window.height() * 3 // 4 // ROW_HEIGHT
        title = self.tr("Keyboard shortcuts")
        self._open_commands(self._palette(title, [_entry(each) for each in keyed], max_rows=room), keyed)

    def show_prompts(self) -> None:
        """The prompt library."""
        prompts = self._preferences.settings.prompts
        entries = [Entry(key=prompt.text, text=prompt.name, detail=first_words(prompt.text, 40)) for prompt in prompts]
        if not entries:
            entries = [Entry(key="", text=self.tr("Write a prompt…"), detail=self.tr("there are none yet"))]
        palette = self._palette(self.tr("Prompts"), entries)
        palette.chosen.connect(self._on_prompt_chosen)
        composer = self._window.composer
        palette.open_at(composer.mapTo(self._window, QPoint(composer.card_left, -8)), is_bottom=True)

    def _on_prompt_chosen(self, text: str) -> None:
        if text:
            self.prompt_chosen.emit(text)
        else:
            self.library_requested.emit()

    def add_prompt(self, text: str) -> None:
        """Keep a text in the prompt library."""
        settings = self._preferences.settings
        prompt = PromptTemplate(name=first_words(text, 40), text=text)
        self._preferences.replace(msgspec.structs.replace(settings, prompts=(*settings.prompts, prompt)))
        self._window.notices.show_notice(
            self.tr("Added to the prompt library. Type / in an empty message to use it."), lasts_ms=6000
        )

    def offer_link(self, url: str, text: str) -> None:
        """Open a link, after showing where it leads when its text says something else."""
        if text.strip().rstrip("/") == url.rstrip("/"):
            self.link_accepted.emit(url)
            return
        question = QMessageBox(self._window)
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.setIcon(QMessageBox.Icon.NoIcon)
        question.setTextFormat(Qt.TextFormat.PlainText)
        question.setWindowTitle(self.tr("Open a link"))
        question.setText(self.tr("Open this address in the browser?"))
        question.setInformativeText(url)
        # Without it the address is broken after some 25 letters.
        question.setStyleSheet("#qt_msgbox_informativelabel { min-width: 380px; }")
        question.setStandardButtons(QMessageBox.StandardButton.Open | QMessageBox.StandardButton.Cancel)
        grid = question.layout()
        if isinstance(grid, QGridLayout) and isinstance(indent := grid.itemAtPosition(0, 0), QSpacerItem):
            indent.changeSize(0, 0)  # Qt indents the words of a box without an icon.
            grid.setHorizontalSpacing(0)
        question.accepted.connect(lambda: self.link_accepted.emit(url))
        question.open()

    def _palette(self, placeholder: str, entries: Sequence[Entry], *, max_rows: int = MAX_ROWS) -> CommandPalette:
        palette = CommandPalette(self._theme, placeholder, self._window, max_rows=max_rows)
        palette.setFont(self._theme.font())
        palette.set_entries(entries)
        return palette


def model_entries(models: Sequence[ModelEntry], chosen: str) -> list[Entry]:
    """The library's models as choices, by their ids; loaded ones come first."""
    states = {
        "missing": translate("Pickers", "missing"),
        "incomplete": translate("Pickers", "incomplete"),
        "damaged": translate("Pickers", "damaged"),
    }
    entries = []
    for model in sorted(models, key=lambda model: (not model.is_loaded, model.name.casefold())):
        parts = [model.quantization, format_bytes(model.size_bytes) if model.size_bytes else ""]
        parts.append(translate("Pickers", "loaded") if model.is_loaded else states.get(model.state, ""))
        entries.append(
            Entry(
                key=model.model_id,
                text=model.name or model.model_id,
                detail=" · ".join(part for part in parts if part),
                is_current=model.model_id == chosen,
                is_enabled=model.state in ("ready", "in_use"),
            )
        )
    return entries


def _entry(action: QAction) -> Entry:
    key = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return Entry(key=action.objectName(), text=action.text(), detail=key)
