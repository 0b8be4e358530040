"""Opens the comparison with the answers of the log, and runs what is to be tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.core.engine_texts import failure_text
from app.core.host_client import HostClient
from app.core.tasks import spawn
from app.latency.compare_dialog import CompareDialog
from app.latency.trial import Trial, trial_variants
from app.models.model_controller import ModelController
from app.ui.theme import Theme
from engine.errors import Failure
from engine.metrics import RequestMetrics
from engine.protocol import EffectiveSettings, MetricsRead, ModelSettings, ReadMetrics

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

ANSWERS = 500


class ComparisonController(QObject):
    """One dialog at a time; closing it ends a running trial."""

    def __init__(self, parent: QWidget, theme: Theme, client: HostClient, models: ModelController) -> None:
        """The dialog is opened over `parent`."""
        super().__init__(parent)
        self._parent, self._theme, self._client, self._models = parent, theme, client, models
        self.trial = Trial(client, self)
        self.dialog: CompareDialog | None = None
        self._variants: list[tuple[str, ModelSettings]] = []
        self._names = ("", "")
        self.trial.progressed.connect(self._on_progressed)
        self.trial.finished.connect(self._on_finished)
        self.trial.cancelled.connect(lambda: self._end(self.tr("Cancelled.")))
        self.trial.failed.connect(self._on_failed)

    def open(self) -> None:
        """Show the dialog; the answers come as soon as the log has been read."""
        if self.dialog is None:
            self.dialog = CompareDialog(self._theme, self._parent)
            self.dialog.trial.requested.connect(self._start)
            self.dialog.trial.cancel_requested.connect(self.trial.cancel)
            self.dialog.finished.connect(lambda _code: self.trial.cancel())
        self._offer_variants(self.dialog)
        self.dialog.open()
        spawn(self._read(), owner=self, name="read answers")

    def _offer_variants(self, dialog: CompareDialog) -> None:
        model_id = self._models.model_id
        effective = self._models.status.effective or EffectiveSettings()
        self._variants = trial_variants(self._models.settings_of(model_id), effective)
        dialog.trial.set_variants([text for text, _ in self._variants])
        dialog.trial.setEnabled(self._models.status.effective is not None)

    async def _read(self) -> None:
        event = await self._client.request(ReadMetrics(limit=ANSWERS))
        if isinstance(event, MetricsRead) and self.dialog is not None:
            self.dialog.set_answers(event.answers)

    def _start(self, prompt: str, a: int, b: int, n_runs: int) -> None:
        self._names = (self._variants[a][0], self._variants[b][0])
        model_id = self._models.model_id
        own = self._models.settings_of(model_id)
        self.trial.start(model_id, prompt, (self._variants[a][1], self._variants[b][1]), own, n_runs)

    def _on_progressed(self, n_done: int, n_total: int) -> None:
        if self.dialog is not None:
            self.dialog.trial.set_progress(n_done, n_total)

    def _on_finished(self, a: Sequence[RequestMetrics], b: Sequence[RequestMetrics]) -> None:
        if self.dialog is not None:
            self.dialog.show_trial(self._names, (a, b))
        self._end(self.tr("Done: the figures are above. The model has its own settings again."))

    def _on_failed(self, failure: Failure) -> None:
        self._end(failure_text(failure), is_warning=True)

    def _end(self, text: str, *, is_warning: bool = False) -> None:
        if self.dialog is not None:
            self.dialog.trial.set_ended(text, is_warning=is_warning)
