"""Alerts: thresholds over many answers and over time, quiet until one is crossed for long enough."""

from __future__ import annotations

import enum
from collections.abc import Sequence

import msgspec

from engine.protocol.events import HardwareSample
from engine.protocol.records import PercentileRow
from engine.settings import Thresholds

MIN_ANSWERS = 10
"""Percentiles over fewer answers raise no alert."""


class AlertCode(enum.StrEnum):
    TTFT_P99 = "ttft_p99"
    E2E_P95 = "e2e_p95"
    ERROR_RATE = "error_rate"
    GPU_IDLE = "gpu_idle"
    GPU_SATURATED = "gpu_saturated"
    QUEUE = "queue"
    VRAM = "vram"


class AlertLevel(enum.StrEnum):
    NOTICE = "notice"
    WARNING = "warning"


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """One crossed threshold: its reading and its limit, in the unit of the threshold."""

    code: AlertCode
    level: AlertLevel
    value: float
    limit: float


class AlertMonitor:
    """Watches readings against thresholds. `now` is a monotonic clock in seconds."""

    def __init__(self, thresholds: Thresholds) -> None:
        self.thresholds = thresholds
        self._since: dict[AlertCode, float] = {}
        self._log_alerts: dict[AlertCode, Alert] = {}
        self._live_alerts: list[Alert] = []

    @property
    def alerts(self) -> list[Alert]:
        """What is crossed now, warnings first."""
        found = [*self._log_alerts.values(), *self._live_alerts]
        return sorted(found, key=lambda alert: (alert.level is not AlertLevel.WARNING, alert.code))

    def observe_percentiles(self, rows: Sequence[PercentileRow], n_requests: int, n_errors: int) -> None:
        """Figures of the metrics log over the session."""
        self._log_alerts = {}
        limits = self.thresholds
        if n_requests < MIN_ANSWERS:
            return
        for row in rows:
            if row.name == "ttft":
                self._check_log(AlertCode.TTFT_P99, row.p99, limits.ttft_p99_notice, limits.ttft_p99_warning)
            elif row.name == "e2e_latency":
                self._check_log(AlertCode.E2E_P95, row.p95, None, limits.e2e_p95_warning)
        self._check_log(AlertCode.ERROR_RATE, n_errors / n_requests, None, limits.error_rate_warning)

    def observe_hardware(self, sample: HardwareSample, now: float) -> None:
        """One reading of the machine."""
        limits = self.thresholds
        gpu, vram = sample.gpu_utilisation, _vram_share(sample)
        warning, notice = AlertLevel.WARNING, AlertLevel.NOTICE
        readings = []
        if sample.n_waiting > 0:
            readings.append(Alert(code=AlertCode.QUEUE, level=warning, value=sample.n_waiting, limit=0.0))
        if gpu is not None and sample.n_running > 0 and gpu < limits.gpu_low_notice:
            readings.append(Alert(code=AlertCode.GPU_IDLE, level=notice, value=gpu, limit=limits.gpu_low_notice))
        if gpu is not None and gpu > limits.gpu_high_warning and sample.n_waiting > 0:
            limit = limits.gpu_high_warning
            readings.append(Alert(code=AlertCode.GPU_SATURATED, level=warning, value=gpu, limit=limit))
        if vram is not None and vram > limits.vram_notice:
            readings.append(Alert(code=AlertCode.VRAM, level=notice, value=vram, limit=limits.vram_notice))
        crossed = {alert.code: alert for alert in readings}
        self._since = {code: self._since.get(code, now) for code in crossed}
        patience = {
            AlertCode.QUEUE: limits.queue_seconds_warning,
            AlertCode.GPU_IDLE: limits.gpu_low_seconds,
            AlertCode.GPU_SATURATED: limits.gpu_high_seconds,
        }
        self._live_alerts = [
            alert for code, alert in crossed.items() if now - self._since[code] >= patience.get(code, 0.0)
        ]

    def _check_log(self, code: AlertCode, value: float, notice: float | None, warning: float) -> None:
        if value > warning:
            self._log_alerts[code] = Alert(code=code, level=AlertLevel.WARNING, value=value, limit=warning)
        elif notice is not None and value > notice:
            self._log_alerts[code] = Alert(code=code, level=AlertLevel.NOTICE, value=value, limit=notice)


def _vram_share(sample: HardwareSample) -> float | None:
    if sample.vram_used_bytes is None or not sample.vram_total_bytes:
        return None
    return sample.vram_used_bytes / sample.vram_total_bytes
