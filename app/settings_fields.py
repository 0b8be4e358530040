"""The settings that can be changed in the window: where each lies, what it is called, and what it does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec
from PySide6.QtCore import QCoreApplication

from app.i18n import LANGUAGES
from engine.settings import Settings

Path = tuple[str | int, ...]
translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class SettingField:
    """One row. The kind of editor follows from the value; `choices` map values to words."""

    path: Path
    label: str
    hint: str = ""
    choices: dict[str, str] = field(default_factory=dict)
    minimum: float = 0.0
    maximum: float = 1_000_000.0
    step: float = 1.0


@dataclass(frozen=True, slots=True)
class SettingPage:
    title: str
    fields: tuple[SettingField, ...]


def value_at(settings: Settings, path: Path) -> Any:
    """The value at a path such as ("presets", 0, "sampling", "top_p")."""
    value: Any = settings
    for step in path:
        value = value[step] if isinstance(step, int) else getattr(value, step)
    return value


def with_value(settings: Settings, path: Path, value: Any) -> Settings:
    """The settings with another value at a path."""
    changed: Settings = _replaced(settings, path, value)
    return changed


def _replaced(part: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        return (*part[:step], _replaced(part[step], rest, value), *part[step + 1 :])
    return msgspec.structs.replace(part, **{step: _replaced(getattr(part, step), rest, value)})


def pages(preset: int) -> tuple[SettingPage, ...]:
    """All pages; the generation page edits the preset at this place."""
    general, performance, thresholds = ("general",), ("performance",), ("thresholds",)
    answer: Path = ("presets", preset)
    sampling = (*answer, "sampling")
    return (
        SettingPage(
            translate("settings", "General"),
            (
                SettingField(
                    (*general, "language"),
                    translate("settings", "Language"),
                    translate("settings", "Takes effect at the next start."),
                    {"": translate("settings", "As the system"), **LANGUAGES},
                ),
                SettingField(
                    (*general, "theme"),
                    translate("settings", "Colours"),
                    "",
                    {
                        "system": translate("settings", "As the system"),
                        "light": translate("settings", "Light"),
                        "dark": translate("settings", "Dark"),
                        "high_contrast": translate("settings", "High contrast"),
                    },
                ),
                SettingField((*general, "font_size"), translate("settings", "Text size"), "", minimum=10, maximum=24),
                SettingField(
                    (*general, "is_enter_send"),
                    translate("settings", "Enter sends"),
                    translate("settings", "Off: Enter breaks the line, Shift+Enter sends."),
                ),
            ),
        ),
        SettingPage(
            translate("settings", "Performance"),
            (
                SettingField(
                    (*performance, "is_prewarm_on"),
                    translate("settings", "Prepare while you type"),
                    translate("settings", "Reads the chat and your text before you press Enter."),
                ),
                SettingField(
                    (*performance, "is_prewarm_on_battery"),
                    translate("settings", "Also on battery"),
                    translate("settings", "Preparing costs energy."),
                ),
                SettingField(
                    (*performance, "idle_unload_minutes"),
                    translate("settings", "Unload after idle minutes"),
                    translate("settings", "0 keeps a model until its memory is needed."),
                    maximum=1440,
                ),
                SettingField(
                    (*performance, "max_warm_models"),
                    translate("settings", "Models kept warm"),
                    "",
                    minimum=1,
                    maximum=16,
                ),
            ),
        ),
        SettingPage(
            translate("settings", "Generation"),
            (
                SettingField((*answer, "system_prompt"), translate("settings", "System prompt")),
                SettingField(
                    (*sampling, "temperature"),
                    translate("settings", "Temperature"),
                    translate("settings", "0 always takes the likeliest token; higher values vary more."),
                    maximum=5,
                    step=0.05,
                ),
                SettingField(
                    (*sampling, "top_k"),
                    translate("settings", "Top K"),
                    translate("settings", "Only the K likeliest tokens are drawn from; 0 takes all."),
                ),
                SettingField(
                    (*sampling, "top_p"),
                    translate("settings", "Top P"),
                    translate(
                        "settings", "Only the likeliest tokens that together reach this probability; 1 takes all."
                    ),
                    maximum=1,
                    step=0.01,
                ),
                SettingField(
                    (*sampling, "min_p"),
                    translate("settings", "Min P"),
                    translate(
                        "settings", "Drops tokens that are less likely than this share of the likeliest; 0 drops none."
                    ),
                    maximum=1,
                    step=0.01,
                ),
                SettingField(
                    (*sampling, "repeat_penalty"),
                    translate("settings", "Repeat penalty"),
                    translate("settings", "Makes tokens that came lately less likely; 1 does nothing."),
                    minimum=0.5,
                    maximum=2,
                    step=0.01,
                ),
                SettingField(
                    (*answer, "max_tokens"),
                    translate("settings", "Longest answer, tokens"),
                    translate("settings", "0: until the model stops."),
                ),
            ),
        ),
        SettingPage(
            translate("settings", "Latency"),
            tuple(
                SettingField((*thresholds, name), label, minimum=0.001, maximum=60, step=0.01)
                for name, label in (
                    ("ttft_notice", translate("settings", "TTFT, notice over (s)")),
                    ("ttft_warning", translate("settings", "TTFT, warning over (s)")),
                    ("itl_notice", translate("settings", "Between tokens, notice over (s)")),
                    ("itl_warning", translate("settings", "Between tokens, warning over (s)")),
                    ("vram_notice", translate("settings", "GPU memory, notice over (share)")),
                )
            ),
        ),
    )
