"""Every command of the window: its name, its default key, and the keys that the user chose instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class Shortcut:
    """`name` is stable and is what the settings know; `text` is for people."""

    name: str
    text: str
    key: str


def shortcuts() -> tuple[Shortcut, ...]:
    """All commands with their default keys, in the order in which they are listed."""
    return (
        Shortcut("new_chat", translate("shortcuts", "New chat"), "Ctrl+N"),
        Shortcut("stop", translate("shortcuts", "Stop the answer"), "Esc"),
        Shortcut("regenerate", translate("shortcuts", "Regenerate the last answer"), "Ctrl+R"),
        Shortcut(
            "regenerate_with",
            translate("shortcuts", "Regenerate the last answer with another model or preset"),
            "Ctrl+Shift+R",
        ),
        Shortcut("copy_answer", translate("shortcuts", "Copy the last answer"), "Ctrl+Shift+C"),
        Shortcut(
            "add_message", translate("shortcuts", "Add the text without asking for an answer"), "Ctrl+Shift+Enter"
        ),
        Shortcut("add_answer", translate("shortcuts", "Add the text as the model's answer"), ""),
        Shortcut("show_prompt", translate("shortcuts", "What the model sees"), ""),
        Shortcut("system_prompt", translate("shortcuts", "System prompt of this chat"), ""),
        Shortcut("formulas", translate("shortcuts", "Draw formulas in this chat, or show their LaTeX"), ""),
        Shortcut("rename_chat", translate("shortcuts", "Rename this chat"), ""),
        Shortcut("export_chat", translate("shortcuts", "Export this chat"), ""),
        Shortcut("duplicate_chat", translate("shortcuts", "Duplicate this chat"), ""),
        Shortcut("archive_chat", translate("shortcuts", "Archive this chat, or bring it back"), ""),
        Shortcut("delete_chat", translate("shortcuts", "Delete this chat"), ""),
        Shortcut("find", translate("shortcuts", "Find in this chat"), "Ctrl+F"),
        Shortcut("search_all", translate("shortcuts", "Search all chats"), "Ctrl+Shift+F"),
        Shortcut("archived", translate("shortcuts", "Archived chats"), ""),
        Shortcut("export_chats", translate("shortcuts", "Export chats"), ""),
        Shortcut("import_chats", translate("shortcuts", "Import chats"), ""),
        Shortcut("palette", translate("shortcuts", "Command palette"), "Ctrl+K"),
        Shortcut("shortcuts", translate("shortcuts", "Keyboard shortcuts"), "Ctrl+/"),
        Shortcut("choose_model", translate("shortcuts", "Choose a model"), "Ctrl+M"),
        Shortcut("models", translate("shortcuts", "Models"), "Ctrl+Shift+M"),
        Shortcut("unload_model", translate("shortcuts", "Unload the model"), ""),
        Shortcut("loading", translate("shortcuts", "How models are loaded"), ""),
        Shortcut("settings", translate("shortcuts", "Settings"), "Ctrl+,"),
        Shortcut("latency_panel", translate("shortcuts", "Show or hide the latency panel"), "Ctrl+Shift+L"),
        Shortcut("sidebar", translate("shortcuts", "Show or hide the chats"), "Ctrl+B"),
        Shortcut("next_chat", translate("shortcuts", "Next chat"), "Ctrl+PgDown"),
        Shortcut("previous_chat", translate("shortcuts", "Previous chat"), "Ctrl+PgUp"),
        Shortcut("larger", translate("shortcuts", "Larger text"), "Ctrl++"),
        Shortcut("smaller", translate("shortcuts", "Smaller text"), "Ctrl+-"),
        Shortcut("usual_size", translate("shortcuts", "Reset the text size"), "Ctrl+0"),
        Shortcut("system_colours", translate("shortcuts", "Colours as the system"), ""),
        Shortcut("light", translate("shortcuts", "Light colours"), ""),
        Shortcut("dark", translate("shortcuts", "Dark colours"), ""),
        Shortcut("high_contrast", translate("shortcuts", "High contrast colours"), ""),
        Shortcut("write", translate("shortcuts", "Go to the message field"), "Ctrl+L"),
        Shortcut("quit", translate("shortcuts", "Quit"), "Ctrl+Q"),
    )


class Actions:
    """The window's actions by name."""

    def __init__(
        self, window: QWidget, handlers: Mapping[str, Callable[[], None]], chosen: Mapping[str, str],
        conditions: Mapping[str, Callable[[], bool]] | None = None,
    ) -> None:  # fmt: skip
        """`handlers` by name; `chosen` are the user's keys. A command without a handler has no action.

        `conditions` say by name whether a command can do anything now; one without can always.
        """
        self._actions: dict[str, QAction] = {}
        self._conditions = dict(conditions or {})
        self._window = window
        self._known = {shortcut.name: shortcut for shortcut in shortcuts()}
        for name in self._known:
            if name in handlers:
                self.add(name, handlers[name])
        self.set_keys(chosen)

    def add(self, name: str, handler: Callable[[], None], condition: Callable[[], bool] | None = None) -> None:
        """One more command, by its name."""
        if condition is not None:
            self._conditions[name] = condition
        action = QAction(self._known[name].text, self._window)
        action.setObjectName(name)
        action.setShortcut(QKeySequence(self._known[name].key))
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda _checked=False: handler())
        self._window.addAction(action)
        self._actions[name] = action

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def all(self) -> list[QAction]:
        return list(self._actions.values())

    def possible(self, *, but: str = "") -> list[QAction]:
        """Those that can do something now, without the one by which they are asked for."""
        idle = {but, *(name for name, can in self._conditions.items() if not can())}
        return [action for name, action in self._actions.items() if action.isEnabled() and name not in idle]

    def set_keys(self, chosen: Mapping[str, str]) -> None:
        """Use the user's keys where there are any; an empty one switches the key off."""
        for name, action in self._actions.items():
            key = called(chosen.get(name, self._known[name].key))
            keys = [key]
            if name == "larger" and name not in chosen and "Ctrl+=" not in chosen.values():
                keys.append("Ctrl+=")  # The plus of many keyboards is a shifted equals sign.
            if "Enter" in key:
                keys.append(key.replace("Enter", "Return"))
            action.setShortcuts([QKeySequence(each) for each in keys])


def called(key: str) -> str:
    """A key's name in our texts. To Qt, Enter is that of the number pad alone; people mean either."""
    return key.replace("Return", "Enter")
