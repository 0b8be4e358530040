"""The model picker in the whole window."""

from __future__ import annotations

from app_scene import Run, until, window
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.application import Application
from app.ui.command_palette import CommandPalette

CTRL = Qt.KeyboardModifier.ControlModifier


def open_palette(app: Application) -> CommandPalette | None:
    return next((each for each in app.window.findChildren(CommandPalette) if each.isVisible()), None)


def press(widget: object, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    QTest.keyClick(widget, key, modifiers)


def test_the_model_picker_lists_what_the_host_knows(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            press(app.window, Qt.Key.Key_M, CTRL)
            await until(lambda: open_palette(app) is not None)
            palette = open_palette(app)
            assert palette is not None
            assert palette.list.model().rowCount() == 2
            assert palette.list.model().index(1, 0).data().startswith("Manage models…")
            assert palette.list.model().index(0, 0).data() == "SmolLM2 135M Q4_1 · loaded"
            QTest.keyClick(palette.field, Qt.Key.Key_Escape)
            assert open_palette(app) is None

    run(scene())
