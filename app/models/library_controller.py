"""Runs the model manager: what is on this computer and what is on its way, and what the user wants of it."""

from __future__ import annotations

import asyncio
import contextlib

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog

from app.core.engine_texts import failure_text
from app.core.host_client import HostClient
from app.core.request_runner import RequestRunner
from app.core.settings_store import SettingsStore
from app.core.tasks import spawn
from app.core.throttle import Throttle
from app.models.hub_search_controller import HubSearchController
from app.models.library_watcher import LibraryWatcher
from app.models.model_controller import ModelController
from app.models.model_manager import DOWNLOADS, FIND, ModelManager
from app.models.model_status import ModelState, ModelStatus, display_name
from app.models.quantize_controller import QuantizeController
from app.ui.file_dialog import file_dialog
from engine.errors import Code
from engine.protocol import (
    CancelPull,
    CleanUp,
    Done,
    Estimate,
    Estimated,
    GenerationFinished,
    ListModels,
    ListPulls,
    MeasureRoofline,
    ModelEntry,
    ModelLoaded,
    ModelsListed,
    ModelUnloaded,
    PausePull,
    Pull,
    PullFinished,
    PullModel,
    PullProgress,
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
_PROGRESS_MS = 100


class LibraryController(RequestRunner):
    """Made when the manager is first opened. `arrived(text, callable)` a download;
    `chat_wanted` with the model that is being loaded.
    """

    chat_wanted = Signal()
    arrived = Signal(str, object)

    def __init__(
        self,
        manager: ModelManager,
        client: HostClient,
        models: ModelController,
        preferences: SettingsStore,
    ) -> None:
        super().__init__(client, manager)
        self.manager, self._models, self._preferences = manager, models, preferences
        self._entries: tuple[ModelEntry, ...] = ()
        self._pulls: dict[str, Pull] = {}
        self._progress = Throttle(_PROGRESS_MS, self._show_pulls, self)
        self._bandwidth: float | None = None
        self._disk_free = 0
        self._seen = (models.status.model_id, models.status.state)
        self.find = HubSearchController(manager.search, client, preferences, manager)
        self.quantize = QuantizeController(client, manager.theme, manager)
        self._watch = LibraryWatcher(self)
        self._connect()
        client.subscribe(PullProgress, self._on_pull)
        client.subscribe(PullFinished, self._on_pull)
        client.subscribe(GenerationFinished, self._on_generation_finished)
        client.subscribe(ModelLoaded, self._on_other_model)
        client.subscribe(ModelUnloaded, self._on_other_model)
        for changed in (self.quantize.made, self._watch.changed, preferences.applied):
            changed.connect(self._look)
        models.status_changed.connect(self._on_status)

    def open(self, page: int = 0) -> None:
        """Show the manager with fresh contents."""
        self.manager.show_page(page)
        self._look()
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
        local.folder_requested.connect(self._choose_folder)
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
            (self.find.resume_requested, ResumePull),
        ):
            signal.connect(lambda pull_id, kind=kind: self.tell(kind(pull_id=pull_id)))
        self.find.pull_requested.connect(lambda repo, files: spawn(self._pull(repo, files), owner=self, name="pull"))
        self.find.downloads_requested.connect(lambda: self.manager.show_page(DOWNLOADS))
        self.find.failed.connect(self.failed)

    # On this computer.

    def _look(self, *_about: object) -> None:
        self.run("models", self._list_models())

    async def _list_models(self) -> None:
        event = await self.request(ListModels())
        if isinstance(event, ModelsListed):
            self._entries = event.models
            self._disk_free = event.disk_free_bytes
            self.manager.local.forget_estimates()
            self.manager.local.set_models(event.models, self._preferences.settings.models.keep_warm)
            self.manager.local.set_disk(event.disk_used_bytes, event.trash_bytes)
            ready = [each for each in event.models if each.kind == "chat" and each.state in ("ready", "in_use")]
            self.manager.downloads.set_answering({each.path for each in ready})
            self.find.set_library(event.models)
            self._watch.set_paths(event.watched)
            self._show_counts()
            self._show_machine()

    def _on_status(self, status: ModelStatus) -> None:
        """Another model, or another state of it; not each step of a load."""
        if (now := (status.model_id, status.state)) != self._seen:
            self._seen = now
            self.manager.local.set_loading(status.model_id if status.state is ModelState.LOADING else "")
            self._look()

    def _load(self, model_id: str) -> None:
        entry = self._entry(model_id)
        if entry is not None and entry.state == "ready" and entry.kind == "chat":
            self._models.load(model_id, name=entry.name)

    def _chat(self, pull_id: str) -> None:
        path = self._pulls[pull_id].path
        if path != self._models.model_id or self._models.status.effective is None:
            self._models.load(path, name=display_name(path))
        self.chat_wanted.emit()

    def _quantize(self, model_id: str) -> None:
        if (entry := self._entry(model_id)) is not None:
            self.quantize.open(entry)

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
        event = await self.request(
            Estimate(
                path=entry.path, n_ctx=n_ctx, type_k=asked.type_k, type_v=asked.type_v,
                n_parallel=asked.n_parallel,
            ),
            quiet=True,
        )  # fmt: skip
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
        command = VerifyModel(model_id=model_id)
        try:
            async with contextlib.aclosing(self._client.stream(command)) as events:
                async for event in events:
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
        kept = [known for known in self._preferences.settings.models.keep_warm if known != model_id]
        self._preferences.change("models", keep_warm=(*kept, model_id) if is_kept else tuple(kept))

    def _choose_folder(self) -> None:
        dialog = file_dialog(self.manager.theme, self.manager, self.tr("Add a folder with models"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.add_folder)
        dialog.open()

    def add_folder(self, folder: str) -> None:
        """Look for models in `folder` too, in place."""
        known = self._preferences.settings.models.folders
        if folder not in known:
            self._preferences.change("models", folders=(*known, folder))

    # Downloads.

    async def _pull(self, repo: str, files: tuple[str, ...]) -> None:
        await self.request(PullModel(repo=repo, files=files))

    async def _list_pulls(self) -> None:
        event = await self.request(ListPulls())
        if isinstance(event, PullsListed):
            self._pulls = {pull.pull_id: pull for pull in event.pulls}
            self.manager.downloads.set_leftovers(event.leftover_bytes)
            self._show_pulls()

    def _on_pull(self, event: PullProgress | PullFinished) -> None:
        before = self._pulls.get(event.pull.pull_id)
        self._pulls[event.pull.pull_id] = event.pull
        self._progress.trigger()
        if before is None or before.state != event.pull.state:
            self._progress.flush()
            if event.pull.state == "finished":
                self._look()
                self._tell_arrival(event.pull)

    def _on_generation_finished(self, _event: GenerationFinished) -> None:
        self.find.look_again()

    def _on_other_model(self, event: ModelLoaded | ModelUnloaded) -> None:
        """One that is kept beside the chosen one, whose own state is followed."""
        if event.model_id != self._models.model_id:
            self._look()

    def _tell_arrival(self, pull: Pull) -> None:
        """Whoever chats meanwhile learns of it there, and can go on with the new model."""
        name = display_name(pull.path)
        text = self.tr("{name} is downloaded and verified.").format(name=name)
        self.arrived.emit(text, lambda: self._models.load(pull.path, name=name))

    def _show_pulls(self) -> None:
        pulls = tuple(reversed(self._pulls.values()))
        self.manager.downloads.set_pulls(pulls)
        self.find.set_pulls(pulls)
        self._show_counts()

    def _show_counts(self) -> None:
        running = [pull for pull in self._pulls.values() if pull.state not in ("finished", "cancelled")]
        self.manager.set_counts(len(self._entries), len(running))

    # The machine.

    async def _read_machine(self) -> None:
        event = await self.request(MeasureRoofline(), quiet=True)
        if isinstance(event, RooflineMeasured) and event.bandwidth != self._bandwidth:
            self._bandwidth = event.bandwidth
            self._show_machine()
            self.find.look_anew()

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
