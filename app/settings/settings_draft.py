"""The settings while they are being edited: one place that every page reads from and writes to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from PySide6.QtCore import QObject, Signal

from engine.settings import Settings

Path = tuple[str | int, ...]
"""Where a setting lies, such as ("presets", 0, "sampling", "top_p")."""
LOAD: Path = ("performance", "load")
"""How models are loaded that have no settings of their own."""
PER_MODEL: Path = ("models", "per_model")
"""Settings of single models, by their id."""


def value_at(settings: Settings, path: Path) -> Any:
    """The value at a path."""
    value: Any = settings
    for step in path:
        value = value[step] if isinstance(step, int) or isinstance(value, dict) else getattr(value, step)
    return value


def with_value(settings: Settings, path: Path, value: Any) -> Settings:
    """The settings with another value at a path."""
    changed: Settings = _replaced(settings, path, value)
    return changed


def default_at(path: Path) -> Any:
    """The default at a path; every preset has the defaults of the first, and a model those of all."""
    if path[:2] == PER_MODEL:
        path = (*LOAD, *path[3:])
    return value_at(Settings(), tuple(0 if isinstance(step, int) else step for step in path))


def _replaced(part: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        return (*part[:step], _replaced(part[step], rest, value), *part[step + 1 :])
    if isinstance(part, dict):
        return {**part, step: _replaced(part.get(step), rest, value)}
    return msgspec.structs.replace(part, **{step: _replaced(getattr(part, step), rest, value)})


class SettingsDraft(QObject):
    """`edited(Settings)` when the user changed something, `changed` when anything is other than before."""

    edited = Signal(object)
    changed = Signal()

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings

    @property
    def settings(self) -> Settings:
        return self._settings

    def value(self, path: Path) -> Any:
        return value_at(self._settings, path)

    def set_value(self, value: object, *paths: Path) -> None:
        """The user's choice, for one or several settings that belong together."""
        changed = self._settings
        for path in paths:
            changed = with_value(changed, path, value)
        self.edit(changed)

    def reset(self, paths: Iterable[Path]) -> None:
        """Back to the defaults."""
        changed = self._settings
        for path in paths:
            changed = with_value(changed, path, default_at(path))
        self.edit(changed)

    def edit(self, settings: Settings) -> None:
        """Take the settings as the user changed them."""
        if settings != self._settings:
            self._settings = settings
            self.changed.emit()
            self.edited.emit(settings)

    def show(self, settings: Settings) -> None:
        """Take settings that were changed elsewhere."""
        if settings != self._settings:
            self._settings = settings
            self.changed.emit()
