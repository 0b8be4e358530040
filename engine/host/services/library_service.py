"""The library, the hub and the downloads as commands of the host."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine import gguf
from engine.errors import Code, HubError, ModelError, RequestError
from engine.gguf.chat_check import joined
from engine.host.host import Host
from engine.host.model_resolver import STARTER_ID, resolve
from engine.host.requests import Emit
from engine.library.local_models import Library, total_bytes
from engine.library.orphaned_files import orphaned_parts, size_of, trash_of
from engine.protocol.commands import (
    CancelPull,
    ChangeSettings,
    Command,
    InspectRepo,
    ListModels,
    ListPulls,
    PausePull,
    PullModel,
    ReadHeader,
    RemoveModel,
    RestoreModel,
    ResumePull,
    SaveToken,
    SearchHub,
)
from engine.protocol.events import (
    Event,
    HeaderRead,
    HubResults,
    ModelsListed,
    PullFinished,
    PullProgress,
    PullsListed,
    RepoInspected,
)
from engine.protocol.records import Pull, RepoQuantization
from engine.protocol.settings_values import Models
from engine.protocol.values import EffectiveSettings

if TYPE_CHECKING:
    from engine.library.downloads import Downloads
    from engine.library.hub import Hub

_log = logging.getLogger(__name__)

_ENDS = ("finished", "failed", "cancelled")


class LibraryService:
    """Registers its commands with the host. The hub's client loads slowly, so it is imported when first needed."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._library = self._open_library()
        self._places = _places(host.settings.models)
        self._hub: Hub | None = None
        self._downloads: Downloads | None = None
        self._waiting: dict[str, dict[str, tuple[Emit, asyncio.Future[Pull]]]] = {}
        self._headers: dict[tuple[str, str, str], _RemoteHeader] = {}
        self._repos: dict[str, Sequence[RepoQuantization]] = {}
        host.serve(ListModels, self._list_models)
        host.serve(RemoveModel, self._remove)
        host.serve(RestoreModel, self._restore)
        host.serve(SearchHub, self._search)
        host.serve(InspectRepo, self._inspect)
        host.serve(ReadHeader, self._read_header)
        host.serve(PullModel, self._pull)
        host.serve(PausePull, self._pause)
        host.serve(ResumePull, self._resume)
        host.serve(CancelPull, self._cancel)
        host.serve(ListPulls, self._list_pulls)
        host.serve(SaveToken, self._save_token)
        host.observe(self._on_end)

    @property
    def library(self) -> Library:
        return self._library

    async def start(self) -> None:
        """Take up unfinished downloads of an earlier run."""
        if any((self._library.own_folder / ".downloads").glob("*.json")):
            (await self._queue()).resume_all()

    async def stop(self) -> None:
        if self._downloads is not None:
            await self._downloads.stop()

    async def hub(self) -> Hub:
        """The hub as the settings have it."""
        if self._hub is None:
            self._hub = await asyncio.to_thread(self._open_hub)
        return self._hub

    async def quantizations(self, repo: str) -> Sequence[RepoQuantization]:
        """What a repository offers; asked of the hub once."""
        if repo not in self._repos:
            hub = await self.hub()
            _, _, self._repos[repo] = await asyncio.to_thread(hub.inspect, repo)
        return self._repos[repo]

    async def remote_header(self, repo: str, files: Sequence[str], revision: str = "main") -> gguf.Header:
        """The header of a model on the hub, all its parts as one, read by byte ranges, once."""
        parts = await asyncio.gather(*(self._remote(repo, file, revision) for file in files))
        return joined([part.header for part in parts])

    def path(self, name: str) -> Path:
        """A model's file by its id, name or path. Raises ModelError."""
        return resolve(name, self._host.settings, self._host.folders)

    async def _remote(self, repo: str, file: str, revision: str) -> _RemoteHeader:
        key = (repo, file, revision)
        if key not in self._headers:
            hub = await self.hub()
            self._headers[key] = await asyncio.to_thread(_read_remote, hub, *key)
        return self._headers[key]

    def _open_library(self) -> Library:
        try:
            starter = resolve(STARTER_ID, self._host.settings, self._host.folders)
        except ModelError:
            starter = None
        return Library(self._host.folders, self._host.settings.models, starter=starter)

    def _open_hub(self) -> Hub:
        from engine.library.hub import Hub
        from engine.library.hub_token import read_token

        models = self._host.settings.models
        return Hub(models.hub_endpoint, read_token(), is_offline=models.is_offline, proxy=models.proxy)

    async def _queue(self) -> Downloads:
        hub = await self.hub()
        if self._downloads is None:
            # In a thread, for what it imports takes a while.
            self._downloads = await asyncio.to_thread(self._open_downloads, hub)
        return self._downloads

    def _open_downloads(self, hub: Hub) -> Downloads:
        from engine.library.downloads import Downloads

        return Downloads(self._library.own_folder, hub, self._on_pull, proxy=self._host.settings.models.proxy)

    async def _list_models(self, _command: ListModels, _emit: Emit) -> ModelsListed:
        entries = await asyncio.to_thread(self._library.scan)
        loaded = {str(model.key.path) for model in self._host.pool}
        folder = self._library.own_folder
        while not folder.exists():
            folder = folder.parent
        return ModelsListed(
            models=tuple(msgspec.structs.replace(entry, is_loaded=entry.path in loaded) for entry in entries),
            disk_free_bytes=shutil.disk_usage(folder).free,
            disk_used_bytes=total_bytes(entries),
            trash_bytes=await asyncio.to_thread(size_of, trash_of(self._library.own_folder).rglob("*")),
            watched=await asyncio.to_thread(self._library.watched, entries),
        )

    async def _remove(self, command: RemoveModel, _emit: Emit) -> None:
        loaded = any(str(model.key.path) == command.model_id for model in self._host.pool)
        await asyncio.to_thread(self._library.remove, command.model_id, is_loaded=loaded)

    async def _restore(self, command: RestoreModel, _emit: Emit) -> None:
        await asyncio.to_thread(self._library.restore, command.model_id)

    async def _search(self, command: SearchHub, _emit: Emit) -> HubResults:
        hub = await self.hub()
        models, cursor = await asyncio.to_thread(
            hub.search,
            command.query,
            cursor=command.cursor,
            limit=command.limit,
            sort=command.sort,
            n_params=command.n_params,
            licence=command.licence,
        )
        return HubResults(models=tuple(models), cursor=cursor)

    async def _inspect(self, command: InspectRepo, _emit: Emit) -> RepoInspected:
        hub = await self.hub()
        (model, commit, found), card = await asyncio.gather(
            asyncio.to_thread(hub.inspect, command.repo, command.revision),
            asyncio.to_thread(_card_of, hub, command.repo, command.revision),
        )
        return RepoInspected(model=model, commit=commit, quantizations=tuple(found), card=card)

    async def _read_header(self, command: ReadHeader, _emit: Emit) -> HeaderRead:
        if command.path:
            header = await asyncio.to_thread(gguf.read_file, self.path(command.path))
            return HeaderRead(shape=gguf.shape(header))
        remote = await self._remote(command.repo, command.file, command.revision)
        shape = msgspec.structs.replace(
            gguf.shape(remote.header), n_requests=remote.n_requests, n_fetched_bytes=remote.n_bytes
        )
        return HeaderRead(shape=shape)

    async def _pull(self, command: PullModel, emit: Emit) -> PullFinished:
        """Tell of a download until it ends. It goes on in its queue when nobody waits for it any more."""
        queue = await self._queue()
        pull = queue.add(command.repo, command.files, command.revision)
        ended: asyncio.Future[Pull] = asyncio.get_running_loop().create_future()
        waiting = self._waiting.setdefault(pull.pull_id, {})
        waiting[command.request_id] = (emit, ended)
        emit(PullProgress(pull=pull))
        try:
            return PullFinished(pull=await ended)
        finally:
            del waiting[command.request_id]

    async def _pause(self, command: PausePull, _emit: Emit) -> None:
        await (await self._queue()).pause(command.pull_id)

    async def _resume(self, command: ResumePull, _emit: Emit) -> None:
        (await self._queue()).resume(command.pull_id)

    async def _cancel(self, command: CancelPull, _emit: Emit) -> None:
        await (await self._queue()).cancel(command.pull_id, remove_parts=command.remove_parts)

    async def _list_pulls(self, _command: ListPulls, _emit: Emit) -> PullsListed:
        pulls = self._downloads.pulls if self._downloads is not None else ()
        left = await asyncio.to_thread(orphaned_parts, self._library.own_folder)
        return PullsListed(pulls=pulls, leftover_bytes=size_of(left))

    async def _save_token(self, command: SaveToken, _emit: Emit) -> None:
        from engine.library.hub_token import save_token

        await asyncio.to_thread(save_token, command.token)
        await self._renew()

    def _on_pull(self, pull: Pull) -> None:
        """To those who asked for it; to everybody where it goes on without a request, such as after a restart."""
        waiting = self._waiting.get(pull.pull_id)
        if not waiting:
            self._host.broadcast(PullProgress(pull=pull))
            return
        for emit, ended in waiting.values():
            emit(PullProgress(pull=pull))
            if pull.state in _ENDS and not ended.done():
                ended.set_result(pull)

    def _on_end(self, command: Command, _event: Event, _effective: EffectiveSettings | None) -> None:
        if isinstance(command, ChangeSettings) and (places := _places(command.settings.models)) != self._places:
            self._places, self._library = places, self._open_library()
            self._host.run_in_background(self._renew())

    async def _renew(self) -> None:
        """Another endpoint, token, proxy or folder: transfers go on through the new hub, or rest when it is offline."""
        downloads, self._hub, self._downloads = self._downloads, None, None
        if downloads is not None:
            await downloads.stop()
            if not self._host.settings.models.is_offline:
                (await self._queue()).resume_all()


def _places(models: Models) -> tuple[object, ...]:
    """What of the settings says where models lie and come from; another text size leaves transfers alone."""
    return models.folders, models.download_folder, models.hub_endpoint, models.proxy, models.is_offline


@dataclass(frozen=True, slots=True)
class _RemoteHeader:
    header: gguf.Header
    n_requests: int
    n_bytes: int


def _card_of(hub: Hub, repo: str, revision: str) -> str:
    """A gated repository tells its facts to everybody, and its card only to those who may read its files."""
    try:
        return hub.card(repo, revision)
    except HubError as error:
        _log.info("the card of %s cannot be read: %s", repo, error)
        return ""


def _read_remote(hub: Hub, repo: str, file: str, revision: str) -> _RemoteHeader:
    if not file:
        raise RequestError(Code.BAD_REQUEST, "No file of the repository was named.")
    reader = hub.reader(hub.file(repo, file, revision))
    header = gguf.read_header(reader, name=file)
    return _RemoteHeader(header, reader.n_requests, reader.n_bytes)
