"""What each technique brings: measures one chat step by step on this machine, and shows it as bars."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.latency.ablation_bars import AblationBars
from app.latency.panel_card import note_label
from app.ui.announcement import announce
from app.ui.quantities import format_count, format_share
from app.ui.theme import Theme
from engine.protocol.records import AblationFigures

WIDTH = 980


class AblationDialog(QDialog):
    """`started(model_id)` and `cancel_requested()`; setters take what became of it."""

    started = Signal(str)
    cancel_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("What each technique brings"))
        self.setMinimumWidth(WIDTH)
        self._model_id = ""
        self._is_running = False
        self._intro = note_label(
            theme,
            self.tr(
                "One chat is run on your model and machine, each time with one technique more: a short question, a "
                "long document, more turns, the chat opened again, a text to edit. It takes some minutes; other work "
                "on the machine blurs the figures."
            ),
        )
        self.chart = AblationBars(theme)
        self._quality = note_label(theme)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Progress"))
        self._state = note_label(theme, color="ink")
        self.button = QPushButton(self.tr("Measure"))
        self.button.clicked.connect(self._on_clicked)
        self.button.setEnabled(False)
        foot = QHBoxLayout()
        foot.addWidget(self._state, 1)
        foot.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        for widget in (self._intro, self.chart, self._quality, self._bar):
            column.addWidget(widget)
        column.addStretch(1)
        column.addLayout(foot)
        self._bar.hide()
        self.chart.hide()
        self._quality.hide()
        self._names = {
            "plain": self.tr("plain"),
            "flash attention": self.tr("+ flash attention"),
            "KV q8_0": self.tr("+ KV q8_0"),
            "prefix reuse": self.tr("+ prefix reuse"),
            "snapshots": self.tr("+ snapshots"),
            "prefill while typing": self.tr("+ prefill while typing"),
            "speculative": self.tr("+ speculative"),
            "quality": self.tr("quality of KV types"),
        }
        self.finished.connect(lambda _code: self.cancel_requested.emit())

    def set_model(self, model_id: str, name: str) -> None:
        """The model that will be measured; without one there is nothing to do."""
        if self._is_running:
            return
        self._model_id = model_id
        self.button.setEnabled(bool(model_id))
        if self.chart.isHidden():
            text = self.tr("{model} will be measured.") if model_id else self.tr("Choose a model in the window first.")
            self._state.set_color("ink")
            self._state.setText(text.format(model=name))

    def set_progress(self, n_done: int, n_total: int, name: str) -> None:
        self._set_running(True)
        self._state.set_color("ink")
        self._bar.setRange(0, n_total)
        self._bar.setValue(n_done)
        text = self.tr("{n} of {total}: {name}")
        self._state.setText(text.format(n=min(n_done + 1, n_total), total=n_total, name=self._names.get(name, name)))

    def set_figures(self, figures: AblationFigures) -> None:
        """The measurement has ended well."""
        self._set_running(False)
        self._state.set_color("ink")
        self.chart.set_steps(figures.steps, self._names)
        self.chart.show()
        self._quality.show()
        text = self.tr(
            "KV {type} against f16: {divergence} nats of KL divergence, the same likeliest token at {share} of {n} "
            "positions",
            None,
            figures.n_compared,
        )
        lines = [
            text.format(
                type=quality.kv_type, divergence=f"{quality.divergence:.4f}",
                share=format_share(quality.top1_agreement, 1), n=format_count(figures.n_compared),
            )
            for quality in figures.qualities[1:]
        ]  # fmt: skip
        lines.append(
            self.tr(
                "Solid: median, faded: up to P95; less is better. Reopened: the first answer after a restart.\n"
                "Change: of the whole chat, against the step before. Noise: the runs of both steps overlap."
            )
        )
        self._quality.setText("\n".join(lines))
        text = self.tr("{model}, {n} runs of each step", None, figures.n_runs)
        self._state.setText(text.format(model=figures.model, n=figures.n_runs))
        self._fit()
        announce(self, self._state.text())

    def set_ended(self, text: str, *, is_warning: bool = False) -> None:
        """It has ended without figures, by the user or by a fault."""
        self._set_running(False)
        self._state.set_color("warn" if is_warning else "ink")
        self._state.setText(text)
        self._fit()
        announce(self, text)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def _set_running(self, is_running: bool) -> None:
        self._is_running = is_running
        self._bar.setVisible(is_running)
        self.button.setText(self.tr("Cancel") if is_running else self.tr("Measure"))
        self._fit()

    def _fit(self) -> None:
        """As high as its texts are at this width: a dialog's own hint takes them for narrower."""
        width = max(self.width(), self.minimumWidth())
        if (layout := self.layout()) is not None:
            layout.activate()
            self.resize(width, layout.totalHeightForWidth(width))

    def _on_clicked(self) -> None:
        if self._is_running:
            self.cancel_requested.emit()
        elif self._model_id:
            self._set_running(True)
            self.started.emit(self._model_id)
