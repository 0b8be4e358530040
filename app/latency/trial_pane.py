"""Try it: one prompt under two settings, asked for here and run elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QWidget,
)

from app.latency.panel_card import note_label
from app.ui.announcement import announce
from app.ui.choice_box import ChoiceBox
from app.ui.theme import Theme
from engine.latency.significance import MIN_RUNS

MAX_RUNS = 50


class TrialPane(QWidget):
    """`requested(prompt, index of A, index of B, runs a side)` and `cancel_requested()`."""

    requested = Signal(str, int, int, int)
    cancel_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        title = QLabel(self.tr("Try it"))
        title.setFont(theme.font(is_bold=True))
        self.prompt = QLineEdit(self.tr("Explain in a few sentences how a lighthouse works."))
        self.prompt.setAccessibleName(self.tr("Prompt to try"))
        self.a, self.b = ChoiceBox(), ChoiceBox()
        self.a.setAccessibleName(self.tr("Settings of side A"))
        self.b.setAccessibleName(self.tr("Settings of side B"))
        self.runs = QSpinBox()
        self.runs.setRange(MIN_RUNS, MAX_RUNS)
        self.runs.setSuffix(self.tr(" runs each"))
        self.runs.lineEdit().setTextMargins(6, 0, 0, 0)
        self.runs.setAccessibleName(self.tr("Runs on each side"))
        for box in (self.a, self.b):  # As high as the field beside them.
            box.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.button = QPushButton(self.tr("Try"))
        self.button.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Preferred)
        self.button.clicked.connect(self._on_clicked)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress"))
        self.bar.hide()
        self._note = note_label(theme)
        self._is_running = False
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        grid.addWidget(title, 0, 0)
        grid.addWidget(self.prompt, 1, 0, 1, 4)
        grid.addWidget(self.a, 2, 0)
        grid.addWidget(self.b, 2, 1)
        grid.addWidget(self.runs, 2, 2)
        grid.addWidget(self.button, 2, 3)
        grid.addWidget(self.bar, 3, 0, 1, 4)
        grid.addWidget(self._note, 4, 0, 1, 4)
        self.set_note(
            self.tr("The sides take turns, each run reads the prompt anew. The model is loaded again for each turn.")
        )

    def set_variants(self, texts: Sequence[str]) -> None:
        """The settings that can be tried; the first is how the model is loaded now."""
        for box, index in ((self.a, 0), (self.b, 1)):
            box.clear()
            box.addItems(list(texts))
            box.setCurrentIndex(min(index, len(texts) - 1))

    def set_note(self, text: str, *, is_warning: bool = False) -> None:
        self._note.set_color("warn" if is_warning else "dim")
        self._note.setText(text)

    def set_progress(self, n_done: int, n_total: int) -> None:
        """A trial runs."""
        self._set_running(True)
        self.bar.setRange(0, n_total)
        self.bar.setValue(n_done)
        self.set_note(self.tr("Run {n} of {total}").format(n=n_done + 1, total=n_total))

    def set_ended(self, text: str, *, is_warning: bool = False) -> None:
        """No trial runs any more; `text` says how it ended, or why it could not go on."""
        self._set_running(False)
        self.set_note(text, is_warning=is_warning)
        announce(self, text)

    def _set_running(self, is_running: bool) -> None:
        self._is_running = is_running
        self.bar.setVisible(is_running)
        self.button.setText(self.tr("Cancel") if is_running else self.tr("Try"))
        for widget in (self.prompt, self.a, self.b, self.runs):
            widget.setEnabled(not is_running)

    def _on_clicked(self) -> None:
        if self._is_running:
            self.cancel_requested.emit()
        elif self.a.currentIndex() == self.b.currentIndex():
            self.set_note(self.tr("Choose two different settings."))
            announce(self, self._note.text())
        elif self.prompt.text().strip():
            self.requested.emit(
                self.prompt.text().strip(), self.a.currentIndex(), self.b.currentIndex(), self.runs.value()
            )
