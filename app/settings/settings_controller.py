"""Opens the settings, keeps what is changed in them, and fetches what they show of the engine."""

from __future__ import annotations

import asyncio
import importlib.metadata
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, qVersion
from PySide6.QtWidgets import QFileDialog

from app.core.chat_database import ChatDatabase
from app.core.engine_texts import failure_text
from app.core.host_client import HostClient, HostState
from app.core.settings_store import SettingsStore
from app.core.tasks import run_blocking, spawn
from app.models.model_controller import ModelController
from app.settings.diagnostics_bundle import DiagnosticsBundle
from app.ui.announcement import unheard
from app.ui.file_dialog import file_dialog
from app.window.main_window import MainWindow
from engine import __version__
from engine.errors import FirstlightError
from engine.folders import Folders
from engine.protocol import (
    ApiRead,
    DevicesListed,
    DropCache,
    ListDevices,
    ReadApi,
    RequestFailed,
    SaveToken,
)

if TYPE_CHECKING:
    from app.settings.load_plan_controller import LoadPlanController
    from app.settings.settings_dialog import SettingsDialog

_PACKAGES = ("llama-cpp-python", "PySide6-Essentials")


class SettingsController(QObject):
    """Signals: `failed(Failure)`, `import_requested`, `import_folder_requested`, `export_requested`,
    `preset_renamed(old, new)`.
    """

    failed = Signal(object)
    import_requested = Signal()
    import_folder_requested = Signal()
    export_requested = Signal()
    preset_renamed = Signal(str, str)

    def __init__(
        self,
        window: MainWindow,
        *,
        client: HostClient,
        preferences: SettingsStore,
        models: ModelController,
        archive: ChatDatabase,
        places: Folders,
    ) -> None:
        super().__init__(window)
        self._window, self._client, self._preferences, self._models = window, client, preferences, models
        self._archive, self._places = archive, places
        self.dialog: SettingsDialog | None = None
        self._planner: LoadPlanController | None = None
        models.settings_wanted.connect(self.open_model)
        models.status_changed.connect(lambda status: self._show_effective())
        preferences.applied.connect(lambda: self._run(self._read_api()))
        client.state_changed.connect(self._on_host_state)

    def open(self, preset: str = "") -> None:
        """Show the settings; with a preset's name, that preset is the one to edit."""
        if self.dialog is None:
            with unheard():
                self.dialog = self._make()
        dialog = self.dialog
        if preset:
            dialog.presets.choose(preset)
        self._show_effective()
        if self._planner is not None:
            self._planner.read_devices()
        for work in (self._read_api(), self._measure_snapshots()):
            self._run(work)
        dialog.open()

    def open_prompts(self) -> None:
        """Show the prompt library, with a new prompt where it is empty."""
        self.open()
        assert self.dialog is not None
        self.dialog.show_page(self.dialog.prompts)
        if not self.dialog.prompts.prompts:
            self.dialog.prompts.add_prompt()

    def open_model(self, model_id: str, name: str) -> None:
        """Show how one model is loaded, whether it is loaded now or not."""
        self.open()
        assert self.dialog is not None
        self.dialog.loading.show_model(model_id, name)
        self.dialog.show_page(self.dialog.loading)
        self.dialog.raise_()
        self.dialog.activateWindow()

    def _make(self) -> SettingsDialog:
        # Imported when it is first wanted: eleven pages are not needed for a start.
        from app.settings.load_plan_controller import LoadPlanController
        from app.settings.settings_dialog import SettingsDialog

        where = self._places
        dialog = SettingsDialog(
            self._preferences,
            self._window.theme,
            (
                (self.tr("Settings"), where.settings_file),
                (self.tr("Chats"), where.chats_file),
                (self.tr("Models"), where.models),
                (self.tr("Figures"), where.metrics_file),
                (self.tr("Snapshots"), where.snapshots),
                (self.tr("Logs"), where.logs),
            ),
            self._window,
        )
        dialog.models.token_changed.connect(lambda token: self._run(self._save_token(token)))
        dialog.loading.load_requested.connect(lambda model_id, name: self._models.load(model_id, name=name))
        self._planner = LoadPlanController(self._client, dialog.loading, dialog.about)
        dialog.presets.renamed.connect(self.preset_renamed)
        dialog.data.import_requested.connect(self.import_requested)
        dialog.data.import_folder_requested.connect(self.import_folder_requested)
        dialog.data.export_requested.connect(self.export_requested)
        dialog.data.backup_requested.connect(self._ask_backup)
        dialog.data.snapshots_clear_requested.connect(lambda: self._run(self._clear_snapshots()))
        dialog.about.diagnostics_requested.connect(self._ask_diagnostics)
        dialog.about.set_versions(versions())
        return dialog

    def _on_host_state(self, state: HostState) -> None:
        """A port that is taken at the start is told even when nobody looks at the settings. Whoever does sees the fault
        of the host before until the new one has been asked.
        """
        if state is HostState.READY:
            self._run(self._read_api())
            if self._planner is not None and self.dialog is not None and self.dialog.isVisible():
                self._planner.read_devices()

    def _show_effective(self) -> None:
        if self.dialog is not None:
            status = self._models.status
            self.dialog.loading.set_effective(status.effective, status.model_id)

    async def _read_api(self) -> None:
        if self.dialog is None and not self._preferences.settings.api.is_on:
            return
        event = await self._client.request(ReadApi())
        if not isinstance(event, ApiRead):
            return
        if self.dialog is not None:
            problem = failure_text(event.failure) if event.failure is not None else ""
            self.dialog.api.set_state(event.address, problem)
        elif event.failure is not None:
            self.failed.emit(event.failure)

    async def _measure_snapshots(self) -> None:
        size = await run_blocking(folder_bytes, self._places.snapshots)
        if self.dialog is not None:
            self.dialog.data.set_snapshot_bytes(size)

    async def _clear_snapshots(self) -> None:
        event = await self._client.request(DropCache())
        if isinstance(event, RequestFailed):
            self.failed.emit(event.failure)
        await self._measure_snapshots()

    async def _save_token(self, token: str) -> None:
        event = await self._client.request(SaveToken(token=token))
        if self.dialog is None:
            return
        if isinstance(event, RequestFailed):
            self.dialog.models.show_token_result(failure_text(event.failure), is_warning=True)
        else:
            kept = self.tr("The token is kept in the system's keyring.")
            self.dialog.models.show_token_result(kept if token else self.tr("The token is forgotten."))

    def _ask_backup(self) -> None:
        self._ask_file(
            self.tr("Back up the chats"),
            "firstlight-chats.sqlite3",
            lambda target: self._run(self._back_up(target)),
        )

    async def _back_up(self, target: Path) -> None:
        store = await self._archive.store()
        await run_blocking(store.back_up, target)
        self._tell(self.tr("The chats were backed up to {file}.").format(file=target))

    def _ask_diagnostics(self) -> None:
        self._ask_file(
            self.tr("Save diagnostics"),
            "firstlight-diagnostics.zip",
            lambda target: self._run(self._save_diagnostics(target)),
        )

    async def _save_diagnostics(self, target: Path) -> None:
        event = await self._client.request(ListDevices())
        devices = event if isinstance(event, DevicesListed) else None
        bundle = DiagnosticsBundle(
            versions=versions(),
            settings=self._preferences.settings,
            effective=self._models.status.effective,
            engine=devices,
            places=self._places,
        )
        await run_blocking(bundle.save, target)
        self._tell(self.tr("The diagnostics were saved to {file}.").format(file=target))

    def _ask_file(self, title: str, name: str, accept: Callable[[Path], object]) -> None:
        dialog = file_dialog(self._window.theme, self.dialog or self._window, title)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(name.rpartition(".")[2])
        dialog.selectFile(name)
        dialog.fileSelected.connect(lambda chosen: accept(Path(chosen)))
        dialog.open()

    def _tell(self, text: str) -> None:
        self._window.notices.show_notice(text, key="settings", lasts_ms=8000)

    def _run(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        async def guarded() -> None:
            try:
                await work
            except FirstlightError as error:
                self.failed.emit(error.failure)

        return spawn(guarded(), owner=self, name="settings", inside=work)


def versions() -> dict[str, str]:
    """What Firstlight consists of."""
    found = {"Firstlight": __version__, "Qt": qVersion()}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "-"
    return found


def folder_bytes(folder: Path) -> int:
    """What the files under a folder take; blocks."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:
            # It went away meanwhile: a worker drops old snapshots of its own.
            continue
    return total
