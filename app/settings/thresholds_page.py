"""Settings: from which figure on the latency display speaks up."""

from __future__ import annotations

from app.core.settings_store import SettingsStore
from app.settings.settings_form import SettingsPage
from app.ui.theme import Theme


class ThresholdsPage(SettingsPage):
    def __init__(self, store: SettingsStore, theme: Theme) -> None:
        super().__init__(store, theme)
        self.set_title(
            self.tr("Latency"), self.tr("Figures turn to the colour of a notice or a warning above these values.")
        )
        notice, warning = self.tr("Notice above"), self.tr("Warning above")
        self.add_heading(self.tr("Time to first token"))
        self._ms("ttft_notice", notice)
        self._ms("ttft_warning", warning, self.tr("After about a second the thread of thought is lost."))
        self._ms("ttft_p99_notice", self.tr("P99: notice above"))
        self._ms("ttft_p99_warning", self.tr("P99: warning above"))
        self.add_heading(self.tr("Between tokens"))
        self._ms("itl_notice", notice, self.tr("Below 50 ms the text flows."))
        self._ms("itl_warning", warning)
        self._ms("itl_halting", self.tr("Halting above"))
        self.add_heading(self.tr("Whole answers"))
        self._seconds("e2e_p95_warning", self.tr("P95: warning above"))
        self._seconds("queue_seconds_warning", self.tr("Waiting: warning above"))
        self._percent("error_rate_warning", self.tr("Failed answers: above"), decimals=1)
        self.add_heading(self.tr("GPU"))
        self._percent("gpu_low_notice", self.tr("Idle below"))
        self._seconds("gpu_low_seconds", self.tr("for longer than"))
        self._percent("gpu_high_warning", self.tr("Busy above"))
        self._seconds("gpu_high_seconds", self.tr("for longer than"))
        self._percent("vram_notice", self.tr("Memory above"))

    def _ms(self, name: str, label: str, hint: str = "") -> None:
        box = self.add_number(
            ("thresholds", name), label, 1, 60_000, hint, step=10, decimals=0, suffix=self.tr(" ms"), scale=1000
        )
        box.setGroupSeparatorShown(True)

    def _seconds(self, name: str, label: str) -> None:
        self.add_number(("thresholds", name), label, 0.1, 3600, step=1, decimals=1, suffix=self.tr(" s"))

    def _percent(self, name: str, label: str, *, decimals: int = 0) -> None:
        self.add_number(
            ("thresholds", name),
            label,
            0,
            100,
            step=1 if not decimals else 0.1,
            decimals=decimals,
            suffix=self.tr(" %"),
            scale=100,
        )
