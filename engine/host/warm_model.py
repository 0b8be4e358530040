"""One model in one worker: loading, its queue, its open requests, and what happens when the worker dies."""

from __future__ import annotations

import asyncio
import enum
import logging
import time
from collections.abc import Callable

import msgspec

from engine.errors import Code, Failure
from engine.host.crash_policy import crash_failure, may_restart
from engine.host.load_plan import LoadPlan, ModelKey
from engine.host.requests import HostRequest, RequestQueue
from engine.host.worker_link import WorkerLink
from engine.host.worker_process import WorkerExit
from engine.protocol.codec import Stamp, decode_event
from engine.protocol.commands import Cancel, Command, Generate
from engine.protocol.events import (
    Event,
    GenerationFinished,
    LoadProgress,
    ModelLoaded,
    ModelUnloaded,
    Queued,
    Terminal,
    WorkerCrashed,
)
from engine.protocol.values import EffectiveSettings, MemoryUse
from engine.translatable import Translatable, sentence

CANCEL_GRACE = 10.0
"""Seconds after which a worker that has not ended a cancelled request is taken for stuck."""

_log = logging.getLogger(__name__)

# Events that change nothing in the host: their lines are passed on as they came.
_STREAMED = frozenset({"TokenDelta", "PrefillProgress", "MetricsUpdate", "GenerationStarted", "Queued"})


class LoadState(enum.StrEnum):
    WAITING = "waiting"
    """For memory that another model still holds."""
    LOADING = "loading"
    WARM = "warm"
    STOPPING = "stopping"
    ENDED = "ended"


class WarmModel:
    """A worker and everything that is asked of it.

    `on_change` is called whenever its state or its requests change; `broadcast` takes the events of no request.
    """

    def __init__(self, plan: LoadPlan, *, on_change: Callable[[], None], broadcast: Callable[[Event], None]) -> None:
        self.plan = plan
        self.state = LoadState.WAITING
        self.loaded: ModelLoaded | None = None
        self.is_pinned = False
        self.last_used = time.monotonic()
        self._on_change = on_change
        self._broadcast = broadcast
        self._link: WorkerLink | None = None
        self._queue = RequestQueue()
        self._open: dict[str, HostRequest] = {}
        self._loads: list[HostRequest] = []
        self._unloads: list[HostRequest] = []
        self._load_started = 0.0
        self._n_deaths = 0
        self._unload_reason: Translatable = ""

    @property
    def key(self) -> ModelKey:
        return self.plan.key

    @property
    def model_id(self) -> str:
        return self.plan.model_id

    @property
    def effective(self) -> EffectiveSettings | None:
        return self.loaded.effective if self.loaded is not None else None

    @property
    def memory(self) -> tuple[MemoryUse, ...]:
        """What it holds on each device, or is expected to hold; empty where that is not known."""
        return (self.effective.memory if self.effective is not None else ()) or self.plan.estimate

    @property
    def size_bytes(self) -> int:
        """What it holds, or is expected to hold, over all devices."""
        return sum(use.total_bytes for use in self.memory) or self.plan.estimated_bytes

    @property
    def host_bytes(self) -> int:
        """The part in main memory: what is not on the devices that it was fitted to."""
        return self.size_bytes - sum(map(self.bytes_on, self.plan.room))

    def bytes_on(self, device: str) -> int:
        """What it takes there."""
        return sum(use.total_bytes for use in self.memory if use.device == device)

    @property
    def is_warm(self) -> bool:
        return self.state is LoadState.WARM

    @property
    def is_idle(self) -> bool:
        """Warm, and nobody waits for anything from it."""
        return self.state is LoadState.WARM and not self._open and not self._queue

    @property
    def n_running(self) -> int:
        return len(self._open)

    @property
    def n_waiting(self) -> int:
        return len(self._queue)

    @property
    def pid(self) -> int:
        return self._link.pid if self._link is not None else 0

    # Work

    def submit(self, request: HostRequest) -> None:
        """Take a request that needs the model; it is sent at once or waits in the queue."""
        self.last_used = time.monotonic()
        n_ahead = self._queue.push(request)
        self._pump()
        if request.request_id not in self._open:
            request.send(Queued(request_id=request.request_id, n_ahead=n_ahead, reason=self._why_queued()))

    def _why_queued(self) -> str:
        if self.state is LoadState.WARM:
            return "busy"
        return "memory" if self.state is LoadState.WAITING else "loading"

    def join_load(self, request: HostRequest) -> None:
        """Take a LoadModel request: answered at once when warm, else with the load in progress."""
        self.last_used = time.monotonic()
        if self.state is LoadState.WARM and self.loaded is not None:
            request.send(msgspec.structs.replace(self.loaded, request_id=request.request_id, load_time=0.0))
        else:
            self._loads.append(request)

    def join_unload(self, request: HostRequest) -> None:
        """Take an UnloadModel request, answered when the process has ended. A load on its way is given up with it."""
        self._unloads.append(request)
        if self.state in (LoadState.WAITING, LoadState.LOADING):
            self.abort("unloaded")

    def cancel(self, request: HostRequest) -> bool:
        """Cancel one of its requests; False when it is none of them."""
        if self._queue.remove(request):
            request.end_cancelled()
        elif request.request_id in self._open:
            self._cancel_open(request)
        elif request in self._loads:
            self._loads.remove(request)
            request.end_cancelled()
            if not self._loads and not self._queue and self.state in (LoadState.WAITING, LoadState.LOADING):
                self.abort("cancelled")
        elif request in self._unloads:
            self._unloads.remove(request)
            request.end_cancelled()
        else:
            return False
        self._on_change()
        return True

    def _cancel_open(self, request: HostRequest) -> None:
        if request.cancel_timer is not None or self._link is None:
            return
        self._link.send(Cancel(request_id="", target_id=request.request_id))
        request.cancel_timer = asyncio.get_running_loop().call_later(
            CANCEL_GRACE,
            self._link.kill,
            sentence("did not stop a cancelled request within {seconds:g} s", seconds=CANCEL_GRACE),
        )

    def _pump(self) -> None:
        """Send what may be sent. What stays in the host's queue outlives a crash of the worker."""
        if self.state is not LoadState.WARM or self._link is None:
            return
        for request in self._queue:
            if self._has_room_for(request):
                self._queue.remove(request)
                self._open[request.request_id] = request
                self._link.send(self._stamped(request))

    def _has_room_for(self, request: HostRequest) -> bool:
        """Room in the worker, which itself makes a lower priority yield to a higher one."""
        if not isinstance(request.command, Generate):
            return True
        ranks = [other.rank for other in self._open.values() if isinstance(other.command, Generate)]
        n_parallel = self.effective.n_parallel if self.effective is not None else 1
        return len(ranks) < n_parallel or request.rank < max(ranks)

    def _stamped(self, request: HostRequest) -> Command:
        """The command for the worker, with its moment, how long it waited for loading, and what the machine can do."""
        if not isinstance(request.command, Generate):
            return request.command
        return msgspec.structs.replace(
            request.command,
            accepted=request.accepted,
            load_time=request.waiting_metrics().load_time,
            weight_bytes=self.plan.weight_bytes,
            bandwidth=self.plan.bandwidth(self.effective) if self.effective is not None else 0.0,
            prefill_limit=self.plan.prefill_limit(self.effective) if self.effective is not None else 0.0,
        )

    # Loading and ending

    def start(self) -> None:
        """Begin to load; the memory for it is free."""
        self.state = LoadState.LOADING
        self._load_started = time.monotonic()
        self._link = WorkerLink(self.plan, self)

    def abort(self, reason: str) -> None:
        """End the worker at once, in the middle of whatever it does."""
        self._unload_reason = reason
        if self._link is None:
            self._end()
        else:
            self.state = LoadState.STOPPING
            self._link.kill()

    async def stop(self, reason: str = "") -> None:
        """End the worker in order; requests that are still open end as cancelled."""
        if self.state is LoadState.ENDED:
            return
        self._unload_reason = reason
        self.state = LoadState.STOPPING
        for request in self._take_requests():
            request.end_cancelled()
        if self._link is not None:
            await self._link.stop()
        self._end()

    # What the link reports

    def load_progressed(self, event: LoadProgress) -> None:
        for request in (*self._loads, *self._queue):
            request.send(msgspec.structs.replace(event, request_id=request.request_id, model_id=self.model_id))
        if not self._loads:
            self._broadcast(msgspec.structs.replace(event, request_id="", model_id=self.model_id))

    def model_loaded(self, event: ModelLoaded) -> None:
        if self.state is not LoadState.LOADING:
            return
        now = time.monotonic()
        self.state = LoadState.WARM
        self.loaded = msgspec.structs.replace(
            event,
            request_id="",
            model_id=self.model_id,
            load_time=now - self._load_started,
            requested=self.key.asked,
            effective=self._with_plan(event.effective),
        )
        self._log_memory(self.loaded.effective)
        for request in self._queue:
            request.load_wait += now - max(request.accepted, self._load_started)
        loads, self._loads = self._loads, []
        for request in loads:
            request.send(msgspec.structs.replace(self.loaded, request_id=request.request_id))
        if not loads:
            self._broadcast(self.loaded)
        self._pump()
        self._on_change()

    def _with_plan(self, effective: EffectiveSettings) -> EffectiveSettings:
        """With what was chosen before the load, and what was expected of it beside what it took."""
        expected = {use.device: use.total_bytes for use in self.plan.estimate}
        memory = tuple(
            msgspec.structs.replace(use, estimated_bytes=use.estimated_bytes or expected.get(use.device, 0))
            for use in effective.memory
        )
        notices = (*self.plan.notices, *effective.notices)
        return msgspec.structs.replace(effective, memory=memory, notices=notices)

    def _log_memory(self, effective: EffectiveSettings) -> None:
        """What was expected on each device beside what llama.cpp allocated there."""
        for use in effective.memory:
            if use.estimated_bytes and use.total_bytes:
                error = use.estimated_bytes / use.total_bytes - 1
                _log.info(
                    "%s on %s: %.1f MB expected, %.1f MB allocated (%+.1f %%)",
                    self.plan.key.path.name, use.device, use.estimated_bytes / 1e6, use.total_bytes / 1e6,
                    error * 100,
                )  # fmt: skip

    def load_failed(self, failure: Failure) -> None:
        """Everything that waits for the model ends with the reason; its worker is on its way out."""
        self.state = LoadState.STOPPING
        self._unload_reason = failure.message
        self._fail_all(self._take_requests(), failure)

    def line_received(self, stamp: Stamp, line: bytes) -> None:
        request = self._open.get(stamp.request_id)
        if request is None:
            return
        if stamp.type in _STREAMED:
            request.forward(line)
            return
        event = decode_event(line)
        if isinstance(event, Terminal):
            self._end_request(request, event)
        else:
            request.send(event)

    def worker_exited(self, outcome: WorkerExit) -> None:
        if self.state in (LoadState.STOPPING, LoadState.ENDED):
            self._end()
            return
        was_loading = self.state is LoadState.LOADING
        self._n_deaths += 1
        failure = crash_failure(outcome, self.model_id, was_loading=was_loading, n_deaths=self._n_deaths)
        is_restarting = may_restart(self._n_deaths) and failure.code is Code.ENGINE_CRASHED
        self._broadcast(WorkerCrashed(model_id=self.model_id, failure=failure, is_restarting=is_restarting))
        if not is_restarting:
            self.load_failed(failure)
            self._end()
            return
        # Requests that the worker never saw stay in the queue for the next one.
        dead = [*self._open.values(), *self._loads]
        self._open, self._loads, self.loaded = {}, [], None
        self.start()
        self._fail_all(dead, failure)
        self._on_change()

    def _end_request(self, request: HostRequest, event: Terminal) -> None:
        del self._open[request.request_id]
        if isinstance(event, GenerationFinished):
            self._n_deaths = 0
            effective = self._with_plan(event.effective) if event.effective is not None else self.effective
            event = msgspec.structs.replace(event, effective=effective)
        self.last_used = time.monotonic()
        self._pump()
        request.send(event)
        self._on_change()

    def _fail_all(self, requests: list[HostRequest], failure: Failure) -> None:
        for request in requests:
            if request.cancel_timer is not None:
                request.end_cancelled()
            else:
                request.fail(failure)

    def _take_requests(self) -> list[HostRequest]:
        taken = [*self._open.values(), *self._loads, *self._queue.take_all()]
        self._open, self._loads = {}, []
        return taken

    def _end(self) -> None:
        if self.state is LoadState.ENDED:
            return
        self.state = LoadState.ENDED
        for request in self._take_requests():
            request.end_cancelled()
        unloads, self._unloads = self._unloads, []
        event = ModelUnloaded(model_id=self.model_id, reason=self._unload_reason)
        for request in unloads:
            request.send(msgspec.structs.replace(event, request_id=request.request_id))
        if not unloads:
            self._broadcast(event)
        self._on_change()
