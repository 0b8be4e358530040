"""What the engine says, in the user's language: the one place where its sentences become text for the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from engine.errors import Failure
    from engine.protocol.values import Notice
    from engine.translatable import Translatable

CONTEXT = "engine"
"""Where the translations lie; packaging/translations.py takes the sentences from the engine's sources."""


def translated(words: Translatable) -> str:
    """Any sentence, phrase or reason of the engine; in English where there is no translation of it."""
    if isinstance(words, str):
        return _translated(words)
    values = {
        name: value if isinstance(value, int | float) else translated(value) for name, value in words.values.items()
    }
    return _translated(words.template).format(**values)


def failure_text(failure: Failure) -> str:
    """What happened and what to do about it."""
    return translated(failure.said)


def notice_text(notice: Notice) -> str:
    """What the engine did that was not quite what was asked for."""
    return translated(notice.message)


def _translated(source: str) -> str:
    return QCoreApplication.translate(CONTEXT, source) if source else ""
