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
        self._live_alerts: dict[AlertCode, Alert] = {}

    @property
    def alerts(self) -> list[Alert]:
        """What is crossed now, warnings first."""
        found = [*self._log_alerts.values(), *self._live_alerts.values()]
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
        gpu = sample.gpu_utilisation
        is_idle = gpu is not None and sample.n_running > 0 and gpu < limits.gpu_low_notice
        self._check_live(
            AlertCode.GPU_IDLE, is_idle, now, limits.gpu_low_seconds, gpu, limits.gpu_low_notice, AlertLevel.NOTICE
        )
        is_full = gpu is not None and gpu > limits.gpu_high_warning and sample.n_waiting > 0
        self._check_live(AlertCode.GPU_SATURATED, is_full, now, limits.gpu_high_seconds, gpu, limits.gpu_high_warning)
        self._check_live(
            AlertCode.QUEUE, sample.n_waiting > 0, now, limits.queue_seconds_warning, sample.n_waiting, 0.0
        )
        share = None
        if sample.vram_used_bytes is not None and sample.vram_total_bytes:
            share = sample.vram_used_bytes / sample.vram_total_bytes
        is_tight = share is not None and share > limits.vram_notice
        self._check_live(AlertCode.VRAM, is_tight, now, 0.0, share, limits.vram_notice, AlertLevel.NOTICE)

    def _check_log(self, code: AlertCode, value: float, notice: float | None, warning: float) -> None:
        if value > warning:
            self._log_alerts[code] = Alert(code=code, level=AlertLevel.WARNING, value=value, limit=warning)
        elif notice is not None and value > notice:
            self._log_alerts[code] = Alert(code=code, level=AlertLevel.NOTICE, value=value, limit=notice)

    def _check_live(
        self,
        code: AlertCode,
        is_crossed: bool,
        now: float,
        seconds: float,
        value: float | None,
        limit: float,
        level: AlertLevel = AlertLevel.WARNING,
    ) -> None:
        if not is_crossed or value is None:
            self._since.pop(code, None)
            self._live_alerts.pop(code, None)
            return
        since = self._since.setdefault(code, now)
        if now - since >= seconds:
            self._live_alerts[code] = Alert(code=code, level=level, value=value, limit=limit)
