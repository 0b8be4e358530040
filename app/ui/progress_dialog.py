"""How far a long piece of work is, with a way to stop it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.ui.theme import Theme

_PATIENCE_MS = 300
"""Work that is over sooner is not worth a dialog."""


class ProgressDialog(QDialog):
    """Shows itself when the work takes longer. `cancelled` when the user does not want the rest."""

    cancelled = Signal()

    def __init__(self, theme: Theme, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setMinimumWidth(420)
        self._text = QLabel(title)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(title)
        self._bar.setRange(0, 0)
        self._stop = QPushButton(self.tr("Stop"))
        self._stop.clicked.connect(self.reject)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self._stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addWidget(self._text)
        column.addWidget(self._bar)
        column.addLayout(row)
        self._patience = QTimer(self, singleShot=True)
        self._patience.timeout.connect(self.open)
        self._patience.start(_PATIENCE_MS)

    @property
    def text(self) -> str:
        return self._text.text()

    def set_progress(self, fraction: float | None, text: str) -> None:
        """How much is done, 0 to 1 or None when unknown, and in words."""
        self._bar.setRange(0, 0 if fraction is None else 1000)
        if fraction is not None:
            self._bar.setValue(round(fraction * 1000))
        self._text.setText(text)

    def finish(self) -> None:
        """The work is over: go away without telling."""
        self._patience.stop()
        self.done(QDialog.DialogCode.Accepted)
        self.deleteLater()

    def reject(self) -> None:
        """Stop was chosen; the work ends at its next step."""
        self._stop.setEnabled(False)
        self._text.setText(self.tr("Stopping…"))
        self.cancelled.emit()
