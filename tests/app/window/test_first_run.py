"""A first start says what was found; later ones do not."""

from __future__ import annotations

from app_scene import Run, until, window
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.core.host_client import HostClient
from app.window.first_run import FirstRun
from engine.folders import folders
from engine.protocol import Device
from engine.settings import Settings, save_settings


def test_a_first_start_names_the_graphics_card(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            await until(lambda: bool(app.window.welcome.hardware))
            assert app.window.welcome.hardware.startswith("Found Radeon 780M with 8 GB: models run on it.")

    run(scene())


def test_what_suits_the_computer_is_offered_and_opens_the_manager(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            welcome = app.window.welcome
            await until(lambda: welcome.recommended_repo == "owner/Small-GGUF")
            button = welcome.recommended
            assert button.text().strip() == "Recommended here: Small 1B, 700 MB"
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
            manager = app.library.manager
            await until(lambda: manager.search.results.current_key == "owner/Small-GGUF")
            assert manager.isVisible()
            line = manager.search.results.lines[0]
            assert (line.title, line.state) == ("Small 1B", "recommended")
            manager.close()

    run(scene())


def test_a_later_start_says_nothing(run: Run) -> None:
    save_settings(Settings(), folders().settings_file)

    async def scene() -> None:
        async with window() as app:
            assert app.window.welcome.hardware == ""

    run(scene())


def test_a_machine_without_a_graphics_card_is_told_so(run: Run) -> None:
    async def scene() -> None:
        sentence = FirstRun(HostClient(), folders().settings_file).sentence(
            (Device(name="CPU", description="A CPU", kind="cpu"),)
        )
        assert sentence.startswith("No graphics card was found")
        assert sentence.endswith("under Models.")

    run(scene())
