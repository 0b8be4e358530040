"""Plans loads: finds the model's file, checks that it can chat, and fills in the settings that fit this computer."""

from __future__ import annotations

import asyncio
import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import psutil

from engine import gguf
from engine.host.load_plan import LoadPlan, ModelKey
from engine.host.model_resolver import resolve, settings_for, with_folders
from engine.protocol.commands import PlanLoad
from engine.protocol.events import LoadPlanned
from engine.protocol.values import ModelSettings
from engine.settings import Folders, Settings

if TYPE_CHECKING:
    from engine.host.model_fitter import ModelFitter
    from engine.host.pool import Pool


class LoadPlanner:
    """Reads headers off the loop, once for each version of a file."""

    def __init__(self, folders: Folders, pool: Pool | None = None, *, is_windowed: bool) -> None:
        self._folders = folders
        self._pool = pool
        self._is_windowed = is_windowed
        self._fitter: ModelFitter | None = None
        self._headers: dict[tuple[Path, int, int, bool], gguf.Header] = {}

    async def plan(
        self, model_id: str, settings: Settings, *, asked: ModelSettings | None = None, is_embedding: bool = False
    ) -> LoadPlan:
        """The plan of a load; for a model that is loaded or on its way the one it has, without another look.

        Raises ModelError with one sentence about what is wrong with the model.
        """
        return await asyncio.to_thread(self._plan, model_id, settings, asked, is_embedding)

    async def preview(self, command: PlanLoad, settings: Settings) -> LoadPlanned:
        """What loading a model comes to, without loading it. Raises ModelError as `plan` does."""
        return await asyncio.to_thread(self._preview, command, settings)

    def _preview(self, command: PlanLoad, settings: Settings) -> LoadPlanned:
        path = resolve(command.model_id, settings, self._folders)
        fitter = self._loaded_fitter()
        machine = fitter.machine(self._leaving_for(path))
        planned = fitter.preview(command, path, self._header(path, False), machine)
        return msgspec.structs.replace(planned, settings=self._with_threads(planned.settings, command.settings))

    def _plan(self, model_id: str, settings: Settings, asked: ModelSettings | None, is_embedding: bool) -> LoadPlan:
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

    def _loaded_fitter(self) -> ModelFitter:
        if self._fitter is None:
            # Imported here and now, in a thread: a front end that only asks for something else never needs it.
            self._fitter = importlib.import_module("engine.host.model_fitter").ModelFitter(self._folders)
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
