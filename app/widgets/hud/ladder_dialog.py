"""What each technique brings: measures one chat step by step on this machine, and shows it as bars."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.quantities import format_bytes, format_ms, format_rate
from app.theme import Theme
from app.widgets.hud.card import SMALL, note_label
from engine.protocol.records import LadderFigures, LadderRung

ROW = 25.0
HEAD = 24.0
LABEL = 148.0
GAP = 20.0
VALUE = 46.0


class LadderChart(QWidget):
    """One row for each step: TTFT, TPOT and the whole chat, the median dark and up to P95 light."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rungs: tuple[LadderRung, ...] = ()
        self._names: dict[str, str] = {}
        theme.changed.connect(self.update)

    def set_rungs(self, rungs: tuple[LadderRung, ...], names: dict[str, str]) -> None:
        self._rungs, self._names = rungs, names
        said = self.tr("{name}: TTFT {ttft} ms, TPOT {tpot} ms")
        self.setAccessibleName(
            "; ".join(
                said.format(name=names.get(r.name, r.name), ttft=format_ms(r.ttft_p50), tpot=format_ms(r.tpot_p50))
                for r in rungs
            )
        )
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(760, round(HEAD + ROW * max(len(self._rungs), 7)))

    def minimumSizeHint(self) -> QSize:
        return QSize(560, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._theme.font(SMALL))
        if not self._rungs:
            return
        charts = (
            (self.tr("TTFT, ms"), [(r.ttft_p50 * 1000, r.ttft_p95 * 1000) for r in self._rungs]),
            (self.tr("TPOT, ms"), [(r.tpot_p50 * 1000, r.tpot_p95 * 1000) for r in self._rungs]),
            (self.tr("Whole chat, s"), [(r.total, r.total) for r in self._rungs]),
        )
        metrics = QFontMetricsF(painter.font())
        painter.setPen(self._theme.color("ink"))
        for row, rung in enumerate(self._rungs):
            box = QRectF(0, HEAD + row * ROW, LABEL, ROW)
            name = metrics.elidedText(self._names.get(rung.name, rung.name), Qt.TextElideMode.ElideRight, LABEL - 8)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        width = (self.width() - LABEL) / len(charts)
        for index, (title, values) in enumerate(charts):
            self._paint_chart(painter, LABEL + index * width, width - GAP, title, values)

    def _paint_chart(
        self, painter: QPainter, left: float, width: float, title: str, values: list[tuple[float, float]]
    ) -> None:
        painter.setPen(self._theme.color("faint"))
        painter.drawText(QRectF(left, 0, width, HEAD), Qt.AlignmentFlag.AlignLeft, title)
        scale = (width - VALUE) / (max(high for _, high in values) or 1.0)
        for row, (middle, high) in enumerate(values):
            top = HEAD + row * ROW
            painter.fillRect(QRectF(left, top + 6, high * scale, ROW - 12), self._theme.color("accent", 80))
            painter.fillRect(QRectF(left, top + 6, middle * scale, ROW - 12), self._theme.color("accent"))
            painter.setPen(self._theme.color("dim"))
            box = QRectF(left + high * scale + 5, top, VALUE, ROW)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, format_rate(middle))


class LadderDialog(QDialog):
    """`started(model_id)` and `cancel_requested()`; setters take what became of it."""

    started = Signal(str)
    cancel_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("What each technique brings"))
        self.setMinimumWidth(800)
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
        self.chart = LadderChart(theme)
        self._quality = note_label(theme, color="ink")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(6)
        self._state = QLabel()
        self._state.setFont(theme.font(SMALL))
        self.button = QPushButton(self.tr("Measure"))
        self.button.clicked.connect(self._on_clicked)
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

    def set_model(self, model_id: str) -> None:
        """The model that will be measured."""
        if not self._is_running:
            self._model_id = model_id

    def set_progress(self, n_done: int, n_total: int, name: str) -> None:
        self._set_running(True)
        self._bar.setRange(0, n_total)
        self._bar.setValue(n_done)
        self._state.setText(self._names.get(name, name))

    def set_figures(self, figures: LadderFigures) -> None:
        """The measurement has ended well."""
        self._set_running(False)
        self.chart.set_rungs(figures.rungs, self._names)
        lines = [
            self.tr(
                "KV {type}: {divergence:.4f} nats from f16, the same likeliest token {share:.1f} % of the time"
            ).format(type=quality.kv_type, divergence=quality.divergence, share=quality.top1_agreement * 100)
            for quality in figures.qualities[1:]
        ]
        memory = [rung.memory_bytes for rung in figures.rungs]
        lines.append(
            self.tr("Memory from {low} to {high}").format(low=format_bytes(min(memory)), high=format_bytes(max(memory)))
        )
        self._quality.setText("\n".join(lines))
        self._state.setText(self.tr("{model}, {n} runs of each step").format(model=figures.model, n=figures.n_runs))

    def set_ended(self, text: str) -> None:
        """It has ended without figures."""
        self._set_running(False)
        self._state.setText(text)

    def _set_running(self, is_running: bool) -> None:
        self._is_running = is_running
        self._bar.setVisible(is_running)
        self.button.setText(self.tr("Cancel") if is_running else self.tr("Measure"))

    def _on_clicked(self) -> None:
        if self._is_running:
            self.cancel_requested.emit()
        elif self._model_id:
            self._set_running(True)
            self.started.emit(self._model_id)
