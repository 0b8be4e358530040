"""Everything about latency beside the strip: opens the panel, the comparison and the ablation, and exports figures.

Made when the window has been shown: none of it is needed for a start.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from app.chat.chat_controller import ChatController
from app.core.engine_texts import failure_text
from app.core.host_client import HostClient
from app.core.request_runner import RequestRunner
from app.core.settings_store import SettingsStore
from app.latency.ablation_controller import AblationController
from app.latency.alert_controller import AlertController
from app.latency.comparison_controller import ComparisonController
from app.latency.latency_panel import LatencyPanel
from app.latency.panel_controller import PanelController
from app.latency.why_slow_controller import WhySlowController
from app.models.model_controller import ModelController
from app.ui.file_dialog import ask_where_to_save
from app.ui.notice_bar import NoticeBar
from app.ui.quantities import format_count
from app.ui.theme import Theme
from engine.protocol import ExportMetrics, MetricsExported, RequestFailed

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

_NOTICE_MS = 12_000


class LatencyController(RequestRunner):
    """Signals: `models_requested`: the user wants to choose another model; `panel_made(LatencyPanel)` when it is first
    wanted; `panel_toggled`: show or hide it.
    """

    models_requested = Signal()
    panel_made = Signal(object)
    panel_toggled = Signal()

    def __init__(
        self,
        parent: QWidget,
        theme: Theme,
        notices: NoticeBar,
        *,
        client: HostClient,
        chats: ChatController,
        models: ModelController,
        settings_store: SettingsStore,
    ) -> None:
        """Dialogs are opened over `parent`."""
        super().__init__(client, parent)
        self._parent, self._theme, self._notices = parent, theme, notices
        self._chats, self._models, self._settings_store = chats, models, settings_store
        self.panel: LatencyPanel | None = None
        self._panel_controller: PanelController | None = None
        self._is_panel_shown = False
        self.why_slow = WhySlowController(client, chats, models, settings_store, self)
        self.alerts = AlertController(client, settings_store, self)
        self.comparison = ComparisonController(parent, theme, client, models)
        self.ablation = AblationController(parent, theme)
        self.why_slow.told.connect(lambda text: notices.show_notice(text, key="advice", lasts_ms=_NOTICE_MS))
        self.why_slow.models_requested.connect(self.models_requested)

    def explain(self, message_id: str) -> None:
        """Open the panel with why this answer was slow."""
        if not self._is_panel_shown:
            self.panel_toggled.emit()
        if self.why_slow.explain(message_id) is None:
            self._notices.show_notice(self.tr("Nothing was measured for this answer."), lasts_ms=_NOTICE_MS)
        elif self.panel is not None:
            self.panel.show_card(self.panel.why)

    def set_panel_shown(self, is_shown: bool) -> None:
        """The panel's place was shown or hidden; it is made when there is somebody to look at it."""
        self._is_panel_shown = is_shown
        if is_shown and self.panel is None:
            self.panel = self._make_panel()
        if self._panel_controller is not None:
            self._panel_controller.set_shown(is_shown)

    async def export(self, path: Path) -> None:
        """Have the host write the log's figures, and say what came of it."""
        event = await self.request(ExportMetrics(path=str(path)), quiet=True)
        if isinstance(event, RequestFailed):
            self._notices.show_notice(failure_text(event.failure), is_warning=True)
        elif isinstance(event, MetricsExported):
            text = self.tr("The figures of {n} answers were written to {path}.", None, event.n_requests)
            text = text.format(n=format_count(event.n_requests), path=path)
            self._notices.show_notice(text, lasts_ms=_NOTICE_MS)

    def _ask_export(self) -> None:
        """Where to write the figures; the ending of the name chooses between CSV and JSON."""
        ask_where_to_save(
            self._theme, self._parent, self.tr("Export the figures"), "firstlight-figures.csv",
            lambda path: self.run(f"export to {path}", self.export(path)),
            kinds={self.tr("Table (*.csv)"): "csv", self.tr("Everything (*.json)"): "json"},
        )  # fmt: skip

    def _make_panel(self) -> LatencyPanel:
        panel = LatencyPanel(self._theme, self._settings_store.settings.thresholds)
        panel.closed.connect(self.panel_toggled)
        panel.compare_requested.connect(self.comparison.open)
        panel.ablation_requested.connect(lambda: self.ablation.open(self._models.model_id, self._models.status.name))
        panel.export_requested.connect(self._ask_export)
        self.alerts.changed.connect(panel.alerts.set_alerts)
        panel.alerts.set_alerts(self.alerts.alerts)
        self._panel_controller = PanelController(
            panel, client=self._client, chats=self._chats, models=self._models,
            settings_store=self._settings_store, why_slow=self.why_slow,
        )  # fmt: skip
        self.panel_made.emit(panel)
        return panel
