"""The interface's language: English as written in the code, others from resources/translations.

There the file of English holds what the code cannot say: how a counted string reads at 1. A counted string is
`tr("{n} tokens", None, n).format(n=...)`. Its number is no %n of Qt's, since PySide asks the bases of a class for a
string only while it comes back unchanged, and a %n is always filled in.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import PySide6
from PySide6 import QtCore
from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLibraryInfo, QLocale, QTranslator

_FOLDER = Path(__file__).resolve().parents[2] / "resources" / "translations"
_installed: list[QTranslator] = []
_LRELEASE = Path(PySide6.__file__).parent / ("lrelease.exe" if sys.platform == "win32" else "lrelease")
LANGUAGES = {"en": "English", "zh_CN": "简体中文"}
_OF_QT = (
    QT_TRANSLATE_NOOP("QFileDialog", "&Look in:"),
    QT_TRANSLATE_NOOP("QFileDialog", "Files of &type:"),
    QT_TRANSLATE_NOOP("QAbstractFileIconProvider", "Folder"),
    QT_TRANSLATE_NOOP("QFileSystemModel", "Size"),
    QT_TRANSLATE_NOOP("QShortcut", "Enter"),
    QT_TRANSLATE_NOOP("QWidgetTextControl", "&Undo"),
    QT_TRANSLATE_NOOP("QLineEdit", "&Undo"),
)
"""What Qt 6.11 says in its dialog for files and its own translations have not, or not as desktops do; and words that
our texts have otherwise than they do.
"""


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
    qt = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    for file in (qt / f"qtbase_{language}.qm", compiled(language)):  # Qt asks the last one first.
        translator = QTranslator(app)
        if translator.load(str(file)):
            app.installTranslator(translator)
            _installed.append(translator)
    return language


def compiled(language: str) -> Path:
    """The translation as Qt loads it. It is made anew, in some 20 ms, when the source is younger: a checkout has none.

    It lies beside its source, or in the cache where that folder cannot be written; an installed app brings it along.
    """
    source, file = _FOLDER / f"firstlight_{language}.ts", _FOLDER / f"firstlight_{language}.qm"
    if not source.exists() or _is_fresh(file, source):
        return file
    paths = QtCore.QStandardPaths
    cache = Path(paths.writableLocation(paths.StandardLocation.GenericCacheLocation)) / "firstlight"
    for place in (file, cache / file.name):
        if _is_fresh(place, source):
            return place
        with contextlib.suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
        new = place.with_suffix(f".{os.getpid()}.qm")  # A running app has the old file mapped: it must not change.
        QtCore.QProcess.execute(str(_LRELEASE), ["-silent", str(source), "-qm", str(new)])
        with contextlib.suppress(OSError):
            if _is_fresh(new, source):
                return new.replace(place)
            new.unlink(missing_ok=True)
    return file


def _is_fresh(file: Path, source: Path) -> bool:
    """On a full disk lrelease leaves an empty file, and says that all is well."""
    return file.exists() and file.stat().st_size > 0 and file.stat().st_mtime >= source.stat().st_mtime
