"""The settings in force, owned here: read and changed here alone, saved in the background, and told to the host."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.core.host_client import HostClient
from app.core.tasks import is_possible, run_blocking, spawn
from engine.errors import StorageError
from engine.protocol import ChangeSettings, Done
from engine.settings import DEFAULT_PRESET, Preset, Settings, save_settings

SettingPath = tuple[str | int, ...]
"""Where a setting lies, such as ("presets", 0, "sampling", "top_p")."""
LOAD: SettingPath = ("performance", "load")
"""How models are loaded that have no settings of their own."""
PER_MODEL: SettingPath = ("models", "per_model")
"""Settings of single models, by their id."""


class SettingsStore(QObject):
    """`changed` after every change, `saved` when it is on disk, `applied` when the host goes by it;
    `failed(Failure)` when it could not be saved: it is in force until the end of the app, here and in the host.

    Without a running event loop changes are kept in memory alone.
    """

    changed = Signal()
    saved = Signal()
    applied = Signal()
    failed = Signal(object)

    def __init__(self, settings: Settings, path: Path, client: HostClient, parent: QObject | None = None) -> None:
        """`settings` are those of the file at `path`, which the host reads too when it starts."""
        super().__init__(parent)
        self._settings, self._on_disk, self._path, self._client = settings, settings, path, client
        self._lock = asyncio.Lock()
        client.restarted.connect(self._on_host_restarted)

    @property
    def settings(self) -> Settings:
        return self._settings

    def value(self, path: SettingPath) -> Any:
        """The value at a path. Raises AttributeError, KeyError or IndexError where there is none."""
        return value_at(self._settings, path)

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

    def set_value(self, value: object, *paths: SettingPath) -> None:
        """Set one setting, or several that belong together."""
        changed = self._settings
        for path in paths:
            changed = with_value(changed, path, value)
        self.replace(changed)

    def reset(self, paths: Iterable[SettingPath]) -> None:
        """Go back to the defaults."""
        changed = self._settings
        for path in paths:
            changed = with_value(changed, path, default_at(path))
        self.replace(changed)

    def replace(self, settings: Settings) -> None:
        """Take new settings as a whole."""
        if settings == self._settings:
            return
        self._settings = settings
        self.changed.emit()
        if is_possible():
            spawn(self._save(), owner=self, name="save settings")
            spawn(self._apply(), owner=self, name="apply settings")

    async def close(self) -> None:
        """Save what is not on disk yet; for the shutdown, before what still runs is cancelled."""
        await self._save()

    async def _save(self) -> None:
        async with self._lock:
            if (settings := self._settings) == self._on_disk:
                return
            try:
                await run_blocking(save_settings, settings, self._path)
            except StorageError as error:
                self.failed.emit(error.failure)
            else:
                self._on_disk = settings
                self.saved.emit()

    async def _apply(self) -> None:
        command = ChangeSettings(settings=self._settings)
        if isinstance(await self._client.request(command), Done):
            self.applied.emit()

    def _on_host_restarted(self) -> None:
        """It has read the file, which lacks what could not be saved."""
        if self._settings != self._on_disk:
            spawn(self._apply(), owner=self, name="apply settings")


def value_at(settings: Settings, path: SettingPath) -> Any:
    """The value at a path."""
    value: Any = settings
    for step in path:
        value = value[step] if isinstance(step, int) or isinstance(value, dict) else getattr(value, step)
    return value


def with_value(settings: Settings, path: SettingPath, value: Any) -> Settings:
    """The settings with another value at a path."""
    changed: Settings = _replaced(settings, path, value)
    return changed


def default_at(path: SettingPath) -> Any:
    """The default at a path; every preset has the defaults of the first, and a model those of all."""
    if path[:2] == PER_MODEL:
        path = (*LOAD, *path[3:])
    return value_at(Settings(), tuple(0 if isinstance(step, int) else step for step in path))


def _replaced(part: Any, path: SettingPath, value: Any) -> Any:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        return (*part[:step], _replaced(part[step], rest, value), *part[step + 1 :])
    if isinstance(part, dict):
        return {**part, step: _replaced(part.get(step), rest, value)}
    return msgspec.structs.replace(part, **{step: _replaced(getattr(part, step), rest, value)})


def shown_name(preset: Preset) -> str:
    """A preset's name for people: the built-in one's in their language. Chats and settings know it by `preset.name`."""
    if preset.name == DEFAULT_PRESET and not preset.is_named:
        return QCoreApplication.translate("presets", "Default")
    return preset.name


def free_name(name: str, settings: Settings, *, but: str = "") -> str:
    """This name, or the first numbered one that no preset has or is shown by; `but` is the one that gets it."""
    others = [each for each in settings.presets if each.name != but]
    taken, free, number = {each.name for each in others} | set(map(shown_name, others)), name, 1
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free
