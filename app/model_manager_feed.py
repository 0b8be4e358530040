"""Runs the model manager: asks the host for what its pages show, and carries out what the user wants of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from app.engine_sentences import failure_text
from app.host_client import HostClient
from app.model_controller import ModelController
from app.preferences import Preferences
from app.quantize_feed import QuantizeFeed
from app.settings_sync import SettingsSync
from app.tasks import spawn
from app.widgets.models import ModelManager
from app.widgets.models.manager import DOWNLOADS, FIND
from app.widgets.models.quantization_table import QuantizationItem
from engine.errors import Failure
from engine.protocol import (
    CancelPull,
    CatalogListed,
    Command,
    Estimate,
    Estimated,
    Event,
    HeaderRead,
    HubResults,
    InspectRepo,
    KvType,
    ListCatalog,
    ListModels,
    ListPulls,
    MeasureRoofline,
    ModelEntry,
    ModelsListed,
    PausePull,
    Pull,
    PullFinished,
    PullModel,
    PullProgress,
    PullsListed,
    ReadHeader,
    RemoveModel,
    RepoInspected,
    RepoQuantization,
    RequestFailed,
    RestoreModel,
    ResumePull,
    RooflineMeasured,
    SearchHub,
    Terminal,
)


class ModelManagerFeed(QObject):
    """Made when the manager is first opened. `failed(Failure)`; `undo_offered(text, callable)`."""

    failed = Signal(object)
    undo_offered = Signal(str, object)

    def __init__(
        self,
        manager: ModelManager,
        client: HostClient,
        models: ModelController,
        preferences: Preferences,
        settings_sync: SettingsSync,
    ) -> None:
        super().__init__(manager)
        self.manager, self._client, self._models, self._preferences = manager, client, models, preferences
        self._entries: tuple[ModelEntry, ...] = ()
        self._pulls: dict[str, Pull] = {}
        self._repo = ""
        self._quantizations: tuple[RepoQuantization, ...] = ()
        self._cursor = ""
        self._estimated: Estimated | None = None
        self._bandwidth: float | None = None
        self._disk_free = 0
        self._catalog: CatalogListed | None = None
        self._wanted = ""
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.quantize = QuantizeFeed(client, manager.theme, manager)
        self.quantize.made.connect(lambda: self._run("models", self._list_models()))
        self._connect()
        client.event_received.connect(self._on_event)
        settings_sync.applied.connect(lambda: self._run("models", self._list_models()))
        models.status_changed.connect(lambda _status: self._run("models", self._list_models()))

    def open(self, page: int = 0) -> None:
        """Show the manager with fresh contents."""
        self.manager.show_page(page)
        self._run("models", self._list_models())
        self._run("pulls", self._list_pulls())
        self._run("machine", self._read_machine())
        if self._catalog is None:
            self._run("search", self._list_catalog())

    def open_repo(self, repo: str) -> None:
        """Show one of the catalogue's repositories."""
        self._wanted = repo
        self.open(FIND)
        if self._catalog is not None:
            self._show_catalog()

    def _connect(self) -> None:
        local, search, downloads = self.manager.local, self.manager.search, self.manager.downloads
        local.load_requested.connect(self._load)
        local.unload_requested.connect(lambda _id: self._models.unload())
        local.remove_requested.connect(lambda model_id: self._run("remove", self._remove(model_id)))
        local.keep_warm_changed.connect(self._keep_warm)
        local.folder_requested.connect(self._choose_folder)
        local.quantize_requested.connect(self._quantize)
        search.search_requested.connect(self._search)
        search.more_requested.connect(self._search_more)
        search.repo_selected.connect(lambda repo: self._run("repo", self._open_repo(repo)))
        search.fit_requested.connect(lambda n_ctx, kv: self._run("fit", self._estimate(n_ctx, kv)))
        search.quantization_chosen.connect(self._on_quantization_chosen)
        for signal, kind in (
            (downloads.pause_requested, PausePull),
            (downloads.resume_requested, ResumePull),
            (downloads.cancel_requested, CancelPull),
        ):
            signal.connect(lambda pull_id, kind=kind: self._tell(lambda i: kind(request_id=i, pull_id=pull_id)))

    # On this computer.

    async def _list_models(self) -> None:
        event = await self._request(lambda i: ListModels(request_id=i))
        if isinstance(event, ModelsListed):
            self._entries = event.models
            self._disk_free = event.disk_free_bytes
            self.manager.local.set_models(event.models, self._preferences.settings.models.keep_warm)
            self._show_counts()
            self._show_rows()
            self._show_machine()

    def _load(self, model_id: str) -> None:
        entry = self._entry(model_id)
        if entry is not None and entry.state == "ready" and entry.kind == "chat":
            self._models.load(model_id, name=entry.name)

    def _quantize(self, model_id: str) -> None:
        if (entry := self._entry(model_id)) is not None:
            self.quantize.open(entry)

    def _entry(self, model_id: str) -> ModelEntry | None:
        return next((entry for entry in self._entries if entry.model_id == model_id), None)

    async def _remove(self, model_id: str) -> None:
        entry = self._entry(model_id)
        event = await self._request(lambda i: RemoveModel(request_id=i, model_id=model_id))
        await self._list_models()
        if entry is not None and not isinstance(event, RequestFailed):
            text = self.tr("{name} was moved to Firstlight's trash.").format(name=entry.name)
            self.undo_offered.emit(text, lambda: self._run("restore", self._restore(model_id)))

    async def _restore(self, model_id: str) -> None:
        await self._request(lambda i: RestoreModel(request_id=i, model_id=model_id))
        await self._list_models()

    def _keep_warm(self, model_id: str, is_kept: bool) -> None:
        kept = [known for known in self._preferences.settings.models.keep_warm if known != model_id]
        self._preferences.change("models", keep_warm=(*kept, model_id) if is_kept else tuple(kept))

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self.manager, self.tr("Add a folder with models"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.add_folder)
        dialog.open()

    def add_folder(self, folder: str) -> None:
        """Look for models in `folder` too, in place."""
        known = self._preferences.settings.models.folders
        if folder not in known:
            self._preferences.change("models", folders=(*known, folder))

    # Find.

    async def _list_catalog(self) -> None:
        event = await self._request(lambda i: ListCatalog(request_id=i))
        if isinstance(event, CatalogListed):
            self._catalog = event
            if not self.manager.search.field.text():
                self._show_catalog()

    def _show_catalog(self) -> None:
        page = self.manager.search
        if self._catalog is None:
            return
        page.field.clear()
        page.set_catalog(self._catalog)
        if wanted := self._wanted:
            self._wanted = ""
            page.results.select(wanted)
            self._run("repo", self._open_repo(wanted))

    def _search(self, text: str) -> None:
        self._cursor = ""
        if text or self._catalog is None:
            self._run("search", self._search_page(text, "") if text else self._list_catalog())
        else:
            self._stop("search")
            self._show_catalog()

    def _search_more(self) -> None:
        task = self._tasks.get("search")
        if self._cursor and (task is None or task.done()):
            self._run("search", self._search_page(self.manager.search.field.text().strip(), self._cursor))

    async def _search_page(self, text: str, cursor: str) -> None:
        page = self.manager.search
        if not cursor:
            page.set_status(self.tr("Searching…"))
        event = await self._request(lambda i: SearchHub(request_id=i, query=text, cursor=cursor), quiet=True)
        if isinstance(event, HubResults):
            self._cursor = event.cursor
            page.set_results(event.models, is_more=bool(cursor))
            page.set_status("" if event.models or cursor else self.tr("Nothing was found."))
        elif isinstance(event, RequestFailed):
            self._cursor = ""
            page.set_status(failure_text(event.failure), is_warning=True)

    async def _open_repo(self, repo: str) -> None:
        page = self.manager.search
        self._repo, self._quantizations, self._estimated = repo, (), None
        page.set_repo(repo)
        event = await self._request(lambda i: InspectRepo(request_id=i, repo=repo), quiet=True)
        if isinstance(event, RequestFailed):
            page.set_failure(failure_text(event.failure))
            return
        if not isinstance(event, RepoInspected):
            return
        self._quantizations = tuple(item for item in event.quantizations if item.kind == "chat")
        if not self._quantizations:
            page.set_failure(self.tr("This repository has no chat model in GGUF."))
            return
        first = self._quantizations[0].files[0]
        header = await self._request(lambda i: ReadHeader(request_id=i, repo=repo, file=first), quiet=True)
        if isinstance(header, HeaderRead):
            page.set_shape(header.shape)
        await self._estimate(page.n_ctx, page.kv_type)

    async def _estimate(self, n_ctx: int, kv: KvType) -> None:
        repo = self._repo
        if not repo or not self._quantizations:
            return
        event = await self._request(
            lambda i: Estimate(request_id=i, repo=repo, n_ctx=n_ctx, type_k=kv, type_v=kv), quiet=True
        )
        if repo != self._repo:
            return
        if isinstance(event, Estimated):
            self._estimated = event
            self._show_rows()
        elif isinstance(event, RequestFailed):
            self.manager.search.set_failure(failure_text(event.failure))

    def _show_rows(self) -> None:
        if self._estimated is None:
            return
        memory = self._estimated.device_total_bytes or self._estimated.device_free_bytes
        by_name = {item.name: item for item in self._quantizations}
        here = {(entry.repo, entry.file) for entry in self._entries if entry.state == "ready"}
        rows = []
        for fit in self._estimated.rows:
            files = by_name[fit.name].files if fit.name in by_name else ()
            pulls = (pull for pull in self._pulls.values() if (pull.repo, pull.files) == (self._repo, files))
            is_here = any((self._repo, file.rsplit("/", 1)[-1]) in here for file in files[:1])
            rows.append(QuantizationItem(fit, memory, next(pulls, None), is_here))
        self.manager.search.set_items(rows, self._estimated.n_ctx_max)

    def _on_quantization_chosen(self, row: int) -> None:
        item = self.manager.search.table.rows.item(row)
        wanted = next((found for found in self._quantizations if found.name == item.fit.name), None)
        if wanted is None or item.is_here:
            return
        if item.pull is not None and item.pull.state in ("paused", "failed"):
            pull_id = item.pull.pull_id
            self._tell(lambda i: ResumePull(request_id=i, pull_id=pull_id))
        elif item.pull is None or item.pull.state in ("cancelled", "finished"):
            spawn(self._pull(self._repo, wanted.files), owner=self, name="pull")
        else:
            self.manager.show_page(DOWNLOADS)

    # Downloads.

    async def _pull(self, repo: str, files: tuple[str, ...]) -> None:
        await self._request(lambda i: PullModel(request_id=i, repo=repo, files=files))

    async def _list_pulls(self) -> None:
        event = await self._request(lambda i: ListPulls(request_id=i))
        if isinstance(event, PullsListed):
            self._pulls = {pull.pull_id: pull for pull in event.pulls}
            self._show_pulls()

    def _on_event(self, event: Event) -> None:
        if isinstance(event, PullProgress | PullFinished):
            self._pulls[event.pull.pull_id] = event.pull
            self._show_pulls()
            if event.pull.state == "finished":
                self._run("models", self._list_models())

    def _show_pulls(self) -> None:
        self.manager.downloads.set_pulls(tuple(reversed(self._pulls.values())))
        self._show_counts()
        self._show_rows()

    def _show_counts(self) -> None:
        running = [pull for pull in self._pulls.values() if pull.state not in ("finished", "cancelled")]
        self.manager.set_counts(len(self._entries), len(running))

    # The machine.

    async def _read_machine(self) -> None:
        event = await self._request(lambda i: MeasureRoofline(request_id=i), quiet=True)
        if isinstance(event, RooflineMeasured):
            self._bandwidth = event.bandwidth
            self._show_machine()

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

    # Asking.

    async def _request(self, make: Callable[[str], Command], *, quiet: bool = False) -> Terminal:
        event = await self._client.request(make(self._client.new_request_id()))
        if isinstance(event, RequestFailed) and not quiet:
            self._tell_failure(event.failure)
        return event

    def _tell(self, make: Callable[[str], Command]) -> None:
        async def ask() -> None:
            await self._request(make)

        spawn(ask(), owner=self, name="model manager")

    def _tell_failure(self, failure: Failure) -> None:
        self.failed.emit(failure)

    def _stop(self, name: str) -> None:
        if (running := self._tasks.get(name)) is not None:
            running.cancel()

    def _run(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Run one piece of work of its kind at a time: a newer one replaces it."""
        self._stop(name)
        self._tasks[name] = spawn(work, owner=self, name=name)
