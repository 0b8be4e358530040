"""The settings with their file; the values themselves are messages' values, in engine/protocol."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec

from engine.files import write_atomically
from engine.folders import APP_NAME as APP_NAME  # noqa: PLC0414 - whoever reads settings wants the folders too
from engine.folders import Folders as Folders  # noqa: PLC0414
from engine.folders import folders as folders  # noqa: PLC0414
from engine.protocol.settings_values import (
    DEFAULT_PRESET,
    Api,
    General,
    Models,
    Performance,
    Preset,
    PromptTemplate,
    Settings,
    Thresholds,
)
from engine.translatable import Translatable, reason_of, sentence


def load_settings(path: Path) -> tuple[Settings, Translatable]:
    """The settings and, when the file was unreadable, a sentence about where it was kept aside."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return Settings(), ""
    except OSError as error:
        return Settings(), sentence(
            "The settings could not be read ({reason}); defaults are used.", reason=reason_of(error)
        )
    try:
        return msgspec.json.decode(raw, type=Settings), ""
    except (msgspec.DecodeError, UnicodeDecodeError):
        aside = path.with_suffix(".damaged.json")
        with contextlib.suppress(OSError):
            path.replace(aside)
        return Settings(), sentence(
            "The settings file was damaged and is kept as {name}; defaults are used.", name=aside.name
        )


def save_settings(settings: Settings, path: Path) -> None:
    """Save atomically, readable only by the user. Raises StorageError."""
    write_atomically(path, msgspec.json.format(msgspec.json.encode(settings), indent=2))


__all__ = [
    "APP_NAME", "DEFAULT_PRESET", "Api", "Folders", "General", "Models", "Performance", "Preset", "PromptTemplate",
    "Settings", "Thresholds", "folders", "load_settings", "save_settings",
]  # fmt: skip
