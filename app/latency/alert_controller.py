"""Watches the machine and this session's answers for crossed thresholds."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.host_client import HostClient, HostState
from app.core.request_runner import RequestRunner
from app.core.settings_store import SettingsStore
from engine.latency.alerts import Alert, AlertMonitor
from engine.protocol import GenerationFinished, HardwareSample, MetricsRead, ReadMetrics, RequestFailed

READ_MS = 5000
"""The log is read at most so often, and only after an answer has ended."""


class AlertController(RequestRunner):
    """`changed(list of Alert)` when other thresholds are crossed than before, or their readings changed."""

    changed = Signal(object)

    def __init__(self, client: HostClient, settings_store: SettingsStore, parent: QObject) -> None:
        super().__init__(client, parent)
        self._settings_store = settings_store
        self._monitor = AlertMonitor(settings_store.settings.thresholds)
        self._alerts: list[Alert] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(READ_MS)
        self._timer.timeout.connect(lambda: self.run("read alerts", self._read()))
        client.subscribe(HardwareSample, self._on_sample)
        client.subscribe(GenerationFinished, self._on_ended)
        client.subscribe(RequestFailed, self._on_ended)
        client.state_changed.connect(self._on_host_state)
        settings_store.changed.connect(self._on_settings_changed)

    @property
    def alerts(self) -> list[Alert]:
        return self._alerts

    def _on_settings_changed(self) -> None:
        if (thresholds := self._settings_store.settings.thresholds) != self._monitor.thresholds:
            self._monitor.thresholds = thresholds
            self._timer.start()

    def _on_sample(self, event: HardwareSample) -> None:
        self._monitor.observe_hardware(event, time.monotonic())
        self._announce()

    def _on_ended(self, _event: GenerationFinished | RequestFailed) -> None:
        if self._client.state is HostState.READY and not self._timer.isActive():
            self._timer.start()

    def _on_host_state(self, state: HostState) -> None:
        if state is not HostState.READY:
            self._timer.stop()

    async def _read(self) -> None:
        event = await self.request(ReadMetrics(scope="session"), quiet=True)
        if isinstance(event, MetricsRead):
            self._monitor.observe_percentiles(event.rows, event.n_requests, event.n_errors)
            self._announce()

    def _announce(self) -> None:
        if (alerts := self._monitor.alerts) != self._alerts:
            self._alerts = alerts
            self.changed.emit(alerts)
