"""The latency panel's percentiles over many answers, of one model and its settings or of all."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox

from app.latency.fact_table import FactRows
from app.latency.panel_card import SMALL, PanelCard, note_label
from app.latency.settings_summary import settings_line
from app.ui.choice_box import ChoiceBox
from app.ui.plain_text import plain_tip
from app.ui.quantities import format_count, format_ms
from app.ui.theme import Theme
from engine.protocol import LogGroup, MetricsRead, PercentileRow

NARROWEST = 12
"""Characters of the chooser; it takes the card's width, and its list what the names need."""

_WHOLE = ("ttft", "e2e_latency")
"""Of these a tenth of a millisecond says nothing."""


class PercentileCard(PanelCard):
    """P50, P90, P95 and P99 in milliseconds. `group_changed(LogGroup)`: an empty group stands for all answers."""

    group_changed = Signal(object)

    def __init__(self, theme: Theme) -> None:
        self._chooser = ChoiceBox()
        super().__init__(theme)
        self.set_title(self.tr("Percentiles, ms"))
        self._names = {
            "ttft": (
                self.tr("TTFT"),
                self.tr("Time to first token as the engine measures it: from the request on, without painting."),
            ),
            "itl": (self.tr("ITL"), self.tr("Inter-token latency: every gap between two tokens.")),
            "tpot": (self.tr("TPOT"), self.tr("Time per output token: decode time over the tokens after the first.")),
            "e2e_latency": (self.tr("Total"), self.tr("From the request to the last token.")),
        }
        self._groups: list[LogGroup] = []
        self._chooser.setAccessibleName(self.tr("Which model and settings the percentiles cover"))
        self._chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._chooser.setMinimumContentsLength(NARROWEST)
        self._chooser.currentIndexChanged.connect(self._on_chosen)
        self._chooser.hide()
        self.table = FactRows(theme)
        self._note = note_label(theme, self.tr("No answers here yet."), color="faint")
        for widget in (self._chooser, self.table, self._note):
            self.body.addWidget(widget)
        self.set_rows(())

    def show_read(self, read: MetricsRead) -> None:
        """What the log has for the scope and the group that were asked for."""
        self._offer(read.groups)
        self.set_rows(read.rows)
        if read.n_requests:
            n = round(read.tokens_per_hour)
            text = self.tr("{failed} of {all} failed · {n} tokens an hour", None, n)
            self._note.setText(
                text.format(failed=format_count(read.n_errors), all=format_count(read.n_requests), n=format_count(n))
            )
            self._note.show()

    def set_rows(self, rows: Sequence[PercentileRow]) -> None:
        self.table.clear()
        self.table.setVisible(bool(rows))
        self._note.setText(self.tr("No answers here yet."))
        self._note.setVisible(not rows)
        if not rows:
            self.set_headline("")
            return
        for column, head in enumerate(("", "P50", "P90", "P95", "P99")):
            self.table.set_cell(0, column, head, color="faint")
        for line, row in enumerate(rows, 1):
            name, tooltip = self._names[row.name]
            self.table.set_cell(line, 0, name, tooltip=tooltip)
            for column, value in enumerate((row.p50, row.p90, row.p95, row.p99), 1):
                is_whole = value >= 0.1 or (value >= 0.01 and row.name in _WHOLE)
                self.table.set_cell(line, column, format_count(value * 1000) if is_whole else format_ms(value))
        count = next((row.count for row in rows if row.name == "ttft"), rows[0].count)
        self.set_headline(self.tr("{n} answers", None, count).format(n=format_count(count)))

    @property
    def note(self) -> str:
        """What stands below the table."""
        return self._note.text() if not self._note.isHidden() else ""

    @property
    def group(self) -> LogGroup:
        """What was chosen; the empty group for all."""
        index = self._chooser.currentIndex()
        return self._groups[index - 1] if index > 0 else LogGroup()

    def restyle(self) -> None:
        super().restyle()
        self._chooser.setFont(self.theme.font(SMALL - 0.5))

    def _offer(self, groups: Sequence[LogGroup]) -> None:
        """Nothing to choose while all answers are of one kind."""
        if list(groups) != self._groups:
            chosen = self.group
            self._groups = list(groups)
            self._chooser.blockSignals(True)
            self._chooser.clear()
            self._chooser.addItem(self.tr("all models and settings"))
            for group in groups:
                parts = (group.model, group.quantization, settings_line(group.settings))
                self._chooser.addItem(" · ".join(part for part in parts if part))
            self._chooser.setCurrentIndex(self._groups.index(chosen) + 1 if chosen in self._groups else 0)
            self._chooser.blockSignals(False)
            view = self._chooser.view()
            view.setMinimumWidth(view.sizeHintForColumn(0) + 24)
            if chosen != self.group:  # It has no answers in this scope: what was read is for nobody.
                self.group_changed.emit(self.group)
        self._chooser.setVisible(len(self._groups) > 1)

    def _on_chosen(self, _index: int) -> None:
        self._chooser.setToolTip(plain_tip(self._chooser.currentText()))
        self.group_changed.emit(self.group)
