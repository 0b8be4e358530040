"""Crossed thresholds as a gauge: what the window lists as alerts, for a monitoring system."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from engine.latency.alerts import AlertCode, AlertMonitor
from engine.metrics import RequestMetrics, percentile
from engine.protocol.events import HardwareSample
from engine.protocol.records import PercentileRow
from engine.settings import Thresholds

REMEMBERED = 1000
"""Latest requests over which percentiles and the error rate are taken."""


class AlertGauge(Collector):
    """firstlight_alert{code}: 1 while a threshold is crossed, else 0."""

    def __init__(self, thresholds: Callable[[], Thresholds], now: Callable[[], float] = time.monotonic) -> None:
        self._thresholds, self._now = thresholds, now
        self._monitor = AlertMonitor(thresholds())
        self._answers: deque[RequestMetrics | None] = deque(maxlen=REMEMBERED)
        """None for a request that failed."""

    def observe(self, metrics: RequestMetrics | None) -> None:
        """A request has ended; None when it failed."""
        self._answers.append(metrics)

    def observe_hardware(self, sample: HardwareSample) -> None:
        self._monitor.observe_hardware(sample, self._now())

    def collect(self) -> Iterable[Metric]:
        self._monitor.thresholds = self._thresholds()
        good = [metrics for metrics in self._answers if metrics is not None]
        rows = [
            *_row("ttft", [metrics.ttft for metrics in good if metrics.ttft is not None]),
            *_row("e2e_latency", [metrics.e2e_latency for metrics in good if metrics.n_decoded]),
        ]
        self._monitor.observe_percentiles(rows, len(self._answers), len(self._answers) - len(good))
        crossed = {alert.code for alert in self._monitor.alerts}
        family = GaugeMetricFamily(
            "firstlight_alert", "Whether a threshold of the settings is crossed.", labels=("code",)
        )
        for code in AlertCode:
            family.add_metric((str(code),), float(code in crossed))
        yield family


def _row(name: str, values: Sequence[float]) -> Iterable[PercentileRow]:
    if values:
        p50, p90, p95, p99 = (percentile(values, q) for q in (50, 90, 95, 99))
        yield PercentileRow(name=name, count=len(values), p50=p50, p90=p90, p95=p95, p99=p99)
