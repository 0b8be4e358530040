"""Settings: presets, each a named way of answering."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QVBoxLayout, QWidget

from app.core.settings_store import SettingsStore, free_name, shown_name
from app.settings.list_page import ListPage
from app.ui.text_dialog import TextDialog
from app.ui.theme import Theme
from engine.protocol.values import ContextPolicy
from engine.settings import Preset

_ROWS = 4
_S = "sampling"


class PresetsPage(ListPage):
    """`renamed(old, new)` and `removed(name)`: chats know their preset by its name."""

    renamed = Signal(str, str)
    removed = Signal(str)

    def __init__(self, store: SettingsStore, theme: Theme) -> None:
        super().__init__(store, theme, "presets", n_rows=_ROWS)
        self.set_title(self.tr("Presets"), self.tr("A preset is chosen for each chat, above the transcript."))
        self._add_list()
        self.add_text(
            ("system_prompt",),
            self.tr("System prompt"),
            self.tr("What the model is told before everything else. A chat can have its own instead."),
        )
        self.add_whole(
            ("max_tokens",),
            self.tr("Longest answer"),
            0,
            1 << 20,
            step=256,
            suffix=self.tr(" tokens"),
            special=self.tr("Until the model stops"),
        )
        self.add_choice(
            ("context_policy",),
            self.tr("When the context is full"),
            {
                ContextPolicy.SLIDE: self.tr("Leave out the oldest turns"),
                ContextPolicy.SUMMARISE: self.tr("Summarise the oldest turns"),
                ContextPolicy.STOP: self.tr("Stop"),
            },
        )
        self._add_sampling()
        self.refresh()
        self._choose(store.settings.default_preset)

    @property
    def preset(self) -> Preset:
        """The one that is being edited."""
        return self.store.settings.presets[self._index]

    def item_text(self, item: Preset) -> str:
        name = shown_name(item)
        is_default = item.name == self.store.settings.default_preset
        return self.tr("{name} · for new chats").format(name=name) if is_default else name

    def refresh(self) -> None:
        super().refresh()
        self._delete.setEnabled(len(self.items) > 1)

    def choose(self, name: str) -> None:
        """Edit the preset of this name."""
        self._choose(name)

    def add_preset(self, preset: Preset) -> None:
        """Add a preset under a name that is free, and edit it."""
        self.flush()
        name = free_name(shown_name(preset), self.store.settings)
        added = msgspec.structs.replace(preset, name=name, is_named=True)
        self.set_items((*self.items, added))
        self._choose(name)

    def rename(self, name: str) -> None:
        old, settings = self.preset.name, self.store.settings
        if not (name := name.strip()) or name == shown_name(self.preset):
            return
        name = free_name(name, settings, but=old)
        named = msgspec.structs.replace(self.preset, name=name, is_named=True)
        presets = tuple(named if each.name == old else each for each in settings.presets)
        self.set_items(presets, default_preset=name if settings.default_preset == old else settings.default_preset)
        self.renamed.emit(old, name)

    def remove(self) -> None:
        """Delete the preset that is being edited; the last one stays. The line below the list brings it back."""
        self.flush()
        settings, preset, place = self.store.settings, self.preset, self._index
        if len(settings.presets) < 2:
            return
        gone = preset.name
        presets = tuple(each for each in settings.presets if each.name != gone)
        was_default = settings.default_preset == gone
        default = presets[0].name if was_default else settings.default_preset
        self.set_items(presets, default_preset=default)
        self.removed.emit(gone)
        self.undo.offer(shown_name(preset), lambda: self._bring_back(preset, place, was_default=was_default))

    def _bring_back(self, preset: Preset, place: int, *, was_default: bool) -> None:
        self.flush()
        settings = self.store.settings
        back = msgspec.structs.replace(preset, name=free_name(preset.name, settings))
        presets = (*settings.presets[:place], back, *settings.presets[place:])
        default = back.name if was_default else settings.default_preset
        self.set_items(presets, default_preset=default)
        self._choose(back.name)

    def make_default(self) -> None:
        """Let new chats begin with the preset that is being edited."""
        self.store.replace(msgspec.structs.replace(self.store.settings, default_preset=self.preset.name))

    def _add_list(self) -> None:
        self.list.setAccessibleName(self.tr("Presets"))
        new, self._more = QPushButton(self.tr("New")), QPushButton(self.tr("More"))
        new.setAccessibleName(self.tr("New preset"))
        self._more.setAccessibleName(self.tr("More for the preset"))
        new.clicked.connect(lambda: self.add_preset(Preset(name=self.tr("Preset"))))
        menu = QMenu(self._more)
        menu.addAction(self.tr("Rename…"), self._ask_name)
        menu.addAction(self.tr("Duplicate"), lambda: self.add_preset(self.preset))
        menu.addAction(self.tr("Use for new chats"), self.make_default)
        self._delete = menu.addAction(self.tr("Delete"), self.remove)
        self._more.setMenu(menu)
        buttons = QVBoxLayout()
        buttons.addWidget(new)
        buttons.addWidget(self._more)
        buttons.addStretch(1)
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.list, 1)
        row.addLayout(buttons)
        self.column.insertWidget(2, holder)
        self.column.insertWidget(3, self.undo)

    def _add_sampling(self) -> None:
        number, off, tokens = self.add_number, self.tr("Off"), self.tr(" tokens")
        self.add_heading(self.tr("Sampling"))
        hint = self.tr("0 always takes the likeliest token; higher values vary more.")
        number((_S, "temperature"), self.tr("Temperature"), 0, 5, hint)
        hint = self.tr("Draws from the K likeliest tokens only.")
        self.add_whole((_S, "top_k"), self.tr("Top K"), 0, 1000, hint, special=off)
        hint = self.tr("Draws from the likeliest tokens that together reach this probability; 1 draws from all.")
        number((_S, "top_p"), self.tr("Top P"), 0, 1, hint)
        hint = self.tr("Leaves out tokens that are less likely than this share of the likeliest.")
        number((_S, "min_p"), self.tr("Min P"), 0, 1, hint, special=off)
        hint = self.tr("Prefers tokens that are about as surprising as the text on average; 1 is off.")
        number((_S, "typical_p"), self.tr("Typical P"), 0, 1, hint)
        self.add_heading(self.tr("Against repetition"))
        hint = self.tr("Makes tokens that came lately less likely; 1 is off. It harms code and tables.")
        number((_S, "repeat_penalty"), self.tr("Repeat penalty"), 0.5, 2, hint)
        hint = self.tr("Grows with how often a token came; 0 is off.")
        number((_S, "frequency_penalty"), self.tr("Frequency penalty"), -2, 2, hint)
        hint = self.tr("The same for every token that came at all; 0 is off.")
        number((_S, "presence_penalty"), self.tr("Presence penalty"), -2, 2, hint)
        hint, whole = self.tr("How many of the last tokens the penalties look at."), self.tr("Whole context")
        path = (_S, "penalty_last_n")
        self.add_whole(path, self.tr("Penalty window"), -1, 1 << 20, hint, suffix=tokens, special=whole)
        hint = self.tr("Penalises repeated sequences, the longer the more, and leaves single words alone.")
        number((_S, "dry_multiplier"), self.tr("DRY"), 0, 5, hint, special=off)
        hint = self.tr("Repeats up to this length cost nothing.")
        self.add_whole((_S, "dry_allowed_length"), self.tr("DRY: free length"), 1, 64, hint, suffix=tokens)
        self.add_heading(self.tr("For surprise"))
        hint = self.tr("How often the likeliest tokens are left out where several are good: less predictable prose.")
        number((_S, "xtc_probability"), self.tr("XTC"), 0, 1, hint, special=off)
        hint = self.tr("A token counts as good above this probability.")
        number((_S, "xtc_threshold"), self.tr("XTC: threshold"), 0, 0.5, hint)
        hint = self.tr(
            "Steers the surprise itself in place of the samplers above, and sorts the whole vocabulary for each token."
        )
        self.add_choice((_S, "mirostat"), self.tr("Mirostat"), {0: off, 1: "1", 2: "2"}, hint)
        hint = self.tr("The surprise that it aims at, in bits.")
        number((_S, "mirostat_tau"), self.tr("Mirostat: surprise"), 0, 20, hint, step=0.5)

    def _ask_name(self) -> None:
        dialog = TextDialog(self.theme, self.tr("Rename preset"), self.window())
        dialog.setWindowTitle(self.tr("Rename preset"))
        dialog.setTextValue(shown_name(self.preset))
        dialog.setOkButtonText(self.tr("Rename"))
        dialog.setCancelButtonText(self.tr("Cancel"))

        def accept(name: str) -> None:
            self.rename(name)
            dialog.end("")

        dialog.submitted.connect(accept)
        dialog.open()
        dialog.resize(420, dialog.height())

    def _choose(self, name: str) -> None:
        names = [preset.name for preset in self.items]
        self.list.setCurrentRow(names.index(name) if name in names else 0)
