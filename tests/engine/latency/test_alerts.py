"""Alerts: each threshold just crossed and just not, and those that need time get it."""

from __future__ import annotations

import pytest

from engine.latency.alerts import AlertCode, AlertLevel, AlertMonitor
from engine.protocol.events import HardwareSample
from engine.protocol.records import PercentileRow
from engine.settings import Thresholds


@pytest.fixture
def monitor() -> AlertMonitor:
    return AlertMonitor(Thresholds())


def row(name: str, *, p95: float = 0.1, p99: float = 0.1) -> PercentileRow:
    return PercentileRow(name=name, count=100, p50=0.1, p90=0.1, p95=p95, p99=p99)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (row("ttft", p99=1.0), []),
        (row("ttft", p99=1.01), [(AlertCode.TTFT_P99, AlertLevel.NOTICE)]),
        (row("ttft", p99=1.51), [(AlertCode.TTFT_P99, AlertLevel.WARNING)]),
        (row("e2e_latency", p95=10.0), []),
        (row("e2e_latency", p95=10.1), [(AlertCode.E2E_P95, AlertLevel.WARNING)]),
    ],
)
def test_percentiles(monitor: AlertMonitor, found: PercentileRow, expected: list[tuple[AlertCode, AlertLevel]]) -> None:
    monitor.observe_percentiles([found], 100, 0)
    assert [(alert.code, alert.level) for alert in monitor.alerts] == expected


@pytest.mark.parametrize(("n_errors", "n_alerts"), [(1, 0), (2, 1)])
def test_error_rate(monitor: AlertMonitor, n_errors: int, n_alerts: int) -> None:
    monitor.observe_percentiles([], 1000, n_errors)
    assert len(monitor.alerts) == n_alerts


def test_few_answers_raise_nothing(monitor: AlertMonitor) -> None:
    monitor.observe_percentiles([row("ttft", p99=9.0)], 9, 9)
    assert monitor.alerts == []


def test_a_queue_needs_thirty_seconds_and_an_empty_one_starts_anew(monitor: AlertMonitor) -> None:
    busy, free = HardwareSample(n_waiting=1), HardwareSample()
    for now, sample, n_alerts in (
        (0, busy, 0),
        (29, busy, 0),
        (30, busy, 1),
        (31, free, 0),
        (32, busy, 0),
        (61, busy, 0),
    ):
        monitor.observe_hardware(sample, now)
        assert len(monitor.alerts) == n_alerts, now


def test_an_idle_gpu_counts_only_while_something_runs(monitor: AlertMonitor) -> None:
    for now in (0, 40):
        monitor.observe_hardware(HardwareSample(gpu_utilisation=0.1), now)
    assert monitor.alerts == []
    for now in (50, 80):
        monitor.observe_hardware(HardwareSample(gpu_utilisation=0.0, n_running=1), now)
    assert [alert.code for alert in monitor.alerts] == [AlertCode.GPU_IDLE]


def test_a_saturated_gpu_needs_a_queue(monitor: AlertMonitor) -> None:
    for now in (0, 61):
        monitor.observe_hardware(HardwareSample(gpu_utilisation=0.9), now)
    assert monitor.alerts == []
    for now in (70, 131):
        monitor.observe_hardware(HardwareSample(gpu_utilisation=0.9, n_waiting=2), now)
    assert [alert.code for alert in monitor.alerts] == [AlertCode.GPU_SATURATED, AlertCode.QUEUE]


@pytest.mark.parametrize(("used", "n_alerts"), [(90, 0), (91, 1)])
def test_a_nearly_full_card_is_a_notice(monitor: AlertMonitor, used: int, n_alerts: int) -> None:
    monitor.observe_hardware(HardwareSample(vram_used_bytes=used, vram_total_bytes=100), 0)
    assert len(monitor.alerts) == n_alerts


def test_an_unknown_reading_raises_nothing(monitor: AlertMonitor) -> None:
    monitor.observe_hardware(HardwareSample(n_running=3), 0)
    monitor.observe_hardware(HardwareSample(n_running=3), 100)
    assert monitor.alerts == []
