"""The warm pool: several models kept loaded within a memory budget, so that switching between them costs nothing."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from engine.host.load_plan import LoadPlan, ModelKey
from engine.host.warm_model import LoadState, WarmModel
from engine.protocol.events import Event
from engine.settings import Performance

READ_AHEAD_CHUNK_BYTES = 64 << 20


class Pool:
    """Decides which models are warm. Pinned ones stay, others leave least recently used; a running answer is never cut.

    A load that does not fit beside the others waits until one that may leave falls idle. One that does not fit
    because only pinned models are in the way, or none at all, is tried: the worker steps down by itself.
    """

    def __init__(self, limits: Performance, broadcast: Callable[[Event], None]) -> None:
        self.current: WarmModel | None = None
        """The model that was asked for last."""
        self._broadcast = broadcast
        self._free_at_start = psutil.virtual_memory().available
        self._models: dict[ModelKey, WarmModel] = {}
        self._leaving: set[WarmModel] = set()
        self._stops: set[asyncio.Task[None]] = set()
        self._review_handle: asyncio.Handle | None = None
        self._idle_timer: asyncio.TimerHandle | None = None
        self._is_stopping = False
        self.limits = limits

    def __iter__(self) -> Iterator[WarmModel]:
        models = (*self._models.values(), *self._leaving)
        return iter([model for model in models if model.state is not LoadState.ENDED])

    @property
    def budget_bytes(self) -> int:
        """Over all devices, as the settings have it; else half of the main memory that was free at the start."""
        return self.limits.warm_memory_bytes or self._free_at_start // 2

    def find(self, key: ModelKey) -> WarmModel | None:
        """The model that is warm, loading or about to load with exactly this key."""
        model = self._models.get(key)
        return model if model is not None and model.state not in (LoadState.STOPPING, LoadState.ENDED) else None

    def named(self, model_id: str) -> WarmModel | None:
        """The model that was last used under this name, or whose file it is."""
        found = [m for m in self._models.values() if model_id in (m.model_id, str(m.key.path)) and self.find(m.key)]
        return max(found, key=lambda model: model.last_used, default=None)

    def leaving_for(self, path: Path) -> dict[str, int]:
        """Bytes on each device that are free again once those models have left that leave for a load of `path`.

        Pinned ones stay, unless they are the same file. Mapped weights in main memory count as free already. May be
        called from any thread.
        """
        freed: dict[str, int] = {}
        for model in self:
            if model.state is not LoadState.WAITING and (not model.is_pinned or model.key.path == path):
                for use in model.memory:
                    size = use.kv_bytes + use.compute_bytes if use.device == "CPU" else use.total_bytes
                    freed[use.device] = freed.get(use.device, 0) + size
        return freed

    def get(self, plan: LoadPlan) -> WarmModel:
        """The model of this plan, which is loaded once however often it is asked for.

        The same file with other settings takes the place of the one that is loaded, once that has answered.
        """
        key = plan.key
        model = self.find(key)
        if model is None:
            if (ending := self._models.get(key)) is not None:
                self._leaving.add(ending)
            for other in tuple(self._models.values()):
                if other.key.path == key.path and other.key.asked.embeddings == key.asked.embeddings:
                    self.retire(other)
            model = WarmModel(plan, on_change=self._changed, broadcast=self._broadcast)
            self._models[key] = model
            self.review()
        self.current = model
        return model

    def retire(self, model: WarmModel) -> None:
        """It takes no more requests, and leaves as soon as those it has are answered."""
        if self._models.get(model.key) is model:
            del self._models[model.key]
        if self.current is model:
            self.current = None
        model.is_pinned = False
        self._leaving.add(model)
        self._changed()

    def review(self) -> None:
        """Let those go that should, and start the loads that fit now."""
        self._forget_ended()
        if self._is_stopping:
            return
        for model in tuple(self._leaving):
            if model.is_idle or model.state is LoadState.WAITING:
                self._stop(model, "replaced or unloaded")
        self._unload_idle()
        for model in tuple(self._models.values()):
            if model.state is LoadState.WAITING and self._make_room(model):
                model.start()
        self._trim()

    async def stop(self) -> None:
        """End all workers; requests that are still open end as cancelled."""
        self._is_stopping = True
        for handle in (self._review_handle, self._idle_timer):
            if handle is not None:
                handle.cancel()
        await asyncio.gather(*self._stops, *(model.stop("Firstlight ends") for model in self))

    def _changed(self) -> None:
        if self._review_handle is None and not self._is_stopping:
            self._review_handle = asyncio.get_running_loop().call_soon(self._run_review)

    def _run_review(self) -> None:
        self._review_handle = None
        self.review()

    def _forget_ended(self) -> None:
        for model in (*self._models.values(), *self._leaving):
            if model.state is LoadState.ENDED:
                self._leaving.discard(model)
                if self._models.get(model.key) is model:
                    del self._models[model.key]
                if self.current is model:
                    self.current = None

    def _make_room(self, wanted: WarmModel) -> bool:
        """Send idle models away until `wanted` fits; True when it may start now."""
        others = [model for model in self if model is not wanted and model.state is not LoadState.WAITING]
        staying = [model for model in others if model.state is not LoadState.STOPPING]
        for victim in self._may_leave():
            if self._fits([*staying, wanted]) and _has_room(wanted, staying):
                break
            staying.remove(victim)
            self._stop(victim, "its memory was needed")
        return (self._fits([*others, wanted]) and _has_room(wanted, others)) or all(m.is_pinned for m in others)

    def _trim(self) -> None:
        """Keep to the budget when a model turned out larger than expected."""
        staying = [m for m in self if m.state not in (LoadState.STOPPING, LoadState.WAITING)]
        for victim in self._may_leave()[:-1]:
            if self._fits(staying):
                return
            staying.remove(victim)
            self._stop(victim, "its memory was needed")

    def _fits(self, models: list[WarmModel]) -> bool:
        is_over_all = self.limits.warm_memory_bytes > 0
        size_bytes = sum(model.size_bytes if is_over_all else model.host_bytes for model in models)
        return size_bytes <= self.budget_bytes and len(models) <= self.limits.max_warm_models

    def _may_leave(self) -> list[WarmModel]:
        """Idle models that are not pinned, the least recently used first."""
        idle = [model for model in self if model.is_idle and not model.is_pinned]
        return sorted(idle, key=lambda model: model.last_used)

    def _unload_idle(self) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None
        if not self.limits.idle_unload_minutes:
            return
        now = time.monotonic()
        left = []
        for model in self._may_leave():
            seconds = model.last_used + self.limits.idle_unload_minutes * 60 - now
            if seconds <= 0:
                self._stop(model, "it was idle")
            else:
                left.append(seconds)
        if left:
            self._idle_timer = asyncio.get_running_loop().call_later(min(left), self._changed)

    def _stop(self, model: WarmModel, reason: str) -> None:
        task = asyncio.get_running_loop().create_task(model.stop(reason))
        # The task runs later: until then nothing may be given to it.
        model.state = LoadState.STOPPING
        self._stops.add(task)
        task.add_done_callback(self._stops.discard)


def _has_room(wanted: WarmModel, others: list[WarmModel]) -> bool:
    """Whether the devices have the room that a model was promised; it was fitted beside the pinned ones."""
    beside = [model for model in others if not model.is_pinned]
    return not beside or all(
        wanted.bytes_on(device) + sum(model.bytes_on(device) for model in beside) <= room
        for device, room in wanted.plan.room.items()
    )


def read_ahead(path: Path) -> None:
    """Bring a file into the page cache, so that its load does not wait for the disk. Blocks; errors do not matter."""
    if not hasattr(os, "posix_fadvise"):
        return
    with contextlib.suppress(OSError), path.open("rb") as file:
        size_bytes = os.fstat(file.fileno()).st_size
        if size_bytes > psutil.virtual_memory().available // 2:
            return
        for offset in range(0, size_bytes, READ_AHEAD_CHUNK_BYTES):
            os.posix_fadvise(file.fileno(), offset, READ_AHEAD_CHUNK_BYTES, os.POSIX_FADV_WILLNEED)
