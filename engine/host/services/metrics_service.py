"""Keeps the metrics of every answer in the log, and reads them back for the HUD."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import msgspec

from engine.host.host import Host
from engine.host.metrics_log import MetricsLog, describe_settings
from engine.host.requests import Emit
from engine.metrics import RequestMetrics
from engine.protocol.commands import Command, ExportMetrics, Generate, ReadMetrics
from engine.protocol.events import GenerationFinished, MetricsExported, MetricsRead, RequestFailed, Terminal
from engine.protocol.records import LoggedRequest
from engine.protocol.values import EffectiveSettings


class MetricsService:
    """Observes the host's answers; registers ReadMetrics."""

    def __init__(self, host: Host) -> None:
        self.log = MetricsLog(host.folders.metrics_file)
        host.observe(self._on_end)
        host.serve(ReadMetrics, self._read)
        host.serve(ExportMetrics, self._export)

    def close(self) -> None:
        self.log.close()

    async def _read(self, command: ReadMetrics, _emit: Emit) -> MetricsRead:
        return await asyncio.to_thread(self.log.read, command)

    async def _export(self, command: ExportMetrics, _emit: Emit) -> MetricsExported:
        query = ReadMetrics(request_id="", scope=command.scope, chat_id=command.chat_id)
        count = await asyncio.to_thread(self.log.export_to, Path(command.path), query)
        return MetricsExported(n_requests=count)

    def _on_end(self, command: Command, event: Terminal, effective: EffectiveSettings | None) -> None:
        if isinstance(command, Generate):
            self.log.record(logged(command, event, effective or EffectiveSettings()))


def logged(command: Generate, event: Terminal, effective: EffectiveSettings) -> LoggedRequest:
    """A request as the log keeps it."""
    entry = LoggedRequest(
        request_id=command.request_id, at=time.time(), model=effective.model_name,
        quantization=effective.quantization, settings=describe_settings(effective), backend=effective.backend,
        device=effective.devices[0].name if effective.devices else "", chat_id=command.chat_id,
        priority=command.priority, versions=effective.versions,
    )  # fmt: skip
    match event:
        case GenerationFinished():
            return msgspec.structs.replace(entry, finish_reason=event.finish_reason, metrics=event.metrics)
        case RequestFailed():
            metrics = event.metrics or RequestMetrics()
            return msgspec.structs.replace(entry, error_code=event.failure.code, metrics=metrics)
    return entry
