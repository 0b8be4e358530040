"""What presets are called: the built-in one in the user's language, all others as their users named them."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from engine.settings import DEFAULT_PRESET, Preset, Settings


def shown_name(preset: Preset) -> str:
    """Its name for people; chats and settings know it by `preset.name`."""
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
