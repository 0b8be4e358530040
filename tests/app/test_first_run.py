"""A first start says what was found; later ones do not."""

from __future__ import annotations

from app_scene import Run, until, window

from app.first_run import FirstRun
from app.host_client import HostClient
from engine.folders import folders
from engine.protocol import Device
from engine.settings import Settings, save_settings


def test_a_first_start_names_the_graphics_card(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            await until(lambda: bool(app.window.welcome.hardware))
            assert app.window.welcome.hardware.startswith("Found Radeon 780M with 8 GB: models run on it.")

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
        assert "starter model" in sentence

    run(scene())
