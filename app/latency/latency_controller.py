"""Everything about latency beside the strip: the panel and what feeds it, advice, alerts, comparisons.

Made when the window has been shown: none of it is needed for a start.
"""

from __future__ import annotations

from PySide6.QtCore import QDateTime, QLocale, QObject, Signal
from PySide6.QtWidgets import QFileDialog

from app.chat.chat_controller import ChatController
from app.core.engine_texts import failure_text
from app.core.host_client import HostClient
from app.core.settings_store import SettingsStore
from app.core.tasks import spawn
from app.latency import diagnosis_texts
from app.latency.ablation_dialog import AblationDialog
from app.latency.ablation_runner import AblationRunner
from app.latency.alert_controller import AlertController
from app.latency.comparison_controller import ComparisonController
from app.latency.latency_panel import LatencyPanel
from app.latency.panel_controller import PanelController
from app.latency.why_slow_controller import Explanation, WhySlowController
from app.models.model_controller import ModelController
from app.transcript.transcript_view import Transcript
from app.ui.file_dialog import file_dialog
from app.ui.quantities import format_count
from app.window.main_window import MainWindow
from engine.protocol import ExportMetrics, MetricsExported, RequestFailed
from engine.settings import Thresholds

_NOTICE_MS = 12_000


class LatencyController(QObject):
    """`models_requested`: the user wants to choose another model."""

    models_requested = Signal()

    def __init__(
        self,
        window: MainWindow,
        transcript: Transcript | None,
        *,
        client: HostClient,
        chats: ChatController,
        models: ModelController,
        preferences: SettingsStore,
    ) -> None:
        super().__init__(window)
        self._window, self._client, self._chats, self._models = window, client, chats, models
        self._preferences = preferences
        self.panel: LatencyPanel | None = None
        self.feed: PanelController | None = None
        self.advisor = WhySlowController(client, chats, models, preferences, self)
        self.alerts = AlertController(client, preferences, self)
        self.comparison = ComparisonController(window, client, models, self)
        self.ladder: AblationDialog | None = None
        self.alerts.changed.connect(window.strip.set_alerts)
        self.advisor.told.connect(lambda text: window.notices.show_notice(text, key="advice", lasts_ms=_NOTICE_MS))
        self.advisor.models_requested.connect(self.models_requested)
        preferences.changed.connect(lambda: self._set_thresholds(preferences.settings.thresholds))
        window.composer.submitted.connect(lambda *_: self.advisor.note_enter())
        if transcript is not None:
            transcript.first_token_painted.connect(self.advisor.note_painted)
            transcript.why_slow_requested.connect(self.explain)
        window.panel_shown.connect(self._on_panel_shown)
        if not window.panel.isHidden():
            self._on_panel_shown(True)

    def explain(self, message_id: str) -> None:
        """Open the panel with why this answer was slow."""
        if self._window.panel.isHidden():
            self._window.toggle_panel()
        if self.advisor.explain(message_id) is None:
            self._window.notices.show_notice(self.tr("Nothing was measured for this answer."), lasts_ms=_NOTICE_MS)
        elif self.panel is not None:
            self.panel.show_card(self.panel.why)

    def show_ladder(self) -> None:
        """The dialog that measures what each technique brings on this machine."""
        if self.ladder is None:
            self.ladder = self._make_ladder()
        self.ladder.set_model(self._models.model_id, self._models.status.name)
        self.ladder.open()

    def _ask_export(self) -> None:
        """Where to write the figures; the ending of the name chooses between CSV and JSON."""
        dialog = file_dialog(self._window.theme, self._window, self.tr("Export the figures"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([self.tr("Table (*.csv)"), self.tr("Everything (*.json)")])
        dialog.selectFile("firstlight-figures.csv")
        dialog.fileSelected.connect(lambda path: spawn(self.export(path), owner=self, name="export figures"))
        dialog.open()

    async def export(self, path: str) -> None:
        """Have the host write the log's figures, and say what came of it."""
        event = await self._client.request(ExportMetrics(path=path))
        if isinstance(event, RequestFailed):
            self._window.notices.show_notice(failure_text(event.failure), is_warning=True)
        elif isinstance(event, MetricsExported):
            text = self.tr("The figures of {n} answers were written to {path}.", None, event.n_requests)
            text = text.format(n=format_count(event.n_requests), path=path)
            self._window.notices.show_notice(text, lasts_ms=_NOTICE_MS)

    def _make_ladder(self) -> AblationDialog:
        dialog, runner = AblationDialog(self._window.theme, self._window), AblationRunner(self)
        dialog.started.connect(runner.start)
        runner.progressed.connect(dialog.set_progress)
        runner.finished.connect(dialog.set_figures)
        runner.failed.connect(lambda text: dialog.set_ended(text, is_warning=True))

        def cancel() -> None:
            if runner.is_running:
                runner.cancel()
                dialog.set_ended(self.tr("Cancelled."))

        dialog.cancel_requested.connect(cancel)
        return dialog

    def _on_panel_shown(self, is_shown: bool) -> None:
        if is_shown and self.panel is None:
            self.panel = self._make_panel()
        if self.feed is not None:
            self.feed.set_shown(is_shown)

    def _make_panel(self) -> LatencyPanel:
        panel = LatencyPanel(self._window.theme, self._preferences.settings.thresholds)
        panel.closed.connect(self._window.toggle_panel)
        panel.action_requested.connect(self.advisor.act)
        panel.compare_requested.connect(self.comparison.open)
        panel.ladder_requested.connect(self.show_ladder)
        panel.export_requested.connect(self._ask_export)
        self.alerts.changed.connect(panel.alerts.set_alerts)
        panel.alerts.set_alerts(self.alerts.alerts)
        self.advisor.explained.connect(self._show_explanation)
        self.advisor.confirmed.connect(panel.why.show_outcome)
        self.feed = PanelController(panel, self._client, self._chats, lambda: self._models.status.effective)
        if self._chats.chat is not None:
            request_id, gaps = self.advisor.running(self._chats.chat.id)
            if request_id:
                self.feed.join_answer(request_id, gaps)
        self._window.panel.setMinimumWidth(0)  # The panel has its own width, with larger text a larger one.
        self._window.set_panel(panel)
        if self.advisor.last is not None:
            self._show_explanation(self.advisor.last)
        return panel

    def _show_explanation(self, found: Explanation) -> None:
        if self.panel is None:
            return
        diagnosis, metrics = found.diagnosis, found.answer.metrics
        moment = QDateTime.fromSecsSinceEpoch(int(found.answer.created_at)).time()
        when = QLocale().toString(moment, QLocale.FormatType.ShortFormat)
        if diagnosis is not None:
            text, button = diagnosis_texts.sentence(diagnosis), diagnosis_texts.button(diagnosis.action)
            self.panel.why.show_diagnosis(when, text, button)
        elif metrics is not None and _is_slow(metrics.ttft, metrics.itl.mean if metrics.itl else None, self._limits):
            self.panel.why.show_diagnosis(when, self.tr("No known cause explains its figures."), "")
        else:
            self.panel.why.show_fast(when)

    @property
    def _limits(self) -> Thresholds:
        return self._preferences.settings.thresholds

    def _set_thresholds(self, thresholds: Thresholds) -> None:
        if self.panel is not None:
            self.panel.set_thresholds(thresholds)


def _is_slow(ttft: float | None, itl: float | None, limits: Thresholds) -> bool:
    return (ttft or 0.0) > limits.ttft_notice or (itl or 0.0) > limits.itl_notice
