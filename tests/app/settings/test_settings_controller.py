"""Behind the settings: backup, diagnostics without anybody's words, the token, snapshots, and chats of a preset."""

from __future__ import annotations

import asyncio
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from app_scene import Run, ask, emitted, until, window
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QSpinBox

from app.application import Application
from app.core.host_client import HostState
from app.settings.diagnostics_bundle import without_secrets
from app.settings.settings_controller import folder_bytes
from engine.folders import folders
from engine.protocol import ReadApi, SaveToken
from engine.settings import Api, Models, Preset, PromptTemplate, Settings, load_settings
from engine.store.chats import ChatStore, open_store

SECRETS = Settings(
    api=Api(token="api-secret"),
    models=Models(proxy="http://me:proxy-secret@proxy.example.org:3128"),
    presets=(Preset(name="My preset secret", system_prompt="system secret"),),
    default_preset="My preset secret",
    prompts=(PromptTemplate(name="name secret", text="prompt secret"),),
)


def choose_file(application: Application, target: Path) -> None:
    """Answer the file dialog that is open."""
    dialog = application.window.findChildren(QFileDialog)[-1]
    dialog.fileSelected.emit(str(target))
    dialog.close()


def test_a_setting_is_saved_and_the_window_follows(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            application.actions["settings"].trigger()
            dialog = application.settings.dialog
            assert dialog is not None
            assert dialog.isVisible()
            size = dialog.general.editor("general", "font_size")
            assert isinstance(size, QSpinBox)
            saved = asyncio.ensure_future(emitted(application.settings_store.saved))
            await asyncio.sleep(0)
            size.setValue(18)
            await saved
            assert application.theme.font_size == 18
            assert dialog.loading.in_force("type_k") == "in force: q8_0"
            application.settings_store.change("general", shortcuts={"new_chat": "Ctrl+Alt+N"})
            assert application.actions["new_chat"].shortcut() == QKeySequence("Ctrl+Alt+N")
            dialog.close()

    run(scene())
    settings, _ = load_settings(folders().settings_file)
    assert settings.general.font_size == 18
    assert settings.general.shortcuts == {"new_chat": "Ctrl+Alt+N"}  # Changed as the app was closed.


def test_a_backup_is_a_whole_store(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "copy.sqlite3"

    async def scene() -> None:
        async with window() as application:
            await ask(application, "Remember the lighthouse")
            application.settings.open()
            dialog = application.settings.dialog
            assert dialog is not None
            dialog.data.backup_requested.emit()
            choose_file(application, target)
            await until(lambda: any("backed up" in text for text in application.window.notices.texts))

    run(scene())
    store, notice = open_store(target)
    assert notice == ""
    assert store.path(store.chats()[0].id)[0].content == "Remember the lighthouse"
    store.close()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".copy")] == []


def test_a_backup_that_cannot_be_written_is_told(run: Run, tmp_path: Path) -> None:
    async def scene() -> None:
        async with window() as application:
            failed = asyncio.ensure_future(emitted(application.settings.failed))
            application.settings.open()
            dialog = application.settings.dialog
            assert dialog is not None
            dialog.data.backup_requested.emit()
            choose_file(application, tmp_path / "nowhere" / "copy.sqlite3")
            (failure,) = await failed
            assert "nowhere" in str(failure.message)

    run(scene())


def test_diagnostics_hold_nothing_that_anybody_wrote(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "bundle.zip"

    async def scene() -> None:
        async with window(settings=SECRETS) as application:
            await ask(application, "chat secret")
            places = folders()
            places.logs.mkdir(parents=True, exist_ok=True)
            (places.logs / "host.log").write_text(f"{Path.home()}/models were read\n")
            application.settings.open()
            dialog = application.settings.dialog
            assert dialog is not None
            dialog.about.diagnostics_requested.emit()
            choose_file(application, target)
            await until(lambda: any("diagnostics" in text for text in application.window.notices.texts))

    run(scene())
    with zipfile.ZipFile(target) as bundle:
        parts = {name: bundle.read(name).decode() for name in bundle.namelist()}
    assert {
        "about.json",
        "settings.json",
        "model.json",
        "engine.json",
        "figures.jsonl",
        "logs/host.log",
    } <= parts.keys()
    assert "secret" not in "".join(parts.values())
    assert parts["logs/host.log"] == "~/models were read\n"
    assert '"type_k": "q8_0"' in parts["model.json"]


def test_settings_without_secrets_keep_what_explains_a_fault() -> None:
    plain = without_secrets(SECRETS)
    assert "secret" not in msgspec.json.encode(plain).decode()
    assert plain.models.proxy == "http://(hidden)@proxy.example.org:3128"
    assert plain.presets[0].sampling == SECRETS.presets[0].sampling


def test_the_figures_of_answers_are_read_while_the_log_is_open(tmp_path: Path) -> None:
    from app.settings.diagnostics_bundle import DiagnosticsBundle

    places = folders()
    places.metrics_file.parent.mkdir(parents=True)
    with closing(sqlite3.connect(places.metrics_file)) as log:
        log.execute("CREATE TABLE requests (at REAL, entry BLOB)")
        log.execute("INSERT INTO requests VALUES (1.0, ?)", (b'{"ttft": 0.06}',))
        log.commit()
        bundle = DiagnosticsBundle(versions={}, settings=Settings(), effective=None, engine=None, places=places)
        assert bundle.parts()["figures.jsonl"] == '{"ttft": 0.06}\n'


def test_the_token_goes_to_the_host_and_the_outcome_is_told(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            sent: list[object] = []
            send = application.client.stream
            application.client.stream = lambda command: sent.append(command) or send(command)  # type: ignore[method-assign,func-returns-value]
            application.settings.open()
            dialog = application.settings.dialog
            assert dialog is not None
            QTest.keyClicks(dialog.models.token, "hf_1")
            dialog.models._keep_token()
            await until(lambda: dialog.models._token_note.text() == "The token is kept in the system's keyring.")
            assert [each.token for each in sent if isinstance(each, SaveToken)] == ["hf_1"]
            assert any(isinstance(each, ReadApi) for each in sent)

    run(scene())


def test_chats_follow_their_preset_to_its_new_name(run: Run) -> None:
    settings = Settings(presets=(Preset(name="Default"), Preset(name="Coding")))

    async def scene() -> None:
        async with window(settings=settings) as application:
            chat = await application.database.call(ChatStore.create_chat, title="Ring buffer", preset="Coding")
            application.chats.change_chat(preset="Coding")
            application.settings.open("Coding")
            dialog = application.settings.dialog
            assert dialog is not None
            dialog.presets.rename("Python")
            await until(lambda: [each.preset for each in application.chat_list.chats] == ["Python"])
            assert application.chat_list.chats[0].id == chat.id
            assert application.settings_store.settings.presets[1].name == "Python"
            assert (application.chats.preset_name, application.top_bar._preset.text()) == ("Python", "Python")
            application.chats.open_chat(chat.id)
            await until(lambda: application.chats.chat is not None)
            dialog.presets.rename("Brisk")
            await until(lambda: application.chats.preset_name == "Brisk")
            dialog.presets.add_preset(Preset(name="Another"))
            assert [action.text() for action in application.top_bar._presets.actions()][2:] == ["Another"]

    run(scene())


def test_what_a_folder_takes_is_counted_with_everything_below(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.kv").write_bytes(bytes(1000))
    (tmp_path / "y.kv").write_bytes(bytes(24))
    assert folder_bytes(tmp_path) == 1024
    assert folder_bytes(tmp_path / "nowhere") == 0


@pytest.mark.parametrize(
    ("n_gpus", "places"),
    [
        (0, ["CPU · 32 of 32 layers · 1.1 of 10 GB free"]),
        (1, ["Radeon 780M · 32 of 32 layers · 1.1 of 10 GB free"]),
        (3, ["Radeon 780M", "Arc A770", "RX 7600"]),
    ],
)
def test_the_loading_page_shows_the_hosts_devices_and_what_a_load_comes_to(
    run: Run, n_gpus: int, places: list[str]
) -> None:
    async def scene() -> None:
        async with window("--gpus", str(n_gpus)) as application:
            settings = application.settings
            settings.open_model("/models/other.gguf", "Other 7B")
            dialog = settings.dialog
            assert dialog is not None
            page = dialog.loading
            assert page.isVisible()
            await until(lambda: len(page.plan.texts) == 1 + len(places) and len(page.devices.known) == n_gpus + 1)
            texts = page.plan.texts
            assert texts[0] == "Other 7B · 8,192 tokens of context"
            assert all(text.startswith(place) for text, place in zip(texts[1:], places, strict=True))
            page.set_devices_problem("The engine ended.")
            application.client.state_changed.emit(HostState.READY)
            await until(lambda: page.devices.note.text() != "The engine ended.")
            if n_gpus > 1:
                assert [page.devices.list.box(name).isChecked() for name in ("Vulkan0", "Vulkan1", "Vulkan2")] == [
                    False, True, True,
                ]  # fmt: skip
                page.devices.list.box("Vulkan1").click()
                await until(lambda: len(page.plan.texts) == 2)
                assert page.plan.texts[1].startswith("RX 7600 · 32 of 32 layers")
                own = application.settings_store.settings.models.per_model["/models/other.gguf"]
                assert own.devices == ("Vulkan2",)
            dialog.close()

    run(scene())
