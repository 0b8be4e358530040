"""A zip that helps to find a fault: versions, devices, settings, logs and figures; never what was written in a chat."""

from __future__ import annotations

import platform
import re
import sqlite3
import sys
import zipfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

from engine.files import storage_error
from engine.folders import Folders
from engine.protocol import DevicesListed, EffectiveSettings
from engine.settings import Preset, PromptTemplate, Settings

_MAX_LOG_BYTES = 4 << 20
_MAX_FIGURES = 500


@dataclass(frozen=True, slots=True)
class DiagnosticsBundle:
    """What is known while the app runs; save() adds what lies on disk."""

    versions: Mapping[str, str]
    settings: Settings
    effective: EffectiveSettings | None
    engine: DevicesListed | None
    places: Folders

    def save(self, target: Path) -> None:
        """Write the zip; blocks. Raises StorageError."""
        try:
            with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
                for name, text in self.parts().items():
                    bundle.writestr(name, text)
        except OSError as error:
            raise storage_error(error, target.parent) from error

    def parts(self) -> dict[str, str]:
        """The files of the zip."""
        about = {
            **self.versions,
            "python": sys.version,
            "system": platform.platform(),
            "machine": platform.machine(),
        }
        parts = {
            "about.json": _json(about),
            "settings.json": _json(without_secrets(self.settings)),
            "model.json": _json(self.effective),
            "engine.json": _json(self.engine),
            "figures.jsonl": self._figures(),
        }
        home = str(Path.home())
        for path in sorted(self.places.logs.glob("*.log*")):
            parts[f"logs/{path.name}"] = _tail(path)
        return {name: text.replace(home, "~") for name, text in parts.items()}

    def _figures(self) -> str:
        """The last answers' figures, which hold no text; empty where there is no log of them."""
        if not self.places.metrics_file.exists():
            return ""
        try:
            with closing(sqlite3.connect(f"{self.places.metrics_file.as_uri()}?mode=ro", uri=True)) as log:
                rows = log.execute("SELECT entry FROM requests ORDER BY at DESC LIMIT ?", (_MAX_FIGURES,)).fetchall()
        except sqlite3.Error as error:
            return f"the log of figures could not be read: {error}\n"
        return "".join(f"{bytes(row[0]).decode(errors='replace')}\n" for row in rows)


def without_secrets(settings: Settings) -> Settings:
    """The settings without tokens, passwords in addresses, and whatever the user wrote."""
    return msgspec.structs.replace(
        settings,
        api=msgspec.structs.replace(settings.api, token="(set)" if settings.api.token else ""),
        models=msgspec.structs.replace(
            settings.models,
            proxy=_without_password(settings.models.proxy),
            hub_endpoint=_without_password(settings.models.hub_endpoint),
        ),
        presets=tuple(
            msgspec.structs.replace(Preset(name=f"preset {number}"), **{**_plain(each), "system_prompt": ""})
            for number, each in enumerate(settings.presets, 1)
        ),
        default_preset="",
        prompts=tuple(PromptTemplate(name=f"prompt {number}", text="") for number, _ in enumerate(settings.prompts, 1)),
    )


def _plain(preset: Preset) -> dict[str, object]:
    kept = ("sampling", "max_tokens", "context_policy", "loras", "template_options")
    fields = {name: getattr(preset, name) for name in kept}
    fields["sampling"] = msgspec.structs.replace(preset.sampling, grammar="", json_schema="")
    return fields


def _without_password(address: str) -> str:
    return re.sub(r"//[^/@]*@", "//(hidden)@", address)


def _tail(path: Path) -> str:
    try:
        return path.read_bytes()[-_MAX_LOG_BYTES:].decode(errors="replace")
    except OSError as error:
        return f"could not be read: {error}\n"


def _json(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
