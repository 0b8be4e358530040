"""The alerts of the HUD panel: crossed thresholds with their readings; hidden when all is well."""

from __future__ import annotations

from collections.abc import Sequence

from app.quantities import format_count, format_seconds
from app.theme import Theme
from app.widgets.hud.card import Card, note_label
from engine.alerts import Alert, AlertCode, AlertLevel


class AlertsCard(Card):
    """One line an alert; warnings carry a mark besides their colour."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.set_title(self.tr("Alerts"))
        self._text = note_label(theme, color="ink")
        self.body.addWidget(self._text)
        self._templates = {
            AlertCode.TTFT_P99: self.tr("One answer in a hundred starts after {value} (limit {limit})."),
            AlertCode.E2E_P95: self.tr("One answer in twenty takes over {value} (limit {limit})."),
            AlertCode.ERROR_RATE: self.tr("{value} of the requests failed (limit {limit})."),
            AlertCode.GPU_IDLE: self.tr("The GPU is only {value} busy while answering: something else is slower."),
            AlertCode.GPU_SATURATED: self.tr("The GPU is {value} busy and requests are waiting."),
            AlertCode.QUEUE: self.tr("{value} requests have been waiting for a while."),
            AlertCode.VRAM: self.tr("{value} of the GPU's memory is in use."),
        }
        self.hide()

    def set_alerts(self, alerts: Sequence[Alert]) -> None:
        marks = {AlertLevel.WARNING: "▲", AlertLevel.NOTICE: "△"}
        lines = []
        for alert in alerts:
            value, limit = (_reading(alert.code, figure) for figure in (alert.value, alert.limit))
            lines.append(f"{marks[alert.level]} {self._templates[alert.code].format(value=value, limit=limit)}")
        self._text.setText("\n".join(lines))
        self.set_headline(format_count(len(lines)) if lines else "")
        self.setVisible(bool(lines))


def _reading(code: AlertCode, value: float) -> str:
    if code in (AlertCode.TTFT_P99, AlertCode.E2E_P95):
        return format_seconds(value)
    if code is AlertCode.QUEUE:
        return format_count(value)
    digits = 1 if value < 0.1 else 0
    return f"{value * 100:.{digits}f} %"
