"""The settings in force: changed in one place, saved in the background, announced to whoever shows or uses them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QObject, Signal

from app.core.preset_names import shown_name
from app.core.tasks import run_blocking, spawn
from engine.errors import StorageError
from engine.settings import DEFAULT_PRESET, Preset, Settings, save_settings


class Preferences(QObject):
    """`changed` after every change, `saved` when it is on disk; `failed(Failure)` when saving did not work."""

    changed = Signal()
    saved = Signal()
    failed = Signal(object)

    def __init__(self, settings: Settings, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings, self._path = settings, path
        self._lock = asyncio.Lock()

    @property
    def settings(self) -> Settings:
        return self._settings

    def preset(self, name: str = "") -> Preset:
        """The preset of this name, or the default one."""
        for wanted in (name, self._settings.default_preset):
            for preset in self._settings.presets:
                if preset.name == wanted:
                    return preset
        return self._settings.presets[0] if self._settings.presets else Preset(name=DEFAULT_PRESET)

    def preset_names(self) -> dict[str, str]:
        """What each preset is shown as, by its name."""
        return {preset.name: shown_name(preset) for preset in self._settings.presets}

    def change(self, section: str, **fields: Any) -> None:
        """Change fields of one section, such as change("models", last_model=...)."""
        part = msgspec.structs.replace(getattr(self._settings, section), **fields)
        self.replace(msgspec.structs.replace(self._settings, **{section: part}))

    def replace(self, settings: Settings) -> None:
        """Take new settings as a whole."""
        if settings != self._settings:
            self._settings = settings
            self.changed.emit()
            spawn(self._save(), owner=self, name="save settings")

    async def _save(self) -> None:
        async with self._lock:
            try:
                await run_blocking(save_settings, self._settings, self._path)
                self.saved.emit()
            except StorageError as error:
                self.failed.emit(error.failure)
