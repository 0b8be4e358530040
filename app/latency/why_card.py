"""Why was this answer slow: one sentence, one button, and what became of it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton

from app.latency.panel_card import MARGIN_X, MARGIN_Y, SMALL, PanelCard, note_label
from app.ui.theme import Theme

BAR_WIDTH = 3


class WhyCard(PanelCard):
    """Hidden while there is nothing to explain."""

    action_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        self._button = QPushButton()
        self._color = "note"
        super().__init__(theme)
        self.indent(BAR_WIDTH + 9)
        self._sentence = note_label(theme, color="ink")
        self.body.addWidget(self._sentence)
        self._button.setFlat(True)
        self._button.setCursor(Qt.CursorShape.PointingHandCursor)
        self._button.clicked.connect(self.action_requested)
        self.body.addWidget(self._button, 0, Qt.AlignmentFlag.AlignLeft)
        self._outcome = note_label(theme)
        self.body.addWidget(self._outcome)
        self.clear()

    def show_diagnosis(self, when: str, sentence: str, action: str) -> None:
        """Explain the answer given at `when`; `action` is the button's text, or empty."""
        self._color = "note"
        self.set_title(self.tr("Why was the answer at {time} slow?").format(time=when))
        self._sentence.setText(sentence)
        self._button.setText(action)
        self._button.setAccessibleName(action)
        self._button.setVisible(bool(action))
        self._outcome.hide()
        self.show()

    def show_fast(self, when: str) -> None:
        """The answer given at `when` was not slow; what became of an earlier change stays in view."""
        self._color = "good"
        self.set_title(self.tr("The answer at {time} was not slow").format(time=when))
        self._sentence.setText(self.tr("All its figures are within your thresholds."))
        self._button.hide()
        self.setVisible(not self._outcome.isHidden())

    def show_outcome(self, text: str) -> None:
        """What the next answer said about the change: `KV q8_0: ITL P50 21 ms → 17 ms, faster`."""
        self._outcome.setText(text)
        self._outcome.show()
        self._button.hide()
        self.show()

    def clear(self) -> None:
        self._outcome.hide()
        self.hide()

    @property
    def sentence(self) -> str:
        return self._sentence.text()

    def restyle(self) -> None:
        super().restyle()
        self._button.setFont(self.theme.font(SMALL - 0.5))
        self._button.setStyleSheet(
            f"QPushButton {{ color: {self.theme.tokens.accent}; border: none; padding: 2px 0; text-align: left;"
            " background: transparent; } QPushButton:hover, QPushButton:focus { text-decoration: underline; }"
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.color(self._color))
        painter.drawRoundedRect(QRectF(MARGIN_X, MARGIN_Y, BAR_WIDTH, self.height() - 2 * MARGIN_Y), 1.5, 1.5)
