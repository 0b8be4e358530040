"""Every window, page, dialog and menu of the gallery, as a screen reader and the keyboard find it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import reader_audit as audit
from app_scene import Run
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QWidget

from app.core.i18n import install_language
from app.ui.command_palette import CommandPalette
from app.ui.theme import Theme
from app.window.main_window import MainWindow

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "engine" / "store" / "exchange"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks" / "gallery"))
import scenes_chat
import scenes_dialogs
import scenes_faults
import scenes_looks
import scenes_more
import scenes_rest
from stage import Scene, Stage

_TURNS = 25
_SCENES = (
    *scenes_chat.SCENES, *scenes_more.SCENES, *scenes_dialogs.SCENES, *scenes_rest.SCENES, *scenes_looks.SCENES,
    scenes_faults.broken_imports, scenes_faults.bad_attachments,
)  # fmt: skip


class Hearing(Stage):
    """Looks at each picture with other eyes."""

    def __init__(self, folder: Path, language: str) -> None:
        super().__init__(folder, language, "light")
        self.faults: set[str] = set()
        self._walked: set[int] = set()

    async def shot(self, widget: QWidget, name: str) -> None:
        await self.rest()
        self.n_shots += 1
        for window in _open_windows():
            self.faults |= {f"{name}: {fault}" for fault in self._faults(window)}
        active = QApplication.activeModalWidget() or QApplication.activeWindow()
        if active is not None and self._is_to_be_walked(active):
            self.faults |= {f"{name}: {fault}" for fault in audit.faults_of_keys(active)}

    def keep(self, file: Path, name: str) -> None:
        """Files are for eyes."""

    async def rest(self) -> None:
        """Turns of the loop, not seconds: what is asked here is there before the timers run out."""
        for _ in range(_TURNS):
            await asyncio.sleep(0.001)

    def _faults(self, window: QWidget) -> list[str]:
        if self.is_chinese:
            return [f"not translated: {text!r}" for text in audit.english_texts(window)]
        if isinstance(window, QFileDialog):  # Qt's own, or the system's.
            return []
        faults = audit.faults_of_names(window)
        if isinstance(window, QDialog):
            faults += audit.fault_of_default(window)
        if not isinstance(window, MainWindow):
            faults += [f"not told: {text!r}" for text in audit.unsaid(window, Theme("light").tokens.warn)]
        return faults

    def _is_to_be_walked(self, window: QWidget) -> bool:
        """The main window once a scene, dialogs in each of their states; a list over it closes at Tab."""
        is_known = isinstance(window, MainWindow) and id(window) in self._walked
        self._walked.add(id(window))
        is_list_open = any(each.isVisible() for each in window.findChildren(CommandPalette))
        is_qt_own = isinstance(window, QFileDialog)
        return not (self.is_chinese or is_qt_own or is_known or is_list_open or QApplication.activePopupWidget())


@pytest.fixture
def listened_to(qapp: QApplication) -> Iterator[None]:
    """As with a screen reader; nothing is open before and after, and English is spoken."""
    _close_all()
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)
    _close_all()
    install_language(qapp, "en")


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("scene", _SCENES, ids=lambda scene: scene.__name__)
def test_everything_can_be_heard_and_reached(run: Run, listened_to: None, scene: Scene, language: str) -> None:
    stage = Hearing(Path(), language)
    run(scene(stage))
    assert stage.n_shots
    assert not stage.faults, "\n".join(sorted(stage.faults))


def _close_all() -> None:
    for each in QApplication.topLevelWidgets():
        each.hide()


def _open_windows() -> list[QWidget]:
    return [each for each in QApplication.topLevelWidgets() if each.isVisible()]
