"""What answers reached takes the place of what was expected, by model, quantization, KV type and layers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from engine.host.metrics_log import MetricsLog
from engine.host.services.measured_speed import with_measured
from engine.metrics import RequestMetrics
from engine.protocol.records import FitRow, LoggedRequest

ROW = FitRow(
    name="Q4_K_M", file_bytes=1, bits_per_weight=4.8, quality="close", weights_bytes=1, kv_bytes=1, compute_bytes=1,
    verdict="fits", n_gpu_layers=36, n_layers=37, decode_tps=100.0, ttft_1000=0.5,
)  # fmt: skip
_ids = itertools.count()


@pytest.fixture
def log(tmp_path: Path) -> Iterator[MetricsLog]:
    made = MetricsLog(tmp_path / "metrics.sqlite3")
    yield made
    made.close()


def answer(
    log: MetricsLog, rate: float, *, kv: str = "f16", layers: str = "36/37", experts: str = "", **changes: object
) -> None:
    fields: dict[str, object] = {"decode_tps": rate, "n_decoded": 50, "prefill_tps": 4000.0} | changes
    log.record(
        LoggedRequest(
            request_id=f"r{next(_ids)}",
            at=float(next(_ids)),
            model="Qwen3 4B",
            quantization="Q4_K_M",
            settings=f"n_ctx 8192 · KV {kv} · flash attention · {layers} layers{experts} · 8 threads",
            metrics=RequestMetrics(**fields),  # type: ignore[arg-type]
        )
    )


def test_the_median_of_answers_stands_for_the_expectation(log: MetricsLog) -> None:
    for rate in (80.0, 90.0, 91.0):
        answer(log, rate)
    (row,) = with_measured([ROW], "Qwen3 4B", "f16", log)
    assert (row.decode_tps, row.is_measured, row.expected_tps) == (90.0, True, 100.0)
    assert row.ttft_1000 == pytest.approx(0.25)


@pytest.mark.parametrize(
    "changes",
    [
        {"kv": "q8_0"},
        {"layers": "20/37"},
        {"experts": " · experts of 9 layers on the CPU"},
        {"n_decoded": 3},
        {"batch_size_mean": 3.0},
        {"n_interfering_steps": 4},
    ],
)
def test_answers_of_other_settings_or_in_company_do_not_count(log: MetricsLog, changes: dict[str, object]) -> None:
    answer(log, 50.0, **changes)  # type: ignore[arg-type]
    assert with_measured([ROW], "Qwen3 4B", "f16", log) == [ROW]


def test_another_model_or_quantization_does_not_count(log: MetricsLog) -> None:
    answer(log, 50.0)
    assert with_measured([ROW], "Qwen3 8B", "f16", log) == [ROW]


def test_only_the_latest_answers_count(log: MetricsLog) -> None:
    for _ in range(30):
        answer(log, 10.0)
    for _ in range(20):
        answer(log, 77.0)
    (row,) = with_measured([ROW], "Qwen3 4B", "f16", log)
    assert row.decode_tps == 77.0


def test_experts_on_the_cpu_are_part_of_what_has_to_agree(log: MetricsLog) -> None:
    row = msgspec.structs.replace(ROW, n_cpu_moe=9)
    answer(log, 80.0)
    answer(log, 60.0, experts=" · experts of 10 layers on the CPU")
    assert with_measured([row], "Qwen3 4B", "f16", log) == [row]
    answer(log, 50.0, experts=" · experts of 9 layers on the CPU")
    assert with_measured([row], "Qwen3 4B", "f16", log)[0].decode_tps == 50.0
