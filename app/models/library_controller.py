"""Runs the model manager: lists and checks the models on this computer, and carries out what its pages ask for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from app.core.engine_texts import failure_text
from app.core.host_client import HostClient
from app.core.request_runner import RequestRunner
from app.core.settings_store import SettingsStore
from app.models.downloads_model import DownloadsModel
from app.models.hub_search_controller import HubSearchController
from app.models.model_controller import ModelController
from app.models.model_manager import DOWNLOADS, FIND, ModelManager
from app.models.model_status import ModelState, ModelStatus, display_name
from app.models.quantize_controller import QuantizeController
from app.models.quantize_dialog import QuantizeDialog
from app.ui.notice_bar import NoticeBar
from engine.errors import Code
from engine.protocol import (
    CancelPull,
    CleanUp,
    Done,
    Estimate,
    Estimated,
    ListModels,
    ListPulls,
    MeasureRoofline,
    ModelEntry,
    ModelLoaded,
    ModelsListed,
    ModelUnloaded,
    PausePull,
    Pull,
    PullsListed,
    RemoveModel,
    RequestFailed,
    RestoreModel,
    ResumePull,
    RooflineMeasured,
    VerifyModel,
    VerifyProgress,
)

_USUAL_CONTEXT = 8192
"""That a model's needs are told for where the settings leave it open."""
OFFERED_MS = 30_000
"""How long a model that has arrived is offered over the chat."""
QUIET_MS = 800
"""After the last change of a file: a copy is one change, not thousands."""


class LibraryController(RequestRunner):
    """Made when the manager is first opened. What arrives is told in the `notices` over the chat;
    `chat_wanted()` with the model that is being loaded.
    """

    chat_wanted = Signal()

    def __init__(
        self,
        manager: ModelManager,
        client: HostClient,
        *,
        models: ModelController,
        downloads: DownloadsModel,
        settings_store: SettingsStore,
        notices: NoticeBar,
    ) -> None:
        super().__init__(client, manager)
        self._notices = notices
        self.manager, self._models, self._downloads, self._settings_store = manager, models, downloads, settings_store
        self._entries: tuple[ModelEntry, ...] = ()
        self._bandwidth: float | None = None
        self._disk_free = 0
        self._shown_state = (models.status.model_id, models.status.state)
        self.find = HubSearchController(manager.search, client, settings_store, downloads, manager)
        self._watcher = LibraryWatcher(self)
        self._connect()
        client.subscribe(ModelLoaded, self._on_other_model)
        client.subscribe(ModelUnloaded, self._on_other_model)
        downloads.changed.connect(self._show_counts)
        downloads.state_changed.connect(self._on_download_state)
        self._watcher.changed.connect(self.refresh)
        settings_store.applied.connect(self.refresh)
        models.status_changed.connect(self._on_status)

    def open(self, page: int = 0) -> None:
        """Show the manager with fresh contents."""
        self.manager.show_page(page)
        self.refresh()
        self.run("pulls", self._list_pulls())
        self.run("machine", self._read_machine())
        self.find.open()

    def open_repo(self, repo: str) -> None:
        """Show one of the catalogue's repositories."""
        self.find.open_repo(repo)
        self.open(FIND)

    def _connect(self) -> None:
        local, downloads = self.manager.local, self.manager.downloads
        local.load_requested.connect(self._load)
        local.unload_requested.connect(self._models.unload)
        local.remove_requested.connect(lambda model_id: self.run("remove", self._remove(model_id)))
        local.keep_warm_changed.connect(self._keep_warm)
        self.manager.folder_chosen.connect(self.add_folder)
        local.quantize_requested.connect(self._quantize)
        local.settings_requested.connect(self._show_settings)
        local.repo_requested.connect(self.open_repo)
        local.verify_requested.connect(self._verify)
        local.verify_stopped.connect(lambda: self.stop("verify"))
        local.estimate_requested.connect(lambda model_id: self.run("estimate", self._estimate(model_id)))
        local.trash_requested.connect(lambda: self.run("clean", self._clean_up("trash")))
        downloads.chat_requested.connect(self._chat)
        downloads.clean_requested.connect(lambda: self.run("clean", self._clean_up("parts")))
        for signal, kind in (
            (downloads.pause_requested, PausePull),
            (downloads.resume_requested, ResumePull),
            (downloads.cancel_requested, CancelPull),
        ):
            signal.connect(lambda pull_id, kind=kind: self.tell(kind(pull_id=pull_id)))
        self.find.downloads_requested.connect(lambda: self.manager.show_page(DOWNLOADS))
        self.find.failed.connect(self.failed)

    # On this computer.

    def refresh(self) -> None:
        """List the models of this computer anew."""
        self.run("models", self._list_models())

    async def _list_models(self) -> None:
        event = await self.request(ListModels())
        if isinstance(event, ModelsListed):
            self._entries = event.models
            self._disk_free = event.disk_free_bytes
            self.manager.local.forget_estimates()
            self.manager.local.set_models(event.models, self._settings_store.settings.models.keep_warm)
            self.manager.local.set_disk(event.disk_used_bytes, event.trash_bytes)
            ready = [each for each in event.models if each.kind == "chat" and each.state in ("ready", "in_use")]
            self.manager.downloads.set_answering({each.path for each in ready})
            self.find.set_library(event.models)
            self._watcher.set_paths(event.watched)
            self._show_counts()
            self._show_machine()

    def _on_status(self, status: ModelStatus) -> None:
        """Another model, or another state of it; not each step of a load."""
        if (now := (status.model_id, status.state)) != self._shown_state:
            self._shown_state = now
            self.manager.local.set_loading(status.model_id if status.state is ModelState.LOADING else "")
            self.refresh()

    def _on_other_model(self, event: ModelLoaded | ModelUnloaded) -> None:
        """One that is kept beside the chosen one, whose own state is followed."""
        if event.model_id != self._models.model_id:
            self.refresh()

    def _load(self, model_id: str) -> None:
        entry = self._entry(model_id)
        if entry is not None and entry.state == "ready" and entry.kind == "chat":
            self._models.load(model_id, name=entry.name)

    def _chat(self, pull_id: str) -> None:
        if (pull := self._downloads.pull(pull_id)) is None:
            return
        path = pull.path
        if path != self._models.model_id or self._models.status.effective is None:
            self._models.load(path, name=display_name(path))
        self.manager.hide()
        self.chat_wanted.emit()

    def _quantize(self, model_id: str) -> None:
        if (entry := self._entry(model_id)) is not None:
            dialog = QuantizeDialog(self.manager.theme, entry, self.manager)
            QuantizeController(dialog, entry, self._client).made.connect(self.refresh)

    def _show_settings(self, model_id: str) -> None:
        """In the main window, which may lie behind the manager."""
        if (entry := self._entry(model_id)) is not None:
            self._models.settings_wanted.emit(model_id, entry.name)

    def _entry(self, model_id: str) -> ModelEntry | None:
        return next((entry for entry in self._entries if entry.model_id == model_id), None)

    async def _estimate(self, model_id: str) -> None:
        """As it would be loaded, with the measured speed where it has answered here."""
        if (entry := self._entry(model_id)) is None:
            return
        asked = self._models.settings_of(model_id)
        n_ctx = asked.n_ctx or min(_USUAL_CONTEXT, entry.n_ctx_train or _USUAL_CONTEXT)
        command = Estimate(
            path=entry.path, n_ctx=n_ctx, type_k=asked.type_k, type_v=asked.type_v, n_parallel=asked.n_parallel
        )
        event = await self.request(command, quiet=True)
        if isinstance(event, Estimated):
            self.manager.local.set_estimate(model_id, event)

    async def _remove(self, model_id: str) -> None:
        entry = self._entry(model_id)
        event = await self.request(RemoveModel(model_id=model_id))
        await self._list_models()
        if entry is not None and not isinstance(event, RequestFailed):
            text = self.tr("{name} was moved to Firstlight's trash.").format(name=entry.name)
            self.manager.notices.offer_undo(text, lambda: self.run("restore", self._restore(model_id)))

    async def _restore(self, model_id: str) -> None:
        await self.request(RestoreModel(model_id=model_id))
        await self._list_models()

    async def _clean_up(self, what: str) -> None:
        await self.request(CleanUp(what=what))
        await self._list_models()
        await self._list_pulls()

    def _verify(self, model_id: str) -> None:
        self.run("verify", self._follow_check(model_id))

    async def _follow_check(self, model_id: str) -> None:
        local = self.manager.local
        local.set_check(model_id, 0.0)
        try:
            async for event in self._client.stream(VerifyModel(model_id=model_id)):
                if isinstance(event, VerifyProgress):
                    local.set_check(model_id, event.fraction)
                elif isinstance(event, Done):
                    local.end_check(model_id, self.tr("Verified: it is what the hub gave, byte for byte."))
                elif isinstance(event, RequestFailed) and event.failure.code is not Code.CANCELLED:
                    local.end_check(model_id, failure_text(event.failure), is_warning=True)
        except asyncio.CancelledError:
            local.end_check(model_id, "")
            raise

    def _keep_warm(self, model_id: str, is_kept: bool) -> None:
        kept = [known for known in self._settings_store.settings.models.keep_warm if known != model_id]
        self._settings_store.change("models", keep_warm=(*kept, model_id) if is_kept else tuple(kept))

    def add_folder(self, folder: str) -> None:
        """Look for models in `folder` too, in place."""
        known = self._settings_store.settings.models.folders
        if folder not in known:
            self._settings_store.change("models", folders=(*known, folder))

    # Downloads.

    async def _list_pulls(self) -> None:
        event = await self.request(ListPulls())
        if isinstance(event, PullsListed):
            self._downloads.set_pulls(event.pulls)
            self.manager.downloads.set_leftovers(event.leftover_bytes)

    def _on_download_state(self, pull: Pull) -> None:
        if pull.state == "finished":
            self.refresh()
            self._tell_arrival(pull)

    def _tell_arrival(self, pull: Pull) -> None:
        """Whoever chats meanwhile learns of it there, and can go on with the new model."""
        name = display_name(pull.path)
        self._notices.show_notice(
            self.tr("{name} is downloaded and verified.").format(name=name),
            action=self.tr("Load it"),
            on_action=lambda: self._models.load(pull.path, name=name),
            lasts_ms=OFFERED_MS,
        )

    def _show_counts(self) -> None:
        open_pulls = [pull for pull in self._downloads.pulls if pull.state not in ("finished", "cancelled")]
        self.manager.set_counts(len(self._entries), len(open_pulls))

    # The machine.

    async def _read_machine(self) -> None:
        event = await self.request(MeasureRoofline(), quiet=True)
        if isinstance(event, RooflineMeasured) and event.bandwidth != self._bandwidth:
            self._bandwidth = event.bandwidth
            self._show_machine()
            self.find.refresh_catalog()

    def _show_machine(self) -> None:
        effective = self._models.status.effective
        devices = [device for device in effective.devices if device.kind != "cpu"] if effective is not None else []
        device = devices[0] if devices else None
        self.manager.set_machine(
            device.description if device is not None else self.tr("No GPU in use"),
            (device.free_bytes or 0) if device is not None else 0,
            (device.total_bytes or 0) if device is not None else 0,
            self._bandwidth,
            self._disk_free,
        )


class LibraryWatcher(QObject):
    """`changed` when models came, went or were copied to their end, once things are quiet again."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._watcher = QFileSystemWatcher(self)
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(QUIET_MS)
        self._quiet.timeout.connect(self.changed)
        self._watcher.directoryChanged.connect(lambda _path: self._quiet.start())
        self._watcher.fileChanged.connect(lambda _path: self._quiet.start())

    def set_paths(self, paths: Sequence[str]) -> None:
        """Watch exactly these folders and files."""
        before = {*self._watcher.directories(), *self._watcher.files()}
        wanted = set(paths)
        if gone := sorted(before - wanted):
            self._watcher.removePaths(gone)
        if new := sorted(wanted - before):
            self._watcher.addPaths(new)
