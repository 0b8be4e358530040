"""One owner of the settings: what is changed is in force at once, comes to disk and to the host, and is never lost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from app_scene import emitted
from pytestqt.qtbot import QtBot
from settings_in_memory import settings_store

from app.core import settings_store as module
from app.core.host_client import HostClient
from app.core.settings_store import SettingsStore, free_name, shown_name
from app.core.tasks import cancel_all
from engine.errors import Code, Failure, StorageError
from engine.protocol import ChangeSettings, Command, Done, RequestFailed, Terminal
from engine.protocol.values import ModelSettings
from engine.settings import General, Models, Performance, Preset, Settings, load_settings, save_settings


class Host(HostClient):
    """Keeps what it is told; `is_there` False is one that has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[Settings] = []
        self.is_there = True

    async def request(self, command: Command) -> Terminal:
        assert isinstance(command, ChangeSettings)
        is_there = self.is_there
        await asyncio.sleep(0.01)  # Never answered before somebody listens.
        if not is_there:
            return RequestFailed(failure=Failure(code=Code.ENGINE_MISSING, message="The engine is not running."))
        self.told.append(command.settings)
        return Done()


@pytest.fixture
def host(qtbot: QtBot) -> Host:
    return Host()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.json"


def refuse(*_: object) -> None:
    raise StorageError(Code.READ_ONLY, "The folder cannot be written.", "Check its permissions.")


async def test_a_change_is_in_force_at_once_saved_and_told_to_the_host(host: Host, file: Path) -> None:
    store = SettingsStore(Settings(), file, host)
    seen: list[int] = []
    store.changed.connect(lambda: seen.append(store.settings.general.font_size))
    store.change("general", font_size=18)
    assert seen == [18]
    wanted = Settings(general=General(font_size=18))
    await asyncio.gather(emitted(store.saved), emitted(store.applied))
    assert load_settings(file) == (wanted, "")
    assert host.told == [wanted]
    store.change("general", font_size=18)
    assert seen == [18]


async def test_the_host_is_told_although_the_file_cannot_be_written(
    host: Host, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "save_settings", refuse)
    store = SettingsStore(Settings(), file, host)
    store.change("models", is_offline=True)
    (failure,), _ = await asyncio.gather(emitted(store.failed), emitted(store.applied))
    assert failure.code is Code.READ_ONLY
    assert host.told == [Settings(models=Models(is_offline=True))]


async def test_a_host_that_began_anew_is_told_what_its_file_lacks(
    host: Host, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SettingsStore(Settings(), file, host)
    store.change("models", is_offline=True)
    await asyncio.gather(emitted(store.saved), emitted(store.applied))
    host.restarted.emit()
    await asyncio.sleep(0.05)
    assert len(host.told) == 1
    monkeypatch.setattr(module, "save_settings", refuse)
    host.is_there = False
    store.change("models", is_offline=False)
    await emitted(store.failed)
    host.is_there = True
    host.restarted.emit()
    await emitted(store.applied)
    assert host.told[1:] == [Settings()]


async def test_many_changes_at_once_end_with_the_last_one_on_disk(
    host: Host, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []

    def save(settings: Settings, path: Path) -> None:
        written.append(settings.general.font_size)
        save_settings(settings, path)

    monkeypatch.setattr(module, "save_settings", save)
    store = SettingsStore(Settings(), file, host)
    for size in range(15, 25):
        store.change("general", font_size=size)
    await store.close()
    assert load_settings(file)[0].general.font_size == 24
    assert written == [24]


async def test_what_was_changed_just_before_the_end_is_saved(host: Host, file: Path) -> None:
    store = SettingsStore(Settings(), file, host)
    store.change("general", theme="dark")
    await store.close()
    await cancel_all()
    assert load_settings(file)[0].general.theme == "dark"


def test_values_lie_at_paths_and_go_back_to_their_defaults(qtbot: QtBot) -> None:
    own = {"a.gguf": ModelSettings(n_ctx=4096)}
    store = settings_store(Settings(models=Models(per_model=own), performance=Performance(load=ModelSettings())))
    path = ("models", "per_model", "a.gguf", "n_ctx")
    assert store.value(path) == 4096
    store.set_value(2048, path, ("performance", "load", "n_ctx"))
    assert store.value(path) == store.settings.performance.load.n_ctx == 2048
    store.set_value(0.1, ("presets", 0, "sampling", "temperature"))
    store.reset([path, ("presets", 0, "sampling", "temperature")])
    assert store.settings.models.per_model["a.gguf"] == ModelSettings()
    assert store.settings.presets == Settings().presets
    assert store.settings.performance.load.n_ctx == 2048


def test_a_preset_is_found_by_its_name_or_the_default_one(qtbot: QtBot) -> None:
    presets = (Preset(name="Default"), Preset(name="Coding"))
    store = settings_store(Settings(presets=presets, default_preset="Coding"))
    assert store.preset("Default").name == "Default"
    assert store.preset("gone").name == store.preset().name == "Coding"
    assert store.preset_names() == {"Default": shown_name(presets[0]), "Coding": "Coding"}
    assert settings_store(Settings(presets=())).preset().name == "Default"
    assert free_name("Coding", store.settings) == "Coding 2"
    assert free_name("Coding", store.settings, but="Coding") == "Coding"
