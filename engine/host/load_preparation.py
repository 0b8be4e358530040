"""What has to be known before a model is loaded: its file, whether it is any good, and its final settings."""

from __future__ import annotations

import asyncio
import dataclasses
import importlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import psutil

from engine import gguf
from engine.host.model_resolver import resolve, settings_for, with_folders
from engine.protocol.commands import LoadModel, PlanLoad
from engine.protocol.events import LoadPlanned
from engine.protocol.values import EffectiveSettings, MemoryUse, ModelSettings, Notice
from engine.settings import Folders, Settings

if TYPE_CHECKING:
    from engine.host.load_plan import Fitter
    from engine.host.pool import Pool

_COMPUTE_SHARE = 0.15
"""Context and buffers beside the weights, where nothing better is known."""


def _unknown(_effective: EffectiveSettings) -> float:
    return 0.0


class ModelKey(NamedTuple):
    """What makes two loads the same load: the file, and the settings as they were asked for."""

    path: Path
    asked: ModelSettings


@dataclasses.dataclass(frozen=True, slots=True)
class LoadPlan:
    """A load that may begin."""

    key: ModelKey
    model_id: str
    settings: ModelSettings
    """As asked for, with what was left to the engine filled in."""
    estimate: tuple[MemoryUse, ...] = ()
    """What it should take on each device; empty where that cannot be foretold."""
    file_bytes: int = 0
    notices: tuple[Notice, ...] = ()
    """What was chosen differently from what was asked for."""
    room: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """Bytes on each device that it and the models beside it may take; devices that are not used have none."""
    weight_bytes: int = 0
    """Weights that one step reads."""
    n_active_params: int = 0
    """Parameters that take part in one token."""
    bandwidth: Callable[[EffectiveSettings], float] = _unknown
    """Bytes per second that a loaded model's devices can read; 0 where that was not measured."""
    prefill_flops: Callable[[EffectiveSettings], float] = _unknown
    """Operations per second that they reach in a prefill; 0 where that was not measured."""

    @property
    def estimated_bytes(self) -> int:
        """Over all devices."""
        if self.estimate:
            return sum(use.total_bytes for use in self.estimate)
        return int(self.file_bytes * (1 + _COMPUTE_SHARE))

    def prefill_limit(self, effective: EffectiveSettings) -> float:
        """Tokens per second at which a prompt can be read at best; 0 where that is not known."""
        return self.prefill_flops(effective) / (2 * self.n_active_params) if self.n_active_params else 0.0

    def command(self, request_id: str) -> LoadModel:
        return LoadModel(request_id=request_id, model_id=self.model_id, path=str(self.key.path), settings=self.settings)


class Preparation:
    """Reads headers off the loop, once for each version of a file."""

    def __init__(self, folders: Folders, pool: Pool | None = None, *, is_windowed: bool) -> None:
        self._folders = folders
        self._pool = pool
        self._is_windowed = is_windowed
        self._fitter: Fitter | None = None
        self._headers: dict[tuple[Path, int, int, bool], gguf.Header] = {}

    async def prepare(
        self, model_id: str, settings: Settings, *, asked: ModelSettings | None = None, is_embedding: bool = False
    ) -> LoadPlan:
        """A model that is loaded or on its way is prepared already: nothing is looked at again.

        Raises ModelError with one sentence about what is wrong with the model.
        """
        return await asyncio.to_thread(self._prepare, model_id, settings, asked, is_embedding)

    async def plan(self, command: PlanLoad, settings: Settings) -> LoadPlanned:
        """What loading a model comes to, without loading it. Raises ModelError as prepare does."""
        return await asyncio.to_thread(self._plan, command, settings)

    def _plan(self, command: PlanLoad, settings: Settings) -> LoadPlanned:
        path = resolve(command.model_id, settings, self._folders)
        fitter = self._loaded_fitter()
        machine = fitter.machine(self._leaving_for(path))
        planned = fitter.plan(command, path, self._header(path, False), machine)
        return msgspec.structs.replace(planned, settings=self._with_threads(planned.settings, command.settings))

    def _prepare(self, model_id: str, settings: Settings, asked: ModelSettings | None, is_embedding: bool) -> LoadPlan:
        path = resolve(model_id, settings, self._folders)
        header = self._header(path, is_embedding)
        chosen = (
            with_folders(asked, self._folders)
            if asked is not None and asked != ModelSettings()
            else settings_for(model_id, path, settings, self._folders)
        )
        if is_embedding:
            chosen = msgspec.structs.replace(chosen, embeddings=True)
        key = ModelKey(path, chosen)
        if self._pool is not None and (known := self._pool.find(key)) is not None:
            return known.plan
        fitter = self._loaded_fitter()
        tuned = fitter.tuned(path, chosen)
        machine = fitter.machine(self._leaving_for(path))
        choice = fitter.choose(header, tuned, machine)
        return LoadPlan(
            key=key,
            model_id=model_id,
            settings=self._with_threads(choice.settings if choice is not None else tuned, chosen),
            estimate=choice.fit.memory if choice is not None else (),
            file_bytes=header.file_size or 0,
            notices=choice.notices if choice is not None else (),
            room=machine.room(choice.settings) if choice is not None and choice.settings.n_gpu_layers else {},
            weight_bytes=fitter.weight_bytes(header),
            n_active_params=fitter.n_active_params(header),
            bandwidth=fitter.bandwidth,
            prefill_flops=fitter.prefill_flops,
        )

    def _leaving_for(self, path: Path) -> dict[str, int]:
        return self._pool.leaving_for(path) if self._pool is not None else {}

    def _loaded_fitter(self) -> Fitter:
        if self._fitter is None:
            # Imported here and now, in a thread: a front end that only asks for something else never needs it.
            self._fitter = importlib.import_module("engine.host.load_plan").Fitter(self._folders)
        return self._fitter

    def _header(self, path: Path, is_embedding: bool) -> gguf.Header:
        status = path.stat()
        key = (path, status.st_mtime_ns, status.st_size, is_embedding)
        if key not in self._headers:
            self._headers[key] = gguf.read_file(path) if is_embedding else gguf.check_file(path)
        return self._headers[key]

    def _with_threads(self, settings: ModelSettings, asked: ModelSettings) -> ModelSettings:
        """All cores for a prefill; one core less for decoding beside a window, which would else stutter with it.

        On two cores two threads decode 160 tokens a second alone but 41 beside one busy core; one keeps 147.
        """
        cores = n_cores()
        n_threads = settings.n_threads or cores
        if self._is_windowed and not asked.n_threads:
            n_threads = max(1, min(n_threads, cores - 1))
        n_threads_batch = settings.n_threads_batch or asked.n_threads or cores
        return msgspec.structs.replace(settings, n_threads=n_threads, n_threads_batch=n_threads_batch)


def n_cores() -> int:
    """Physical cores that this process may use."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(allowed, psutil.cpu_count(logical=False) or allowed)
