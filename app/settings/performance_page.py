"""Settings: what stays warm, and what is prepared ahead."""

from __future__ import annotations

from app.core.settings_store import SettingsStore
from app.settings.settings_form import SettingsPage
from app.settings.text_list import TextList
from app.ui.theme import Theme

_GB = 1e-9


class PerformancePage(SettingsPage):
    def __init__(self, store: SettingsStore, theme: Theme) -> None:
        super().__init__(store, theme)
        self.set_title(self.tr("Performance"))
        self._add_warm()
        self._add_ahead()

    def _add_warm(self) -> None:
        self.add_heading(self.tr("Kept in memory"))
        kept = TextList(self.theme, name=self.tr("Models that stay loaded"))
        self.bind(kept, ("models", "keep_warm"), kept.set_texts)
        kept.changed.connect(lambda texts: self.write(texts, ("models", "keep_warm")))
        kept.set_placeholder(self.tr("None. “Keep warm” in the list of models adds one."))
        self.add_row(self.tr("Always loaded"), kept, is_wide=True, is_high=True)
        self.add_whole(
            ("performance", "max_warm_models"),
            self.tr("Models at once"),
            1,
            16,
            self.tr("When one more is wanted, the one that was used longest ago leaves."),
        )
        self.add_whole(
            ("performance", "idle_unload_minutes"),
            self.tr("Unload when idle"),
            0,
            1440,
            self.tr("An unloaded model has to be read from disk before its next answer."),
            suffix=self.tr(" min"),
            special=self.tr("Never"),
            as_float=True,
        )
        self.add_number(
            ("performance", "warm_memory_bytes"),
            self.tr("Memory for models"),
            0,
            4096,
            self.tr("All loaded models together."),
            step=1,
            decimals=1,
            suffix=self.tr(" GB"),
            special=self.tr("Half of what is free"),
            scale=_GB,
            as_whole=True,
        )

    def _add_ahead(self) -> None:
        self.add_heading(self.tr("Ahead of the first token"))
        self.add_switch(
            ("performance", "is_prewarm_on"),
            self.tr("Prepare while you type"),
            self.tr("The model reads the chat and your unsent text, so that the answer begins sooner."),
        )
        self.add_switch(
            ("performance", "is_prewarm_on_battery"),
            self.tr("Also on battery"),
            self.tr("Preparing what is then not sent costs energy."),
        )
