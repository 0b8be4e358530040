"""Runs the manager's Find page: the catalogue, searches, a repository's facts, and its table of quantizations."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from app.core.engine_texts import failure_text
from app.core.host_client import HostClient
from app.core.request_runner import RequestRunner
from app.core.settings_store import SettingsStore
from app.models.downloads_model import DownloadsModel
from app.models.find_page import FindPage
from app.models.quantization_table import QuantizationItem
from engine.protocol import (
    CatalogListed,
    Estimate,
    Estimated,
    GenerationFinished,
    HeaderRead,
    HubResults,
    InspectRepo,
    KvType,
    ListCatalog,
    ModelEntry,
    PullModel,
    ReadHeader,
    RepoInspected,
    RepoQuantization,
    RequestFailed,
    ResumePull,
    SearchHub,
)

PUBLIC_HUB = "https://huggingface.co"


class HubSearchController(RequestRunner):
    """`downloads_requested()` when a download that goes on was chosen."""

    downloads_requested = Signal()

    def __init__(
        self,
        page: FindPage,
        client: HostClient,
        settings_store: SettingsStore,
        downloads: DownloadsModel,
        parent: QObject,
    ) -> None:
        super().__init__(client, parent)
        self._page, self._settings_store, self._downloads = page, settings_store, downloads
        self._entries: Sequence[ModelEntry] = ()
        self._repo = ""
        self._quantizations: tuple[RepoQuantization, ...] = ()
        self._cursor = ""
        self._estimated: Estimated | None = None
        self._catalog: CatalogListed | None = None
        self._wanted = ""
        client.subscribe(GenerationFinished, self._on_generation_finished)
        page.search_requested.connect(self._search)
        page.more_requested.connect(self._search_more)
        page.repo_selected.connect(lambda repo: self.run("repo", self._open_repo(repo)))
        page.fit_requested.connect(lambda n_ctx, kv: self.run("fit", self._estimate(n_ctx, kv)))
        page.quantization_chosen.connect(self._on_quantization_chosen)
        page.web_requested.connect(self._open_on_hub)

    def open(self) -> None:
        """Bring what is worth starting with, the first time."""
        if self._catalog is None:
            self.run("search", self._list_catalog())

    def open_repo(self, repo: str) -> None:
        """Show one of the catalogue's repositories."""
        self._wanted = repo
        if self._catalog is not None:
            self._show_catalog()

    def refresh_catalog(self) -> None:
        """The machine has been measured: another model may be recommended."""
        self.run("catalog", self._list_catalog())

    def set_library(self, entries: Sequence[ModelEntry]) -> None:
        """What is on this computer already."""
        self._entries = entries
        self._show_rows()

    def _on_generation_finished(self, _event: GenerationFinished) -> None:
        """After an answer, speeds may have been measured."""
        if self._estimated is not None and self._page.isVisible():
            self.run("fit", self._estimate(self._page.n_ctx, self._page.kv_type))

    async def _list_catalog(self) -> None:
        event = await self.request(ListCatalog())
        if isinstance(event, CatalogListed):
            self._catalog = event
            if not self._page.field.text() and not self._page.filters.is_set:
                self._show_catalog()

    def _show_catalog(self) -> None:
        page = self._page
        if self._catalog is None:
            return
        page.field.clear()
        page.filters.reset()
        page.set_catalog(self._catalog)
        if wanted := self._wanted:
            self._wanted = ""
            page.results.select(wanted)
            self.run("repo", self._open_repo(wanted))

    def _search(self, text: str) -> None:
        self._cursor = ""
        if text or self._page.filters.is_set or self._catalog is None:
            is_search = text or self._page.filters.is_set
            self.run("search", self._search_page(text, "") if is_search else self._list_catalog())
        else:
            self.stop("search")
            self._show_catalog()

    def _search_more(self) -> None:
        if self._cursor and not self.is_running("search"):
            self.run("search", self._search_page(self._page.field.text().strip(), self._cursor))

    async def _search_page(self, text: str, cursor: str) -> None:
        page, wanted = self._page, self._page.filters
        if not cursor:
            page.set_status(self.tr("Searching…"))
        command = SearchHub(
            query=text, cursor=cursor, sort=wanted.order, n_params=wanted.n_params, licence=wanted.licence
        )
        event = await self.request(command, quiet=True)
        if isinstance(event, HubResults):
            self._cursor = event.cursor
            page.set_results(event.models, is_more=bool(cursor))
            if event.models or cursor:
                page.set_status("")
            else:
                page.set_nothing_found()
        elif isinstance(event, RequestFailed):
            self._cursor = ""
            if cursor:
                page.set_status(failure_text(event.failure), is_warning=True)
            else:
                page.set_results(())  # What stood there answered another question.
                page.set_search_failure(failure_text(event.failure))

    async def _open_repo(self, repo: str) -> None:
        page = self._page
        self._repo, self._quantizations, self._estimated = repo, (), None
        page.set_repo(repo)
        event = await self.request(InspectRepo(repo=repo), quiet=True)
        if isinstance(event, RequestFailed):
            page.set_failure(failure_text(event.failure), is_passing=True)
            return
        if not isinstance(event, RepoInspected):
            return
        page.set_card(event.model, event.card)
        self._quantizations = tuple(item for item in event.quantizations if item.kind == "chat")
        if not self._quantizations:
            page.set_failure(self.tr("This repository has no chat model in GGUF."))
            return
        first = self._quantizations[0].files[0]
        header = await self.request(ReadHeader(repo=repo, file=first), quiet=True)
        if isinstance(header, HeaderRead):
            page.set_shape(header.shape)
        await self._estimate(page.n_ctx, page.kv_type)

    async def _estimate(self, n_ctx: int, kv: KvType) -> None:
        repo = self._repo
        if not repo or not self._quantizations:
            return
        event = await self.request(Estimate(repo=repo, n_ctx=n_ctx, type_k=kv, type_v=kv), quiet=True)
        if repo != self._repo:
            return
        if isinstance(event, Estimated):
            self._estimated = event
            self._show_rows()
        elif isinstance(event, RequestFailed):
            self._page.set_failure(failure_text(event.failure), is_passing=True)

    def _show_rows(self) -> None:
        if self._estimated is None:
            return
        memory = self._estimated.device_total_bytes or self._estimated.device_free_bytes
        files = {item.name: item.files for item in self._quantizations}
        here = {(entry.repo, entry.file) for entry in self._entries if entry.state == "ready"}
        rows = []
        for fit in self._estimated.rows:
            wanted = files.get(fit.name, ())
            is_here = any((self._repo, file.rsplit("/", 1)[-1]) in here for file in wanted[:1])
            rows.append(QuantizationItem(fit, memory, self._repo, wanted, is_here))
        self._page.set_items(rows, self._estimated.n_ctx_max)

    def _on_quantization_chosen(self, row: int) -> None:
        item = self._page.table.rows.item(row)
        if item.is_here or not item.files:
            return
        pull = self._downloads.pull_of(item.repo, item.files)
        if pull is None or pull.state in ("cancelled", "finished"):
            self.tell(PullModel(repo=item.repo, files=item.files))
        elif pull.state in ("paused", "failed"):
            self.tell(ResumePull(pull_id=pull.pull_id))
        else:
            self.downloads_requested.emit()

    def _open_on_hub(self) -> None:
        hub = self._settings_store.settings.models.hub_endpoint or PUBLIC_HUB
        QDesktopServices.openUrl(QUrl(f"{hub.rstrip('/')}/{self._repo}"))
