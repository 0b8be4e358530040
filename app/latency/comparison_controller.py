"""Opens the comparison with the answers of the log, and runs what is to be tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.core.engine_texts import failure_text
from app.core.host_client import HostClient
from app.core.request_runner import RequestRunner
from app.latency.compare_dialog import CompareDialog
from app.latency.trial import Trial, trial_variants
from app.models.model_controller import ModelController
from app.ui.theme import Theme
from engine.errors import Failure
from engine.protocol import EffectiveSettings, MetricsRead, ModelSettings, ReadMetrics

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

ANSWERS = 500


class ComparisonController(RequestRunner):
    """One dialog at a time; closing it ends a running trial."""

    def __init__(self, parent: QWidget, theme: Theme, client: HostClient, models: ModelController) -> None:
        """The dialog is opened over `parent`."""
        super().__init__(client, parent)
        self._parent, self._theme, self._models = parent, theme, models
        self.trial = Trial(client)
        self.dialog: CompareDialog | None = None
        self._variants: list[tuple[str, ModelSettings]] = []

    def open(self) -> None:
        """Show the dialog; the answers come as soon as the log has been read."""
        if self.dialog is None:
            self.dialog = self._make()
        self._offer_variants(self.dialog)
        self.dialog.open()
        self.run("read answers", self._read(self.dialog))

    def _make(self) -> CompareDialog:
        dialog = CompareDialog(self._theme, self._parent)
        dialog.trial.requested.connect(self._start)
        dialog.trial.cancel_requested.connect(self.trial.cancel)
        dialog.finished.connect(lambda _code: self.trial.cancel())
        return dialog

    def _offer_variants(self, dialog: CompareDialog) -> None:
        model_id = self._models.model_id
        effective = self._models.status.effective or EffectiveSettings()
        self._variants = trial_variants(self._models.settings_of(model_id), effective)
        dialog.trial.set_variants([text for text, _ in self._variants])
        dialog.trial.setEnabled(self._models.status.effective is not None)

    async def _read(self, dialog: CompareDialog) -> None:
        event = await self.request(ReadMetrics(limit=ANSWERS), quiet=True)
        if isinstance(event, MetricsRead):
            dialog.set_answers(event.answers)

    def _start(self, prompt: str, a: int, b: int, n_runs: int) -> None:
        if self.dialog is not None and not self.is_running("trial"):  # One that was cancelled may still be ending.
            self.run("trial", self._try(self.dialog, prompt, a, b, n_runs))

    async def _try(self, dialog: CompareDialog, prompt: str, a: int, b: int, n_runs: int) -> None:
        (name_a, side_a), (name_b, side_b) = self._variants[a], self._variants[b]
        model_id = self._models.model_id
        own = self._models.settings_of(model_id)
        found = await self.trial.run(
            model_id, prompt, (side_a, side_b), own, n_runs, progressed=dialog.trial.set_progress
        )
        if isinstance(found, Failure):
            dialog.trial.set_ended(failure_text(found), is_warning=True)
        elif found is None:
            dialog.trial.set_ended(self.tr("Cancelled."))
        else:
            dialog.show_trial((name_a, name_b), found)
            dialog.trial.set_ended(self.tr("Done: the figures are above. The model has its own settings again."))
