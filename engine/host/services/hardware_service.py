"""Hardware and fit as commands of the host: devices, live readings, measured limits, and what a model would need."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Sequence
from pathlib import Path

from engine import gguf
from engine.errors import Code, RequestError, StorageError
from engine.fit.fit_policy import max_context
from engine.fit.fit_table import Candidate, fit_rows
from engine.fit.target_machine import Machine
from engine.hardware.live_readings import HardwareSampler
from engine.host.backend_probe import UNCHOSEN, read_backend_record
from engine.host.calibration import Calibration, calibrate
from engine.host.host import Host
from engine.host.machine_reader import MachineReader
from engine.host.metrics_log import MetricsLog
from engine.host.requests import Emit
from engine.host.services.library_service import LibraryService
from engine.host.services.measured_speed import with_measured
from engine.host.warm_model import LoadState
from engine.protocol.commands import Command, Estimate, Generate, ListDevices, MeasureRoofline, Watch
from engine.protocol.events import DevicesListed, Estimated, GenerationFinished, RooflineMeasured, Terminal
from engine.protocol.values import Device, EffectiveSettings, ModelSettings

_log = logging.getLogger(__name__)

MIN_INTERVAL = 0.1
_IDLE_POLL = 0.05


class HardwareService:
    """Registers its commands with the host. One watcher serves every front end."""

    def __init__(self, host: Host, library: LibraryService, reader: MachineReader, log: MetricsLog) -> None:
        self._host, self._library, self._reader, self._log = host, library, reader, log
        self._watching: asyncio.Task[None] | None = None
        self._interval = 0.0
        host.serve(ListDevices, self._list_devices)
        host.serve(Watch, self._watch)
        host.serve(MeasureRoofline, self._measure)
        host.serve(Estimate, self._estimate)
        host.observe(self._learn)

    async def stop(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)

    async def _list_devices(self, _command: ListDevices, _emit: Emit) -> DevicesListed:
        description = await asyncio.to_thread(self._reader.look)
        record = read_backend_record()
        return DevicesListed(
            devices=description.devices,
            backend=description.backend,
            backend_reason=record.reason if record is not None else UNCHOSEN,
        )

    async def _watch(self, command: Watch, _emit: Emit) -> None:
        self._interval = max(MIN_INTERVAL, command.interval) if command.interval else 0.0
        if self._interval and (self._watching is None or self._watching.done()):
            self._watching = asyncio.create_task(self._sample(), name="hardware")

    async def _sample(self) -> None:
        sampler = await asyncio.to_thread(HardwareSampler)
        try:
            while self._interval:
                await asyncio.sleep(self._interval)
                pool = self._host.pool
                processes = {"host": os.getpid(), **{model.model_id: model.pid for model in pool if model.pid}}
                sample = await asyncio.to_thread(
                    sampler.sample,
                    processes,
                    card=_main_card(pool.current.effective if pool.current is not None else None),
                    n_running=sum(model.n_running for model in pool),
                    n_waiting=sum(model.n_waiting for model in pool),
                )
                self._host.broadcast(sample)
        finally:
            sampler.close()

    async def _measure(self, command: MeasureRoofline, _emit: Emit) -> RooflineMeasured:
        measured = None
        while measured is None:
            if self._is_answering:
                await asyncio.sleep(_IDLE_POLL)
            else:
                measured = await self._measure_while_idle(force=command.force)
        return measured

    async def _measure_while_idle(self, *, force: bool) -> RooflineMeasured | None:
        """Measuring loads every core: None where an answer began meanwhile, which goes first."""
        stop = threading.Event()
        measuring = asyncio.create_task(
            asyncio.to_thread(self._reader.rooflines.measure, force=force, may_go_on=lambda: not stop.is_set())
        )
        try:
            while not measuring.done():
                await asyncio.wait({measuring}, timeout=_IDLE_POLL)
                if self._is_answering:
                    stop.set()
        finally:
            stop.set()
        return await measuring

    @property
    def _is_answering(self) -> bool:
        return any(model.n_running or model.state is LoadState.LOADING for model in self._host.pool)

    def _learn(self, command: Command, event: Terminal, effective: EffectiveSettings | None) -> None:
        """Answers that had the machine to themselves teach what llama.cpp reaches on it."""
        if not isinstance(command, Generate) or not isinstance(event, GenerationFinished):
            return
        model = self._host.pool.named(command.model_id) if command.model_id else self._host.pool.current
        effective = event.effective or effective
        if model is None or effective is None:
            return
        if (measured := calibrate(event.metrics, effective, model.plan)) is not None:
            self._host.run_in_background(self._keep(measured))

    async def _keep(self, measured: Calibration) -> None:
        rooflines = self._reader.rooflines
        # A limit that nobody measured stays unknown: what one answer reached would make each answer the best there is.
        description = rooflines.description(measured.device)
        if not description:
            return
        try:
            await asyncio.to_thread(
                rooflines.learn, measured.device, description,
                bandwidth=measured.bandwidth, prefill_flops=measured.prefill_flops,
            )  # fmt: skip
        except StorageError as error:
            _log.warning("what an answer taught about %s is not kept: %s", measured.device, error)

    async def _estimate(self, command: Estimate, _emit: Emit) -> Estimated:
        candidates = await self._candidates(command)
        return await asyncio.to_thread(self._fit, command, candidates)

    async def _candidates(self, command: Estimate) -> Sequence[Candidate]:
        """The local file, or every quantization of the repository, one of them with its header."""
        if command.path:
            header = await asyncio.to_thread(gguf.read_file, self._library.path(command.path))
            return [Candidate(header.quantization, header.file_size or header.weights_bytes, header)]
        if not command.repo:
            raise RequestError(Code.BAD_REQUEST, "No model was named.", "Name a file or a repository.")
        found = [item for item in await self._library.quantizations(command.repo) if item.kind == "chat"]
        if not found:
            raise RequestError(
                Code.MODEL_NOT_FOUND, "{repo} has no GGUF chat model.", "Choose another repository.", repo=command.repo
            )
        chosen = next((item for item in found if command.file in item.files), found[0])
        header = await self._library.remote_header(command.repo, chosen.files)
        return [
            Candidate(item.name, item.size_bytes, header if item is chosen else None)
            for item in sorted(found, key=lambda item: item is not chosen)
        ]

    def _fit(self, command: Estimate, candidates: Sequence[Candidate]) -> Estimated:
        machine = self._reader.machine()
        settings = ModelSettings(
            n_ctx=command.n_ctx, type_k=command.type_k, type_v=command.type_v, n_parallel=command.n_parallel
        )
        reference = next(candidate.header for candidate in candidates if candidate.header is not None)
        ordered = sorted(candidates, key=lambda candidate: candidate.file_bytes)
        device, total, free = _place(machine, settings)
        rows = fit_rows(ordered, settings, machine)
        name = reference.name or Path(command.path or command.file).stem
        return Estimated(
            rows=tuple(with_measured(rows, name, str(command.type_k), self._log)),
            device=device,
            device_total_bytes=total,
            device_free_bytes=free,
            n_ctx=command.n_ctx,
            n_ctx_max=max_context(reference, settings, machine),
        )


def _main_card(effective: EffectiveSettings | None) -> Device | None:
    """The card that holds most of a loaded model."""
    cards = {device.name: device for device in effective.devices if device.kind == "gpu"} if effective else {}
    uses = [use for use in effective.memory if use.device in cards] if effective else []
    return cards[max(uses, key=lambda use: use.total_bytes).device] if uses else None


def _place(machine: Machine, settings: ModelSettings) -> tuple[str, int, int]:
    """Name, total and free bytes of where layers go first."""
    for name in machine.room(settings):
        for device in machine.devices:
            if device.name == name:
                return device.description or name, device.total_bytes or 0, device.free_bytes or 0
    return "", 0, machine.ram_bytes
