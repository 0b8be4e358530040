"""The latency panel: every figure of this machine, repainted at most ten times a second and never when hidden."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.core.throttle import Throttle
from app.latency.alerts_card import AlertsCard
from app.latency.answer_cards import FactsCard, GapCard, LimitsCard, TtftCard
from app.latency.charts import USUAL_SIZE
from app.latency.machine_cards import STEP, HardwareCard, MemoryCard, ThroughputCard
from app.latency.panel_card import SMALL, PanelCard, note_label
from app.latency.percentile_card import PercentileCard
from app.latency.why_card import WhyCard
from app.ui.choice_box import ChoiceBox
from app.ui.style_sheet import icon
from app.ui.theme import Theme
from engine.metrics import RequestMetrics
from engine.protocol import EffectiveSettings, HardwareSample, LogGroup, MetricsRead
from engine.settings import Thresholds

WIDTH = 344
"""Pixels of the panel; it grows with larger text."""
REPAINT_MS = 100
SCOPES = ("chat", "session", "day", "all")


class LatencyPanel(QFrame):
    """Setters take what happened; signals say what the user wants. All setters are cheap while it is hidden."""

    closed = Signal()
    percentiles_wanted = Signal()
    action_requested = Signal()
    compare_requested = Signal()
    ablation_requested = Signal()
    export_requested = Signal()
    shown = Signal()

    def __init__(self, theme: Theme, thresholds: Thresholds | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("latencyPanel")
        self.setAccessibleName(self.tr("Latency"))
        self._theme = theme
        thresholds = thresholds or Thresholds()
        self.ttft = TtftCard(theme)
        self.gaps = GapCard(theme, thresholds)
        self.percentiles = PercentileCard(theme)
        self.throughput = ThroughputCard(theme)
        self.memory = MemoryCard(theme)
        self.hardware = HardwareCard(theme)
        self.limits = LimitsCard(theme)
        self.facts = FactsCard(theme)
        self.why = WhyCard(theme)
        self.alerts = AlertsCard(theme)
        self.why.action_requested.connect(self.action_requested)
        self.percentiles.group_changed.connect(lambda _group: self.percentiles_wanted.emit())
        self._metrics: RequestMetrics | None = None
        self._perceived_ttft: float | None = None
        self._repaint = Throttle(REPAINT_MS, self._refresh, self)
        self._build()
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_thresholds(self, thresholds: Thresholds) -> None:
        self.gaps.set_thresholds(thresholds)

    def begin_answer(self) -> None:
        """A new answer starts: its gaps begin at the left."""
        self.gaps.timeline.clear()
        self._perceived_ttft = None

    def add_gap(self, gap: float, *, is_interfered: bool = False) -> None:
        """One gap between two tokens, in seconds."""
        self.gaps.timeline.append(gap, is_marked=is_interfered)
        self._changed()

    def show_metrics(self, metrics: RequestMetrics, perceived_ttft: float | None = None) -> None:
        """The running or finished answer's figures."""
        self._metrics = metrics
        self._perceived_ttft = perceived_ttft if perceived_ttft is not None else self._perceived_ttft
        self._changed()

    def show_read(self, read: MetricsRead) -> None:
        """What the log has for `scope` and `group`."""
        self.percentiles.show_read(read)

    def set_effective(self, effective: EffectiveSettings) -> None:
        self.memory.set_effective(effective)

    def set_hardware(self, sample: HardwareSample, tokens_per_second: float, seconds: float = STEP) -> None:
        """One reading of the machine, and the tokens a second over all answers since the one `seconds` ago."""
        self.hardware.set_hardware(sample, seconds)
        self.memory.set_hardware(sample)
        self.facts.set_queue(sample.n_waiting)
        self.throughput.append(tokens_per_second, seconds)
        self._changed()

    def set_bandwidth(self, bandwidth: float | None) -> None:
        self.limits.set_bandwidth(bandwidth)

    def show_card(self, card: PanelCard) -> None:
        """Bring a card into view, once it has its place."""
        QTimer.singleShot(0, self, lambda: self._scroll.ensureWidgetVisible(card))

    @property
    def scope(self) -> str:
        return SCOPES[self._scope.currentIndex()]

    @property
    def group(self) -> LogGroup:
        """The model and settings whose percentiles are wanted; the empty group for all."""
        return self.percentiles.group

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()
        self._refresh()

    def _changed(self) -> None:
        if self.isVisible():
            self._repaint.trigger()

    def _refresh(self) -> None:
        self._empty.setVisible(self._metrics is None)
        if self._metrics is not None:
            self.ttft.show_metrics(self._metrics, self._perceived_ttft)
            self.gaps.show_metrics(self._metrics)
            self.limits.show_metrics(self._metrics)
            self.facts.show_metrics(self._metrics)
        self.gaps.repaint_charts()
        self.throughput.timeline.update()
        self.hardware.timeline.update()

    def _build(self) -> None:
        self._title = QLabel(self.tr("Latency"))
        self._scope = ChoiceBox()
        self._scope.addItems([self.tr("this chat"), self.tr("this session"), self.tr("24 hours"), self.tr("all time")])
        self._scope.setAccessibleName(self.tr("Which answers the percentiles cover"))
        self._scope.currentIndexChanged.connect(lambda _index: self.percentiles_wanted.emit())
        self._close = QToolButton()
        self._close.setAutoRaise(True)
        self._close.setAccessibleName(self.tr("Close the latency panel"))
        self._close.setToolTip(self.tr("Close"))
        self._close.clicked.connect(self.closed)
        head = QHBoxLayout()
        head.setContentsMargins(16, 12, 10, 8)
        head.addWidget(self._title)
        head.addStretch(1)
        head.addWidget(self._scope)
        head.addWidget(self._close)
        self._compare = QPushButton(self.tr("Compare answers…"))
        self._compare.clicked.connect(self.compare_requested)
        self._ablation = QPushButton(self.tr("What each technique brings…"))
        self._ablation.clicked.connect(self.ablation_requested)
        self._export = QPushButton(self.tr("Export the figures…"))
        self._export.clicked.connect(self.export_requested)
        content = QWidget()
        content.setObjectName("panelContent")
        column = QVBoxLayout(content)
        column.setContentsMargins(16, 4, 16, 16)
        column.setSpacing(12)
        self._empty = note_label(
            self._theme, self.tr("Ask something, and see here where the time of each answer goes.")
        )
        column.addWidget(self._empty)
        latency: tuple[PanelCard, ...] = (self.ttft, self.gaps, self.percentiles, self.why, self.alerts)
        machine: tuple[PanelCard, ...] = (self.memory, self.limits, self.facts, self.hardware, self.throughput)
        for card in (*latency, *machine):
            column.addWidget(card)
        for button in (self._compare, self._ablation, self._export):
            column.addWidget(button)
        column.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setAccessibleName(self.tr("Figures"))
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidgetResizable(True)
        self._scroll.setWidget(content)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(head)
        outer.addWidget(self._scroll, 1)

    def _restyle(self) -> None:
        tokens = self._theme.tokens
        self.setFixedWidth(round(WIDTH * max(1.0, self._theme.font_size / USUAL_SIZE)))
        self._title.setFont(self._theme.font(0, is_bold=True))
        self._scope.setFont(self._theme.font(SMALL - 0.5))
        self._close.setIcon(icon(self._theme, "close"))
        self.setStyleSheet(
            f"#latencyPanel {{ background: {tokens.side}; border: none; border-left: 1px solid {tokens.line}; }}"
            f"#panelContent QPushButton {{ font-size: {self._theme.font(SMALL).pixelSize()}px; padding: 5px 10px; }}"
            f"#panelContent, QScrollArea {{ background: {tokens.side}; border: none; }}"
        )
