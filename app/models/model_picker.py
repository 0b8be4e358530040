"""The model picker: the library's models in a list to choose from by typing, below the chip that asks for it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QObject, QPoint, Signal
from PySide6.QtWidgets import QWidget

from app.models.model_status import ModelStatus
from app.ui.command_palette import CommandPalette, Entry
from app.ui.quantities import format_bytes
from app.ui.theme import Theme
from engine.protocol import ModelEntry

translate = QCoreApplication.translate
_GAP = 6
"""Pixels between the chip and the list."""


class ModelPicker(QObject):
    """`chosen(model_id, name)`, or `manager_requested` for the last line of the list."""

    chosen = Signal(str, str)
    manager_requested = Signal()

    def __init__(self, theme: Theme, chip: QWidget) -> None:
        super().__init__(chip)
        self._theme, self._chip = theme, chip

    def show(self, models: Sequence[ModelEntry], status: ModelStatus) -> None:
        """Choose from these models; loaded ones come first."""
        names = {model.model_id: model.name for model in models}
        entries = model_entries(models, status.model_id)
        entries.append(Entry(key="", text=self.tr("Manage models…"), detail=self.tr("download, delete, keep warm")))
        window = self._chip.window()
        palette = CommandPalette(self._theme, self.tr("Choose a model"), window)
        palette.set_entries(entries)
        palette.chosen.connect(lambda key: self.chosen.emit(key, names[key]) if key else self.manager_requested.emit())
        palette.open_at(self._chip.mapTo(window, QPoint(0, self._chip.height() + _GAP)))


def model_entries(models: Sequence[ModelEntry], chosen: str) -> list[Entry]:
    """The library's models as choices, by their ids; loaded ones come first."""
    states = {
        "missing": translate("ModelPicker", "missing"),
        "incomplete": translate("ModelPicker", "incomplete"),
        "damaged": translate("ModelPicker", "damaged"),
    }
    entries = []
    for model in sorted(models, key=lambda model: (not model.is_loaded, model.name.casefold())):
        parts = [model.quantization, format_bytes(model.size_bytes) if model.size_bytes else ""]
        parts.append(translate("ModelPicker", "loaded") if model.is_loaded else states.get(model.state, ""))
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
