"""The metrics log: one row in SQLite for each request, its percentiles, and its export."""

from __future__ import annotations

import csv
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import msgspec

from engine.files import writing_to
from engine.metrics import RequestMetrics, histogram_percentile, merge_histograms, percentile
from engine.protocol.commands import ReadMetrics
from engine.protocol.events import MetricsRead
from engine.protocol.records import LoggedRequest, LogGroup, PercentileRow
from engine.protocol.values import EffectiveSettings

_log = logging.getLogger(__name__)

DAY = 86_400.0
QUANTILES = (50, 90, 95, 99)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS requests (
    request_id TEXT NOT NULL, at REAL NOT NULL, model TEXT NOT NULL, quantization TEXT NOT NULL,
    settings TEXT NOT NULL, chat_id TEXT NOT NULL, is_error INTEGER NOT NULL, entry BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS requests_at ON requests (at);
CREATE INDEX IF NOT EXISTS requests_chat ON requests (chat_id, at);
"""
_FIELDS = tuple(name for name in RequestMetrics.__struct_fields__ if name not in ("itl", "gap_histogram"))
_ITL_FIELDS = ("mean", "p50", "p90", "p95", "p99", "max")


def describe_settings(effective: EffectiveSettings) -> str:
    """The effective settings that change speed, as one line: the key by which figures are grouped."""
    kv = str(effective.type_k) if effective.type_k == effective.type_v else f"{effective.type_k}/{effective.type_v}"
    parts = [f"n_ctx {effective.n_ctx}", f"KV {kv}"]
    if effective.flash_attn:
        parts.append("flash attention")
    parts.append(f"{effective.n_gpu_layers}/{effective.n_layers} layers")
    if effective.n_cpu_moe:
        parts.append(f"experts of {effective.n_cpu_moe} layers on the CPU")
    parts.append(f"{effective.n_threads} threads")
    if effective.speculative != "off":
        parts.append(f"speculative {effective.speculative}")
    return " · ".join(parts)


class MetricsLog:
    """Every request that ended, kept across restarts. A log that cannot be written never stops an answer."""

    def __init__(self, path: Path, *, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._session_start = now()
        self._database = _open(path)

    def record(self, entry: LoggedRequest) -> None:
        """Keep one request."""
        row = (
            entry.request_id, entry.at, entry.model, entry.quantization, entry.settings, entry.chat_id,
            int(bool(entry.error_code)), msgspec.json.encode(entry),
        )  # fmt: skip
        try:
            with self._database:
                self._database.execute("INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            _log.warning("the metrics of %s could not be logged: %s", entry.request_id, error)

    def entries(self, query: ReadMetrics) -> Iterator[LoggedRequest]:
        """The requests in the query's scope, the latest first."""
        where, values = self._within(query)
        for column, value in (
            ("model", query.model), ("quantization", query.quantization), ("settings", query.settings),
        ):  # fmt: skip
            if value:
                where += f" AND {column} = ?"
                values.append(value)
        sql = f"SELECT entry FROM requests WHERE {where} ORDER BY at DESC, rowid DESC"
        decoder = msgspec.json.Decoder(LoggedRequest)
        for (blob,) in self._database.execute(sql, values):
            yield decoder.decode(blob)

    def groups(self, query: ReadMetrics) -> tuple[LogGroup, ...]:
        """The models and settings of the scope's answers, the latest first."""
        where, values = self._within(query)
        sql = (
            f"SELECT model, quantization, settings FROM requests WHERE {where} AND is_error = 0"
            " GROUP BY 1, 2, 3 ORDER BY max(at) DESC"
        )
        return tuple(
            LogGroup(model=model, quantization=quantization, settings=settings)
            for model, quantization, settings in self._database.execute(sql, values)
        )

    def read(self, query: ReadMetrics) -> MetricsRead:
        """Percentiles over the query's scope, in seconds, and the latest answers."""
        entries = list(self.entries(query))
        good = [entry.metrics for entry in entries if not entry.error_code]
        rows = []
        for name in ("ttft", "tpot", "e2e_latency"):
            known = [value for metrics in good if (value := getattr(metrics, name)) is not None]
            if known:
                p50, p90, p95, p99 = (percentile(known, q) for q in QUANTILES)
                rows.append(PercentileRow(name=name, count=len(known), p50=p50, p90=p90, p95=p95, p99=p99))
        gaps = merge_histograms(metrics.gap_histogram for metrics in good)
        if gaps:
            p50, p90, p95, p99 = (histogram_percentile(gaps, q) for q in QUANTILES)
            rows.insert(1, PercentileRow(name="itl", count=sum(gaps.values()), p50=p50, p90=p90, p95=p95, p99=p99))
        return MetricsRead(
            request_id=query.request_id,
            rows=tuple(rows),
            answers=tuple(entries[: query.limit]),
            groups=self.groups(query),
            n_requests=len(entries),
            n_errors=len(entries) - len(good),
            tokens_per_hour=self._tokens_per_hour(entries),
        )

    def export_to(self, path: Path, query: ReadMetrics) -> int:
        """Write the scope to a file: CSV where its name ends in .csv, else JSON. Raises StorageError."""
        with writing_to(path.parent), path.open("w", encoding="utf-8", newline="") as file:
            return self.export_csv(query, file) if path.suffix == ".csv" else self.export_json(query, file)

    def export_json(self, query: ReadMetrics, file: TextIO) -> int:
        """Write the scope as a JSON array, one request a line; returns how many."""
        count = 0
        file.write("[")
        for count, entry in enumerate(self.entries(query), 1):
            file.write(("\n" if count == 1 else ",\n") + msgspec.json.encode(entry).decode())
        file.write("\n]\n")
        return count

    def export_csv(self, query: ReadMetrics, file: TextIO) -> int:
        """Write the scope as CSV with one column for each figure, seconds throughout; returns how many rows."""
        head = ("request_id", "at", "model", "quantization", "settings", "backend", "device", "priority")
        writer = csv.writer(file)
        writer.writerow((*head, "finish_reason", "error_code", *(f"itl_{name}" for name in _ITL_FIELDS), *_FIELDS))
        count = 0
        for entry in self.entries(query):
            count += 1
            metrics = entry.metrics
            itl = [getattr(metrics.itl, name) if metrics.itl else "" for name in _ITL_FIELDS]
            figures = ["" if (value := getattr(metrics, name)) is None else value for name in _FIELDS]
            writer.writerow(
                (*(getattr(entry, name) for name in head), entry.finish_reason, entry.error_code, *itl, *figures)
            )
        return count

    def close(self) -> None:
        self._database.close()

    def _within(self, query: ReadMetrics) -> tuple[str, list[float | str]]:
        """The scope as a condition, and its values."""
        if query.scope == "chat" and query.chat_id:
            return "at >= ? AND chat_id = ?", [self._since(query.scope), query.chat_id]
        return "at >= ?", [self._since(query.scope)]

    def _since(self, scope: str) -> float:
        if scope == "session":
            return self._session_start
        return self._now() - DAY if scope == "day" else 0.0

    def _tokens_per_hour(self, entries: list[LoggedRequest]) -> float:
        if not entries:
            return 0.0
        first = min(entry.at - entry.metrics.e2e_latency for entry in entries)
        span = max(max(entry.at for entry in entries) - first, 1e-3)
        return sum(entry.metrics.n_decoded for entry in entries) / span * 3600


def _open(path: Path) -> sqlite3.Connection:
    """The log's database; a damaged one is kept aside, and a place that cannot be written gives a log in memory."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return _connect(str(path))
        except sqlite3.Error as error:
            # A full disk or another process at work is no damage.
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                raise
            _log.warning("the metrics log was damaged (%s) and is kept aside", error)
            path.replace(path.with_suffix(".damaged.sqlite3"))
        return _connect(str(path))
    except (OSError, sqlite3.Error) as error:
        _log.warning("the metrics log cannot be written: %s", error)
        return _connect(":memory:")


def _connect(name: str) -> sqlite3.Connection:
    database = sqlite3.connect(name, timeout=2.0, check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = OFF")
        database.executescript(_SCHEMA)
    except sqlite3.Error:
        database.close()
        raise
    return database
