"""The host: takes commands from any front end, finds the worker for each, and sees that each one ends."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import os
import time
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from engine import __version__
from engine.errors import Code, EngineError, Failure, FirstlightError
from engine.host.load_planner import LoadPlanner
from engine.host.pool import Pool, read_ahead
from engine.host.requests import Emit, EmitLine, HostRequest, is_empty
from engine.host.warm_model import WarmModel
from engine.protocol.codec import PROTOCOL_VERSION, check_version
from engine.protocol.commands import (
    Cancel,
    ChangeSettings,
    Command,
    CompareKvTypes,
    CountTokens,
    DropCache,
    Embed,
    Generate,
    Hello,
    LoadModel,
    PlanLoad,
    Prewarm,
    RenderPrompt,
    Shutdown,
    UnloadModel,
)
from engine.protocol.events import Done, Event, ModelUnloaded, Ready, RequestFailed, Terminal
from engine.protocol.values import EffectiveSettings
from engine.settings import Folders, Settings
from engine.translatable import phrase, sentence

Observer = Callable[[Command, Terminal, EffectiveSettings | None], None]
"""Told of each command that ended, with the model it ran on."""
_C = TypeVar("_C", bound=Command)
Service = Callable[[_C, Emit], Awaitable[Terminal | None]]
"""Carries out one kind of command that needs no model, and may emit progress on the way. Raises FirstlightError.

The host puts the request's id into what it emits and returns; nothing returned means Done.
"""

_log = logging.getLogger(__name__)
EMPTY_PROMPT = Failure(
    code=Code.PROMPT_EMPTY,
    message=phrase("There is nothing to answer: the prompt is empty."),
    advice=phrase("Write something."),
)


class Host:
    """Owns the workers and the requests. All methods belong to one event loop.

    `is_windowed` keeps one core free for the window on machines that compute on the CPU.
    """

    def __init__(self, settings: Settings, folders: Folders, *, is_windowed: bool = False) -> None:
        self.settings = settings
        self.folders = folders
        self.shutdown_asked = asyncio.Event()
        self.pool = Pool(settings.performance, self.broadcast)
        self._planner = LoadPlanner(folders, self.pool, is_windowed=is_windowed)
        self._requests: dict[str, HostRequest] = {}
        self._models: dict[str, WarmModel] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._subscribers: list[Emit] = []
        self._observers: list[Observer] = []
        self._services: dict[type[Command], Service[Any]] = {
            ChangeSettings: self._change_settings, DropCache: self._drop_cache, PlanLoad: self._plan_load,
        }  # fmt: skip
        self._background: set[asyncio.Task[None]] = set()
        self._is_stopping = False

    # For front ends

    async def start(self, *, preload: bool = False) -> None:
        """Be ready for commands; with `preload` the last model and those kept warm load in the background."""
        if preload:
            self.run_in_background(self._preload())

    def subscribe(self, emit: Emit) -> None:
        """Receive the events that belong to no request."""
        self._subscribers.append(emit)

    def observe(self, observer: Observer) -> None:
        """Be told of each command that ends."""
        self._observers.append(observer)

    def serve(self, kind: type[_C], service: Service[_C]) -> None:
        """Have `service` carry out this kind of command."""
        self._services[kind] = service

    def broadcast(self, event: Event) -> None:
        """Send an event that belongs to no request to every subscriber."""
        for emit in self._subscribers:
            emit(event)

    def run_in_background(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Run what belongs to no request; it ends with the host."""
        task = asyncio.create_task(coroutine)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def handle(self, command: Command, emit: Emit, emit_line: EmitLine | None = None, *, accepted: float = 0.0) -> None:
        """Take a command and return at once; exactly one terminal event follows, in this loop.

        `emit_line`, where given, gets a worker's events as undecoded lines instead of `emit`. `accepted` is when the
        command reached this process, by time.monotonic(); 0 for just now.
        """
        if isinstance(command, Cancel):
            self.cancel(command.target_id)
            return
        if command.request_id in self._requests:
            message = sentence("The request_id {request_id} is in use.", request_id=command.request_id)
            emit(RequestFailed(failure=Failure(code=Code.BAD_REQUEST, message=message, advice="Choose a new one.")))
            return
        request = HostRequest(command, emit, emit_line, self._on_end, accepted=accepted)
        self._requests[command.request_id] = request
        if self._is_stopping:
            request.end_cancelled()
        else:
            self._dispatch(request)

    def cancel(self, request_id: str) -> None:
        """Cancel a request in whatever state it is; nothing happens when it has ended."""
        request = self._requests.get(request_id)
        if request is None:
            return
        task = self._tasks.get(request_id)
        if task is not None and task.cancel():
            return
        # A task that has just done its part has handed the request over.
        if (model := self._models.get(request_id)) is not None:
            model.cancel(request)

    async def stop(self) -> None:
        """End every request and every worker."""
        self._is_stopping = True
        tasks = [*self._background, *self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.pool.stop()
        for request in tuple(self._requests.values()):
            request.end_cancelled()

    # Inside

    def _dispatch(self, request: HostRequest) -> None:
        command = request.command
        match command:
            case Hello():
                self._greet(request, command)
            case Shutdown():
                request.send(Done(request_id=request.request_id))
                self.shutdown_asked.set()
            case Generate() if is_empty(command):
                request.fail(EMPTY_PROMPT)
            case Generate() | Prewarm() | CountTokens() | RenderPrompt() | Embed() | CompareKvTypes():
                model = self._warm(command)
                if model is not None:
                    self._give(request, model)
                elif isinstance(command, CountTokens):
                    # Counting happens at every pause in typing: it never loads a model of its own accord.
                    request.fail(_not_loaded(command.model_id))
                else:
                    self._run(request, self._load_and_give)
            case LoadModel():
                self._run(request, self._load_and_give)
            case UnloadModel():
                self._unload(request, command)
            case _ if type(command) in self._services:
                self._run(request, self._serve)
            case _:
                name = type(command).__name__
                request.fail(
                    Failure(
                        code=Code.BAD_REQUEST, message=sentence("The host does not know the command {name}.", name=name)
                    )
                )

    def _greet(self, request: HostRequest, command: Hello) -> None:
        try:
            check_version(command.protocol_version)
        except FirstlightError as error:
            request.fail(error.failure)
            return
        request.send(host_ready(request.request_id))
        request.send(Done(request_id=request.request_id))

    def _warm(
        self, command: Generate | Prewarm | CountTokens | RenderPrompt | Embed | CompareKvTypes
    ) -> WarmModel | None:
        """The model for a command, when it is loaded or on its way and can do this."""
        model = self.pool.named(command.model_id) if command.model_id else self.pool.current
        if model is not None and isinstance(command, Embed) != model.key.asked.embeddings:
            return None
        return model

    async def _load_and_give(self, request: HostRequest) -> None:
        command = request.command
        model_id = getattr(command, "model_id", "") or self._default_model()
        asked = command.settings if isinstance(command, LoadModel) else None
        started = time.monotonic()
        plan = await self._planner.plan(model_id, self.settings, asked=asked, is_embedding=isinstance(command, Embed))
        request.load_wait += time.monotonic() - started
        if not request.is_open:
            return
        model = self.pool.get(plan)
        if isinstance(command, LoadModel):
            model.is_pinned = command.keep_warm or model_id in self.settings.models.keep_warm
            self._models[request.request_id] = model
            model.join_load(request)
        else:
            self._give(request, model)

    def _give(self, request: HostRequest, model: WarmModel) -> None:
        self.pool.current = model
        self._models[request.request_id] = model
        model.submit(request)

    def _default_model(self) -> str:
        return self.pool.current.model_id if self.pool.current is not None else self.settings.models.last_model

    def _unload(self, request: HostRequest, command: UnloadModel) -> None:
        model = self.pool.named(command.model_id)
        if model is None:
            request.send(ModelUnloaded(request_id=request.request_id, model_id=command.model_id))
            return
        self._models[request.request_id] = model
        model.is_pinned = False
        model.join_unload(request)
        self.pool.retire(model)

    async def _drop_cache(self, command: DropCache, _emit: Emit) -> None:
        """Every warm model forgets the chat, and the snapshots on disk go too."""
        models = [m for m in self.pool if m.is_warm and command.model_id in ("", m.model_id)]
        await asyncio.gather(*(self._ask(model, command) for model in models))
        if not command.model_id:
            await asyncio.to_thread(delete_snapshots, self.folders.snapshots, command.chat_id)

    async def _ask(self, model: WarmModel, command: Command) -> Terminal:
        """Have a worker carry out a command of the host's own; raises FirstlightError when it fails."""
        answer: asyncio.Future[Terminal] = asyncio.get_running_loop().create_future()
        asked = msgspec.structs.replace(command, request_id=uuid.uuid4().hex)

        def ended(_request: HostRequest, event: Terminal) -> None:
            if not answer.done():
                answer.set_result(event)

        model.submit(HostRequest(asked, lambda _: None, None, ended))
        event = await answer
        if isinstance(event, RequestFailed):
            raise EngineError.of(event.failure)
        return event

    async def _serve(self, request: HostRequest) -> None:
        def emit(event: Event) -> None:
            request.send(msgspec.structs.replace(event, request_id=request.request_id))

        emit(await self._services[type(request.command)](request.command, emit) or Done())

    async def _change_settings(self, command: ChangeSettings, _emit: Emit) -> None:
        self.settings = command.settings
        self.pool.limits = self.settings.performance
        for model in self.pool:
            model.is_pinned = model.is_pinned or model.model_id in self.settings.models.keep_warm
        self.pool.review()

    async def _plan_load(self, command: PlanLoad, _emit: Emit) -> Terminal:
        return await self._planner.preview(command, self.settings)

    async def _preload(self) -> None:
        """Load what will likely be used; one that cannot be loaded is told when somebody asks for it."""
        last = self.settings.models.last_model
        for model_id in dict.fromkeys((*self.settings.models.keep_warm, last) if last else ()):
            try:
                plan = await self._planner.plan(model_id, self.settings)
            except FirstlightError as error:
                _log.warning("%s is not loaded ahead of time: %s", model_id, error)
                continue
            await asyncio.to_thread(read_ahead, plan.key.path)
            model = self.pool.get(plan)
            model.is_pinned = model.is_pinned or model_id in self.settings.models.keep_warm

    def _run(self, request: HostRequest, handler: Callable[[HostRequest], Awaitable[None]]) -> None:
        task = asyncio.create_task(self._guarded(request, handler))
        self._tasks[request.request_id] = task
        task.add_done_callback(lambda task: self._on_task_done(request, task))

    async def _guarded(self, request: HostRequest, handler: Callable[[HostRequest], Awaitable[None]]) -> None:
        try:
            await handler(request)
        except FirstlightError as error:
            request.fail(error.failure)
        except Exception as error:  # noqa: BLE001  # a fault in one command must still end it, and no other
            _log.exception("%s failed", type(request.command).__name__)
            message = sentence("Something unexpected went wrong in Firstlight's engine: {error}.", error=error)
            request.fail(Failure(code=Code.INTERNAL, message=message, advice="The log has the details."))

    def _on_task_done(self, request: HostRequest, task: asyncio.Task[None]) -> None:
        del self._tasks[request.request_id]
        if task.cancelled():
            request.end_cancelled()

    def _on_end(self, request: HostRequest, event: Terminal) -> None:
        self._requests.pop(request.request_id, None)
        model = self._models.pop(request.request_id, None)
        for observer in self._observers:
            observer(request.command, event, model.effective if model is not None else None)


def host_ready(request_id: str = "") -> Ready:
    """The host's greeting."""
    return Ready(
        request_id=request_id,
        protocol_version=PROTOCOL_VERSION,
        process="host",
        pid=os.getpid(),
        versions={"firstlight": __version__},
    )


def _not_loaded(model_id: str) -> Failure:
    return Failure(
        code=Code.MODEL_NOT_LOADED,
        message=sentence("{model_id} is not loaded.", model_id=model_id) if model_id else "No model is loaded.",
        advice="Load a model first.",
    )


def chat_prefix(chat_id: str) -> str:
    """What the names of a chat's snapshots begin with; a worker names them so."""
    return hashlib.sha256(chat_id.encode()).hexdigest()[:16] + "-"


def delete_snapshots(folder: Path, chat_id: str = "") -> int:
    """Delete a chat's KV snapshots of every model, or all of them; returns how many. Needs no worker."""
    pattern = f"*/{chat_prefix(chat_id)}*.kv" if chat_id else "*/*.kv"
    count = 0
    for path in folder.glob(pattern):
        # One that a worker deletes at the same moment is gone as well.
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
            count += 1
    return count
