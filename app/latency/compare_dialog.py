"""Compare two answers, two settings or two models side by side, and say whether the difference is more than noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QDateTime, QLineF, QLocale, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QComboBox, QDialog, QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.latency.latency_accessibility import Chart
from app.latency.panel_card import SMALL, note_label
from app.latency.settings_summary import settings_line
from app.latency.trial_pane import TrialPane
from app.ui.choice_box import ChoiceBox
from app.ui.quantities import format_change, format_count, format_rate_finely, format_seconds_finely, format_share
from app.ui.theme import Theme
from engine.latency.significance import CONFIDENCE, MIN_RUNS, ComparedMetric, compare
from engine.metrics import RequestMetrics
from engine.protocol import LoggedRequest

MAX_SINGLE_ANSWERS = 50
BAR_WIDTH, BAR_EDGE = 170, 6


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One side that can be chosen: all answers of a model and its settings, or a single answer."""

    text: str
    runs: tuple[RequestMetrics, ...]


class IntervalBar(Chart):
    """The relative difference as a dot and its 95 % interval as a line, around a middle of no difference."""

    def __init__(self, theme: Theme, row: ComparedMetric, scale: float) -> None:
        super().__init__()
        self._theme, self._row, self._scale = theme, row, scale
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(150)

    def sizeHint(self) -> QSize:
        return QSize(BAR_WIDTH, 26)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = self.height() / 2
        painter.setPen(QPen(self._theme.color("faint", 120), 1))
        painter.drawLine(QLineF(self.width() // 2 + 0.5, 0, self.width() // 2 + 0.5, self.height()))
        color = self._theme.color("faint")
        if self._row.exceeds_noise:
            color = self._theme.color("good" if self._row.is_better else "warn")
        if self._row.low is not None and self._row.high is not None:
            painter.setPen(QPen(color, 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(QLineF(self._x(self._row.low), middle, self._x(self._row.high), middle))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        dot = QPointF(self._x(self._row.difference), middle)
        painter.drawEllipse(QRectF(dot.x() - 4, dot.y() - 4, 8, 8))

    def _x(self, difference: float) -> float:
        half = self.width() / 2 - BAR_EDGE
        return self.width() / 2 + max(-1.0, min(1.0, difference / self._scale)) * half


class IntervalAxis(Chart):
    """What the edges of the bars above it stand for, and their middle."""

    def __init__(self, theme: Theme, scale: float) -> None:
        super().__init__()
        self._theme, self._font = theme, theme.font(SMALL - 1)
        self._texts = (format_change(-scale), format_share(0), format_change(scale))
        self.setAccessibleName(self.tr("from {low} to {high}").format(low=self._texts[0], high=self._texts[2]))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(BAR_WIDTH, QFontMetrics(self._font).height() + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._font)
        painter.setPen(self._theme.color("faint"))
        sides = (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignRight)
        for text, side in zip(self._texts, sides, strict=True):
            painter.drawText(self.rect(), side | Qt.AlignmentFlag.AlignVCenter, text)


class CompareDialog(QDialog):
    """Shows what the log has; `set_answers` fills the choices, `trial` asks for two settings to be tried."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Compare"))
        self.setMinimumWidth(760)
        self._theme = theme
        self._choices: list[ComparedSide] = []
        self._logged: list[ComparedSide] = []
        self._a, self._b = ChoiceBox(), ChoiceBox()
        sides = QGridLayout()
        sides.setColumnStretch(1, 1)
        for line, (name, box) in enumerate((("A", self._a), ("B", self._b))):
            label = QLabel(name)
            label.setFont(theme.font(is_bold=True))
            box.setAccessibleName(self.tr("Side {name}").format(name=name))
            box.setMinimumContentsLength(48)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setPlaceholderText(self.tr("no answers yet"))
            box.currentIndexChanged.connect(self._refresh)
            sides.addWidget(label, line, 0)
            sides.addWidget(box, line, 1)
        self._table = QGridLayout()
        self._table.setHorizontalSpacing(18)
        self._table.setVerticalSpacing(0)  # The line of no difference runs through.
        self._table.setColumnStretch(5, 1)
        self._note = note_label(theme)
        self.trial = TrialPane(theme)
        self._tried: list[ComparedSide] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(16)
        column.addLayout(sides)
        column.addLayout(self._table)
        column.addWidget(self._note)
        column.addStretch(1)
        column.addWidget(self.trial)
        self._names = {
            "ttft": self.tr("TTFT"), "itl_p50": self.tr("ITL P50"), "itl_p99": self.tr("ITL P99"),
            "tpot": self.tr("TPOT"), "decode_tps": self.tr("Decode, tok/s"),
            "prefill_tps": self.tr("Prefill, tok/s"), "e2e_latency": self.tr("Total"),
        }  # fmt: skip

    def set_answers(self, answers: Sequence[LoggedRequest]) -> None:
        """Fill both sides: first the groups of equal model and settings, then single answers, the latest first."""
        self._logged = [*self._groups(answers), *self._singles(answers)]
        self._fill()

    def show_trial(
        self, names: tuple[str, str], runs: tuple[Sequence[RequestMetrics], Sequence[RequestMetrics]]
    ) -> None:
        """Put the two sides of a trial first, and compare them."""
        self._tried = [
            ComparedSide(
                self.tr("{n} tried answers: {name}", None, len(side)).format(n=format_count(len(side)), name=name),
                tuple(side),
            )
            for name, side in zip(names, runs, strict=True)
        ]
        self._fill()

    def _fill(self) -> None:
        self._choices = [*self._tried, *self._logged]
        for box, index in ((self._a, 0), (self._b, 1)):
            box.blockSignals(True)
            box.clear()
            box.addItems([choice.text for choice in self._choices])
            box.setCurrentIndex(min(index, len(self._choices) - 1))
            box.setEnabled(bool(self._choices))
            box.blockSignals(False)
        self._refresh()

    @property
    def rows(self) -> list[ComparedMetric]:
        """What is shown: the comparison of the chosen sides."""
        a, b = self._a.currentIndex(), self._b.currentIndex()
        if min(a, b) < 0 or a == b:
            return []
        return compare(self._choices[a].runs, self._choices[b].runs)

    def _groups(self, answers: Sequence[LoggedRequest]) -> list[ComparedSide]:
        groups: dict[tuple[str, str, str], list[RequestMetrics]] = {}
        for answer in answers:
            if not answer.error_code:
                key = (answer.model, answer.quantization, answer.settings)
                groups.setdefault(key, []).append(answer.metrics)
        choices = []
        for (model, quantization, settings), runs in groups.items():
            name = " · ".join(part for part in (model, quantization, settings_line(settings)) if part)
            text = self.tr("{n} answers: {name}", None, len(runs))
            choices.append(ComparedSide(text.format(n=format_count(len(runs)), name=name), tuple(runs)))
        return choices

    def _singles(self, answers: Sequence[LoggedRequest]) -> list[ComparedSide]:
        choices = []
        for answer in answers[:MAX_SINGLE_ANSWERS]:
            moment = QDateTime.fromSecsSinceEpoch(int(answer.at))
            time = QLocale().toString(moment, QLocale.FormatType.ShortFormat)
            n = answer.metrics.n_decoded
            text = self.tr("{time}: {n} tokens, {model}", None, n)
            text = text.format(time=time, n=format_count(n), model=answer.model)
            choices.append(ComparedSide(text, (answer.metrics,)))
        return choices

    def _refresh(self) -> None:
        while (item := self._table.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        rows = self.rows
        if not rows:
            self._note.setText(
                self.tr("Choose two different sides.")
                if self._choices
                else self.tr("Nothing has been measured yet: ask something, or try two settings below.")
            )
            return
        has_intervals = any(row.low is not None for row in rows)
        interval = self.tr("{share} interval").format(share=format_share(CONFIDENCE)) if has_intervals else ""
        heads = ("", "A", "B", self.tr("Difference"), self.tr("Verdict"), interval)
        for column, head in enumerate(heads):
            self._add(0, column, head, "faint")
        scale = max(0.1, *(abs(bound) for row in rows for bound in (row.difference, row.low or 0.0, row.high or 0.0)))
        for line, row in enumerate(rows, 1):
            verdict, color = self._verdict(row)
            self._add(line, 0, self._names[row.name], "ink")
            self._add(line, 1, _figure(row.name, row.a), "ink")
            self._add(line, 2, _figure(row.name, row.b), "ink")
            self._add(line, 3, format_change(row.difference, 1), color)
            self._add(line, 4, verdict, color)
            bar = IntervalBar(self._theme, row, scale)
            bar.setAccessibleName(self._spoken(row, verdict))
            self._table.addWidget(bar, line, 5)
        self._table.addWidget(IntervalAxis(self._theme, scale), len(rows) + 1, 5)
        text = self.tr("Medians of both sides' answers ({a} and {b}).")
        if has_intervals:
            text = self.tr(
                "Medians of both sides' answers ({a} and {b}). The interval is a bootstrap of 2,000 resamples."
            )
        self._note.setText(text.format(a=max(row.n_a for row in rows), b=max(row.n_b for row in rows)))

    def _spoken(self, row: ComparedMetric, verdict: str) -> str:
        """The whole line, as its picture says it."""
        said = f"{self._names[row.name]}: {verdict}"
        if row.low is None or row.high is None:
            return said
        text = self.tr("{said}, by {low} to {high}")
        return text.format(said=said, low=format_change(row.low, 1), high=format_change(row.high, 1))

    def _verdict(self, row: ComparedMetric) -> tuple[str, str]:
        if row.exceeds_noise is None:
            return self.tr("under {n} runs: no verdict", None, MIN_RUNS).format(n=MIN_RUNS), "dim"
        if not row.exceeds_noise:
            return self.tr("within the noise"), "dim"
        return (self.tr("better"), "good") if row.is_better else (self.tr("worse"), "warn")

    def _add(self, line: int, column: int, text: str, color: str) -> None:
        label = QLabel(text)
        label.setFont(self._theme.font(-1))
        label.setStyleSheet(f"color: {getattr(self._theme.tokens, color)}; background: transparent;")
        align = Qt.AlignmentFlag
        side = align.AlignRight if column in (1, 2, 3) else align.AlignHCenter if column == 5 else align.AlignLeft
        label.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        self._table.addWidget(label, line, column)


def _figure(name: str, value: float) -> str:
    """With enough digits that the difference beside it can be checked."""
    return format_rate_finely(value) if name.endswith("_tps") else format_seconds_finely(value)
