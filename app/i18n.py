"""The interface's language: English as written in the code, others from resources/translations."""

from __future__ import annotations

import contextlib
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

_FOLDER = Path(__file__).resolve().parent.parent / "resources" / "translations"
_installed: list[QTranslator] = []
LANGUAGES = {"en": "English", "zh_CN": "简体中文"}


def resolve_language(choice: str) -> str:
    """The language to use: `choice`, or what the system prefers among those we have, or English."""
    if choice in LANGUAGES:
        return choice
    wanted = (QLocale(name).name() for name in QLocale.system().uiLanguages())
    for name in wanted:
        if name in LANGUAGES:
            return name
        with contextlib.suppress(StopIteration):
            return next(known for known in LANGUAGES if known.split("_")[0] == name.split("_")[0])
    return "en"


def install_language(app: QCoreApplication, choice: str) -> str:
    """Install the translations for `choice` (empty follows the system); returns the language in use."""
    language = resolve_language(choice)
    while _installed:
        app.removeTranslator(_installed.pop())
    QLocale.setDefault(QLocale(language))
    for name, folder in (
        (f"firstlight_{language}", str(_FOLDER)),
        (f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)),
    ):
        translator = QTranslator(app)
        if translator.load(name, folder):
            app.installTranslator(translator)
            _installed.append(translator)
    return language
