"""Puts what answers really reached on this computer into the table of quantizations, instead of what was expected."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Sequence

import msgspec

from engine.host.metrics_log import MetricsLog
from engine.protocol.commands import ReadMetrics
from engine.protocol.records import FitRow, LoggedRequest

LATEST = 20
"""Answers that a figure is the median of, the latest ones."""
_LEAST_DECODED = 8
_PROMPT_TOKENS = 1000


def with_measured(rows: Sequence[FitRow], model: str, kv: str, log: MetricsLog) -> list[FitRow]:
    """The rows, those that have run with this KV type and as much of them on devices with their measured speed.

    `model` is the name that the log knows it by. The context does not count: what is allocated costs no time.
    """
    return [_with_measured(row, kv, log.entries(ReadMetrics(request_id="", model=model, quantization=row.name)))
            for row in rows]  # fmt: skip


def _with_measured(row: FitRow, kv: str, entries: Iterable[LoggedRequest]) -> FitRow:
    wanted = f" · KV {kv} "
    experts = f" · experts of {row.n_cpu_moe} layers on the CPU" if row.n_cpu_moe else ""
    layers = re.compile(rf" · {row.n_gpu_layers}/\d+ layers{experts} · (?!experts)")
    rates: list[float] = []
    prefills: list[float] = []
    for entry in entries:
        if len(rates) >= LATEST:
            break
        metrics = entry.metrics
        is_alone = metrics.batch_size_mean < 1.5 and not metrics.n_interfering_steps
        if entry.error_code or not is_alone or wanted not in entry.settings or not layers.search(entry.settings):
            continue
        if metrics.decode_tps is not None and metrics.n_decoded >= _LEAST_DECODED:
            rates.append(metrics.decode_tps)
        if metrics.prefill_tps is not None:
            prefills.append(metrics.prefill_tps)
    if not rates:
        return row
    return msgspec.structs.replace(
        row,
        decode_tps=statistics.median(rates),
        ttft_1000=_PROMPT_TOKENS / statistics.median(prefills) if prefills else row.ttft_1000,
        is_measured=True,
        expected_tps=row.decode_tps,
    )
