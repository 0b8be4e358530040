"""The alerts of the latency panel: crossed thresholds with their readings; hidden when all is well."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.latency.panel_card import PanelCard, note_label
from app.ui.quantities import format_count, format_seconds, format_share
from app.ui.theme import Theme
from engine.latency.alerts import Alert, AlertCode, AlertLevel


class AlertsCard(PanelCard):
    """One line an alert; warnings carry a mark besides their colour."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.set_title(self.tr("Alerts"))
        self._lines = [AlertLine(theme) for _ in AlertCode]
        for line in self._lines:
            self.body.addWidget(line)
        self._templates = {
            AlertCode.TTFT_P99: self.tr("One answer in a hundred starts after {value} (limit {limit})."),
            AlertCode.E2E_P95: self.tr("One answer in twenty takes over {value} (limit {limit})."),
            AlertCode.ERROR_RATE: self.tr("{value} of the requests failed (limit {limit})."),
            AlertCode.GPU_IDLE: self.tr("The GPU is only {value} busy while answering: something else is slower."),
            AlertCode.GPU_SATURATED: self.tr("The GPU is {value} busy and requests are waiting."),
            AlertCode.QUEUE: self.tr("Requests that have been waiting for a while: {value}."),
            AlertCode.VRAM: self.tr("{value} of the GPU's memory is in use."),
        }
        self.hide()

    def set_alerts(self, alerts: Sequence[Alert]) -> None:
        for line in self._lines:
            line.hide()
        for line, alert in zip(self._lines, alerts, strict=False):
            value, limit = (_reading(alert.code, figure) for figure in (alert.value, alert.limit))
            line.show_alert(alert.level, self._templates[alert.code].format(value=value, limit=limit))
        self.set_headline(format_count(len(alerts)) if alerts else "")
        self.setVisible(bool(alerts))

    @property
    def texts(self) -> list[str]:
        """What is shown, a line for each alert."""
        return [line.text for line in self._lines if not line.isHidden()]


class AlertLine(QWidget):
    """One alert: its mark at the left, its words beside it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._marks = {
            AlertLevel.WARNING: note_label(theme, "▲", color="warn"),
            AlertLevel.NOTICE: note_label(theme, "△", color="note"),
        }
        self._marks[AlertLevel.WARNING].setAccessibleName(self.tr("warning"))
        self._marks[AlertLevel.NOTICE].setAccessibleName(self.tr("notice"))
        self._words = note_label(theme, color="ink")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for mark in self._marks.values():
            mark.setWordWrap(False)
            row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._words, 1)
        self.hide()

    @property
    def text(self) -> str:
        mark = next(label.text() for label in self._marks.values() if not label.isHidden())
        return f"{mark} {self._words.text()}"

    def show_alert(self, level: AlertLevel, text: str) -> None:
        for each, mark in self._marks.items():
            mark.setVisible(each is level)
        self._words.setText(text)
        self.show()


def _reading(code: AlertCode, value: float) -> str:
    if code in (AlertCode.TTFT_P99, AlertCode.E2E_P95):
        return format_seconds(value)
    if code is AlertCode.QUEUE:
        return format_count(value)
    digits = 1 if value < 0.1 else 0
    return format_share(value, digits)
