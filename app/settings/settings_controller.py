"""Opens the settings, and fetches what they show of the engine and of the disk; the edits are the store's."""

from __future__ import annotations

import importlib.metadata
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, qVersion

from app.core.chat_database import ChatDatabase
from app.core.engine_texts import failure_text
from app.core.host_client import HostClient, HostState
from app.core.request_runner import RequestRunner
from app.core.settings_store import SettingsStore
from app.core.tasks import run_blocking
from app.models.model_controller import ModelController
from app.settings.diagnostics_bundle import DiagnosticsBundle
from app.ui.announcement import unheard
from app.ui.file_dialog import ask_where_to_save
from app.ui.notice_bar import NoticeBar
from app.ui.theme import Theme
from engine import __version__
from engine.folders import Folders
from engine.protocol import (
    ApiRead,
    DevicesListed,
    DropCache,
    ListDevices,
    LoadPlanned,
    ModelSettings,
    PlanLoad,
    ReadApi,
    RequestFailed,
    SaveToken,
)

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.settings.settings_dialog import SettingsDialog

_PACKAGES = ("llama-cpp-python", "PySide6-Essentials")
_NOTICE_MS = 8000


class SettingsController(RequestRunner):
    """Signals: `import_requested`, `import_folder_requested`, `export_requested`, `preset_renamed(old, new)`."""

    import_requested = Signal()
    import_folder_requested = Signal()
    export_requested = Signal()
    preset_renamed = Signal(str, str)

    def __init__(
        self,
        parent: QWidget,
        theme: Theme,
        notices: NoticeBar,
        *,
        client: HostClient,
        settings_store: SettingsStore,
        models: ModelController,
        database: ChatDatabase,
        places: Folders,
    ) -> None:
        """The settings are opened over `parent`."""
        super().__init__(client, parent)
        self._parent, self._theme, self._notices = parent, theme, notices
        self._settings_store, self._models, self._database, self._places = settings_store, models, database, places
        self.dialog: SettingsDialog | None = None
        models.settings_wanted.connect(self.open_model)
        models.status_changed.connect(lambda status: self._show_effective())
        settings_store.applied.connect(lambda: self.run("api", self._read_api()))
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
        self.run("devices", self._read_devices(dialog))
        self.run("api", self._read_api())
        self.run("snapshots", self._measure_snapshots())
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
        from app.settings.settings_dialog import SettingsDialog  # Eleven pages are not needed for a start.

        where = self._places
        dialog = SettingsDialog(
            self._settings_store,
            self._theme,
            (
                (self.tr("Settings"), where.settings_file),
                (self.tr("Chats"), where.chats_file),
                (self.tr("Models"), where.models),
                (self.tr("Figures"), where.metrics_file),
                (self.tr("Snapshots"), where.snapshots),
                (self.tr("Logs"), where.logs),
            ),
            self._parent,
        )
        dialog.models.token_changed.connect(lambda token: self.run("token", self._save_token(dialog, token)))
        dialog.loading.load_requested.connect(lambda model_id, name: self._models.load(model_id, name=name))
        dialog.loading.plan_requested.connect(
            lambda model_id, settings: self.run("plan", self._plan(dialog, model_id, settings))
        )
        dialog.presets.renamed.connect(self.preset_renamed)
        dialog.data.import_requested.connect(self.import_requested)
        dialog.data.import_folder_requested.connect(self.import_folder_requested)
        dialog.data.export_requested.connect(self.export_requested)
        dialog.data.backup_requested.connect(partial(self._ask_backup, dialog))
        dialog.data.snapshots_clear_requested.connect(lambda: self.run("clear snapshots", self._clear_snapshots()))
        dialog.about.diagnostics_requested.connect(partial(self._ask_diagnostics, dialog))
        dialog.about.set_versions(versions())
        return dialog

    def _on_host_state(self, state: HostState) -> None:
        """A port that is taken at the start is told even when nobody looks at the settings. Whoever does sees the fault
        of the host before until the new one has been asked.
        """
        if state is HostState.READY:
            self.run("api", self._read_api())
            if self.dialog is not None and self.dialog.isVisible():
                self.run("devices", self._read_devices(self.dialog))

    def _show_effective(self) -> None:
        if self.dialog is not None:
            status = self._models.status
            self.dialog.loading.set_effective(status.effective, status.model_id)

    async def _read_devices(self, dialog: SettingsDialog) -> None:
        """Look at them anew: what is free on them changes."""
        event = await self.request(ListDevices(), quiet=True)
        if isinstance(event, DevicesListed):
            dialog.about.set_engine(event.backend, event.backend_reason, event.devices)
            dialog.loading.set_devices(event.devices, event.backend)
        elif isinstance(event, RequestFailed):
            dialog.about.set_problem(failure_text(event.failure))
            dialog.loading.set_devices_problem(failure_text(event.failure))

    async def _plan(self, dialog: SettingsDialog, model_id: str, settings: ModelSettings) -> None:
        """What a load with the settings as they stand would come to; the newest question counts."""
        event = await self.request(PlanLoad(model_id=model_id, settings=settings), quiet=True)
        if isinstance(event, LoadPlanned):
            dialog.loading.set_plan(event)
        elif isinstance(event, RequestFailed):
            dialog.loading.set_plan_problem(failure_text(event.failure))

    async def _read_api(self) -> None:
        if self.dialog is None and not self._settings_store.settings.api.is_on:
            return
        event = await self.request(ReadApi(), quiet=True)
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
        await self.request(DropCache())
        await self._measure_snapshots()

    async def _save_token(self, dialog: SettingsDialog, token: str) -> None:
        event = await self.request(SaveToken(token=token), quiet=True)
        if isinstance(event, RequestFailed):
            dialog.models.show_token_result(failure_text(event.failure), is_warning=True)
        else:
            kept = self.tr("The token is kept in the system's keyring.")
            dialog.models.show_token_result(kept if token else self.tr("The token is forgotten."))

    def _ask_backup(self, dialog: SettingsDialog) -> None:
        ask_where_to_save(
            self._theme, dialog, self.tr("Back up the chats"), "firstlight-chats.sqlite3",
            lambda target: self.run(f"back up to {target}", self._back_up(target)),
        )  # fmt: skip

    async def _back_up(self, target: Path) -> None:
        store = await self._database.store()
        await run_blocking(store.back_up, target)
        self._tell(self.tr("The chats were backed up to {file}.").format(file=target))

    def _ask_diagnostics(self, dialog: SettingsDialog) -> None:
        ask_where_to_save(
            self._theme, dialog, self.tr("Save diagnostics"), "firstlight-diagnostics.zip",
            lambda target: self.run(f"save {target}", self._save_diagnostics(target)),
        )  # fmt: skip

    async def _save_diagnostics(self, target: Path) -> None:
        event = await self.request(ListDevices(), quiet=True)
        bundle = DiagnosticsBundle(
            versions=versions(),
            settings=self._settings_store.settings,
            effective=self._models.status.effective,
            engine=event if isinstance(event, DevicesListed) else None,
            places=self._places,
        )
        await run_blocking(bundle.save, target)
        self._tell(self.tr("The diagnostics were saved to {file}.").format(file=target))

    def _tell(self, text: str) -> None:
        self._notices.show_notice(text, key="settings", lasts_ms=_NOTICE_MS)


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
