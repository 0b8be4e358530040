"""The metrics log: scopes, filters, percentiles, export, and what happens to a damaged file."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engine.errors import StorageError
from engine.host.metrics_log import DAY, MetricsLog, describe_settings
from engine.metrics import RequestMetrics, gap_bucket
from engine.protocol import EffectiveSettings, KvType, LoggedRequest, LogGroup, ReadMetrics

ROOT = Path(__file__).resolve().parents[3]
NOW = 2_000_000_000.0


@pytest.fixture
def log(tmp_path: Path) -> Iterator[MetricsLog]:
    made = MetricsLog(tmp_path / "deep" / "metrics.sqlite3", now=lambda: NOW)
    yield made
    made.close()


def entry(number: int, *, at: float = NOW, ttft: float = 0.1, **fields: object) -> LoggedRequest:
    metrics = RequestMetrics(
        ttft=ttft, tpot=0.01, e2e_latency=1.0, n_decoded=100, gap_histogram={gap_bucket(0.01): 98, gap_bucket(0.2): 1}
    )
    known = {"model": "SmolLM2", "finish_reason": "stop", "metrics": metrics, **fields}
    return LoggedRequest(request_id=f"r{number}", at=at, **known)


def query(**fields: object) -> ReadMetrics:
    return ReadMetrics(request_id="q", **fields)


def test_percentiles_of_all(log: MetricsLog) -> None:
    for number in range(1, 101):
        log.record(entry(number, ttft=number / 100))
    read = log.read(query())
    rows = {row.name: row for row in read.rows}
    assert list(rows) == ["ttft", "itl", "tpot", "e2e_latency"]
    assert rows["ttft"].p50 == pytest.approx(0.505)
    assert rows["ttft"].p99 == pytest.approx(0.9901)
    assert rows["itl"].count == 9900
    assert rows["itl"].p50 == pytest.approx(0.01, rel=0.03)
    assert (read.n_requests, read.n_errors) == (100, 0)


@pytest.mark.parametrize(
    ("scope", "ids"), [("all", ["r3", "r2", "r1"]), ("day", ["r3", "r2"]), ("session", ["r3"]), ("chat", ["r2"])]
)
def test_scopes(log: MetricsLog, scope: str, ids: list[str]) -> None:
    log.record(entry(1, at=NOW - DAY - 1))
    log.record(entry(2, at=NOW - 60, chat_id="c"))
    log.record(entry(3, at=NOW + 1))
    assert [found.request_id for found in log.entries(query(scope=scope, chat_id="c"))] == ids


def test_filters_by_model_quantization_and_settings(log: MetricsLog) -> None:
    log.record(entry(1, quantization="Q4_1", settings="a"))
    log.record(entry(2, quantization="Q8_0", settings="a"))
    log.record(entry(3, quantization="Q8_0", settings="b"))
    found = log.entries(query(model="SmolLM2", quantization="Q8_0", settings="b"))
    assert [item.request_id for item in found] == ["r3"]


def test_the_groups_of_a_scope_the_latest_first(log: MetricsLog) -> None:
    """What can be chosen does not depend on what is chosen, and a failed request makes no group."""
    log.record(entry(1, at=NOW - 30, quantization="Q4_1", settings="KV f16"))
    log.record(entry(2, at=NOW - 20, quantization="Q4_1", settings="KV q8_0"))
    log.record(entry(3, at=NOW - 10, quantization="Q4_1", settings="KV f16"))
    log.record(entry(4, at=NOW, settings="", error_code="engine_crashed"))
    f16, q8 = (LogGroup(model="SmolLM2", quantization="Q4_1", settings=f"KV {kind}") for kind in ("f16", "q8_0"))
    assert log.read(query()).groups == (f16, q8)
    assert log.read(query(settings="KV q8_0")).groups == (f16, q8)
    assert log.read(query(scope="chat", chat_id="other")).groups == ()


def test_errors_count_but_have_no_figures(log: MetricsLog) -> None:
    log.record(entry(1, error_code="engine_crashed", finish_reason=""))
    read = log.read(query(limit=5))
    assert (read.rows, read.n_requests, read.n_errors) == ((), 1, 1)
    assert read.answers[0].error_code == "engine_crashed"


def test_an_empty_log_reads_as_empty(log: MetricsLog) -> None:
    read = log.read(query(limit=5))
    assert (read.rows, read.answers, read.tokens_per_hour) == ((), (), 0.0)


def test_export_as_csv_and_json(log: MetricsLog) -> None:
    log.record(entry(1))
    log.record(entry(2, error_code="out_of_memory"))
    table, text = io.StringIO(), io.StringIO()
    assert log.export_csv(query(), table) == log.export_json(query(), text) == 2
    rows = list(csv.DictReader(io.StringIO(table.getvalue())))
    assert (rows[1]["request_id"], float(rows[1]["ttft"]), rows[1]["itl_p50"]) == ("r1", 0.1, "")
    assert [item["request_id"] for item in json.loads(text.getvalue())] == ["r2", "r1"]


def test_the_log_survives_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "metrics.sqlite3"
    for number in range(2):
        log = MetricsLog(path)
        log.record(entry(number))
        log.close()
    log = MetricsLog(path)
    assert log.read(query()).n_requests == 2
    log.close()


def test_a_damaged_log_is_kept_aside(tmp_path: Path) -> None:
    path = tmp_path / "metrics.sqlite3"
    path.write_bytes(b"not a database, but long enough to be taken for one" * 40)
    log = MetricsLog(path)
    log.record(entry(1))
    assert log.read(query()).n_requests == 1
    log.close()
    assert (tmp_path / "metrics.damaged.sqlite3").read_bytes().startswith(b"not a database")


FULL = """
import resource, sys
from pathlib import Path
from engine.host.metrics_log import MetricsLog
from tests.engine.host.test_metrics_log import entry, query
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
log = MetricsLog(Path(sys.argv[1]))
log.record(entry(2))
assert log.read(query()).n_requests == 1
"""


@pytest.mark.parametrize("reason", ["full", "busy"])
def test_a_sound_log_that_cannot_be_written_now_stays_where_it_is(tmp_path: Path, reason: str) -> None:
    path = tmp_path / "metrics.sqlite3"
    log = MetricsLog(path)
    log.record(entry(1))
    log.close()
    if reason == "full":
        # Not one byte can be written to any file; the reply comes by a pipe.
        subprocess.run([sys.executable, "-c", FULL, str(path)], cwd=ROOT, check=True, capture_output=True)
    else:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("PRAGMA locking_mode = EXCLUSIVE")
            other.execute("BEGIN EXCLUSIVE")
            busy = MetricsLog(path)
            busy.record(entry(2))
            assert busy.read(query()).n_requests == 1
            busy.close()
    again = MetricsLog(path)
    assert again.read(query()).n_requests == 1
    again.close()
    assert not list(tmp_path.glob("*.damaged*"))


def test_without_a_folder_the_log_lives_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    log = MetricsLog(tmp_path / "file" / "metrics.sqlite3")
    log.record(entry(1))
    assert log.read(query()).n_requests == 1
    log.close()


def test_settings_read_as_one_line() -> None:
    effective = EffectiveSettings(
        n_ctx=8192, type_k=KvType.Q8_0, type_v=KvType.Q8_0, flash_attn=True, n_gpu_layers=31, n_layers=31, n_threads=1
    )
    assert describe_settings(effective) == "n_ctx 8192 · KV q8_0 · flash attention · 31/31 layers · 1 threads"


@pytest.mark.parametrize(("name", "start"), [("a.csv", "request_id,"), ("a.json", "[")])
def test_the_name_chooses_the_format(log: MetricsLog, tmp_path: Path, name: str, start: str) -> None:
    log.record(entry(1))
    assert log.export_to(tmp_path / name, query()) == 1
    assert (tmp_path / name).read_text().startswith(start)


def test_a_folder_that_is_not_there_is_said(log: MetricsLog, tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        log.export_to(tmp_path / "none" / "a.csv", query())
