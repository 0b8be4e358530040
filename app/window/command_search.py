"""Commands in a list to choose from by typing: the command palette, and the list of all keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.ui.command_palette import MAX_ROWS, ROW_HEIGHT, CommandPalette, Entry
from app.ui.theme import Theme

translate = QCoreApplication.translate


class CommandSearch(QObject):
    """Each list is made when it is asked for; a choice carries the command out."""

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._theme, self._window = theme, window

    def show_commands(self, actions: Sequence[QAction]) -> None:
        """The command palette, with these commands."""
        words = command_words()
        entries = [replace(_entry(action), also=words.get(action.objectName(), "")) for action in actions]
        self._open(self.tr("Type a command"), entries, actions)

    def show_shortcuts(self, actions: Sequence[QAction]) -> None:
        """The keys of all commands."""
        keyed = [action for action in actions if not action.shortcut().isEmpty()]
        room = self._window.height() * 3 // 4 // ROW_HEIGHT
        self._open(self.tr("Keyboard shortcuts"), [_entry(each) for each in keyed], keyed, max_rows=room)

    def _open(
        self, title: str, entries: Sequence[Entry], actions: Sequence[QAction], *, max_rows: int = MAX_ROWS
    ) -> None:
        by_name = {action.objectName(): action for action in actions}
        palette = CommandPalette(self._theme, title, self._window, max_rows=max_rows)
        palette.set_entries(entries)
        palette.chosen.connect(lambda name: by_name[name].trigger())
        palette.open_over()


def _entry(action: QAction) -> Entry:
    key = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return Entry(key=action.objectName(), text=action.text(), detail=key)


def command_words() -> dict[str, str]:
    """Words that people type for commands beside those that are shown, by the commands' names.

    A translation has the words of its language, and keeps the English ones worth keeping.
    """
    return {
        "new_chat": translate("command words", "start conversation"),
        "stop": translate("command words", "cancel abort interrupt"),
        "regenerate": translate("command words", "retry redo again"),
        "regenerate_with": translate("command words", "retry compare"),
        "copy_answer": translate("command words", "clipboard"),
        "add_message": translate("command words", "insert note"),
        "add_answer": translate("command words", "insert prefill"),
        "show_prompt": translate("command words", "raw template context tokens"),
        "system_prompt": translate("command words", "instructions persona role"),
        "formulas": translate("command words", "math equations"),
        "rename_chat": translate("command words", "title name"),
        "export_chat": translate("command words", "save Markdown HTML PDF JSON file"),
        "duplicate_chat": translate("command words", "copy branch fork clone"),
        "archive_chat": translate("command words", "hide put away"),
        "delete_chat": translate("command words", "remove trash"),
        "find": translate("command words", "search"),
        "search_all": translate("command words", "find history"),
        "archived": translate("command words", "hidden history"),
        "export_chats": translate("command words", "save backup all Markdown HTML PDF JSON"),
        "import_chats": translate("command words", "ChatGPT Claude LM Studio Jan Open WebUI SillyTavern file"),
        "shortcuts": translate("command words", "keys hotkeys help"),
        "choose_model": translate("command words", "switch load change LLM"),
        "models": translate("command words", "download library hub delete quantization GGUF"),
        "unload_model": translate("command words", "eject free memory VRAM"),
        "loading": translate(
            "command words",
            "settings GPU layers offload devices KV cache context length threads flash attention speculative",
        ),
        "settings": translate("command words", "preferences options language font"),
        "latency_panel": translate("command words", "metrics statistics performance speed TTFT GPU memory"),
        "sidebar": translate("command words", "panel history"),
        "next_chat": translate("command words", "switch down"),
        "previous_chat": translate("command words", "switch up"),
        "larger": translate("command words", "zoom in bigger font size"),
        "smaller": translate("command words", "zoom out font size"),
        "usual_size": translate("command words", "zoom 100 % font"),
        "system_colours": translate("command words", "theme appearance automatic mode"),
        "light": translate("command words", "theme appearance day bright mode"),
        "dark": translate("command words", "theme appearance night mode"),
        "high_contrast": translate("command words", "theme appearance accessibility black mode"),
        "write": translate("command words", "focus input composer"),
        "quit": translate("command words", "exit close"),
    }
