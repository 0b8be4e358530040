"""The latency strip: one line that always shows how fast the model answers and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from app.latency.latency_accessibility import install_accessibility
from app.latency.strip_figure import FigurePart, StripFigure
from app.latency.strip_readings import Level, Phase, StripReadings, context_level, itl_level, ttft_level, vram_level
from app.ui.quantities import (
    format_bytes,
    format_bytes_of,
    format_count,
    format_gaps,
    format_ms,
    format_rate,
    format_seconds,
    format_share,
)
from app.ui.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.latency.alerts import Alert
    from engine.settings import Thresholds

MARGIN = 22
SPACING = 18


class LatencyStrip(QFrame):
    """Shows StripReadings. `clicked` asks for the panel."""

    clicked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        install_accessibility()
        self.setObjectName("latencyStrip")
        # Narrower than its figures, it leaves some out instead of widening the window.
        self.setMinimumWidth(1)
        self.setAccessibleName(self.tr("Latency"))
        self._thresholds: Thresholds | None = None
        self._figures = StripReadings()
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN, 0, MARGIN, 0)
        row.setSpacing(SPACING)
        self.phase, self.ttft, self.rate, self.itl, self.kv, self.context, self.memory, self.bandwidth, self.alerts = (
            StripFigure(theme, self) for _ in range(9)
        )
        for figure in (self.phase, self.ttft, self.rate, self.itl, self.kv, self.context, self.memory):
            row.addWidget(figure)
        row.addStretch(1)
        row.addWidget(self.bandwidth)
        row.addWidget(self.alerts)
        self._explain()
        self.set_figures(self._figures)
        theme.changed.connect(self._on_theme_changed)

    def set_thresholds(self, thresholds: Thresholds) -> None:
        self._thresholds = thresholds
        self.set_figures(self._figures)

    def set_figures(self, figures: StripReadings) -> None:
        """Show these figures; unchanged ones are not repainted."""
        self._figures = figures
        self._show_phase(figures)
        self._show_latency(figures)
        self._show_memory(figures)
        self._fit()

    def set_alerts(self, alerts: Sequence[Alert]) -> None:
        """A quiet mark; the panel lists what it stands for."""
        if not alerts:
            self.alerts.set_parts()
            self._fit()
            return
        is_warning = any(alert.level == "warning" for alert in alerts)
        text = self.tr("{n} alerts", None, len(alerts)).format(n=len(alerts))
        self.alerts.set_parts(FigurePart(text, False, Level.WARNING if is_warning else Level.NOTICE))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _on_theme_changed(self) -> None:
        """Text of another size takes another width."""
        for figure in self.findChildren(StripFigure):
            figure.updateGeometry()
        self._fit()
        self.update()

    def _fit(self) -> None:
        """Show whole figures only, the most telling ones first."""
        room = self.width() - 2 * MARGIN + SPACING
        for figure in (
            self.phase, self.ttft, self.rate, self.itl, self.alerts, self.context, self.memory, self.kv, self.bandwidth
        ):  # fmt: skip
            if figure.text:
                room -= figure.sizeHint().width() + SPACING
                figure.setVisible(room >= 0)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit()
        super().mouseReleaseEvent(event)

    def _show_phase(self, figures: StripReadings) -> None:
        prefill = figures.prefill
        if figures.phase is Phase.PREFILL and prefill is not None and prefill.n_total > 0:
            parts = [
                FigurePart(self.tr("reading ")),
                FigurePart(format_count(prefill.n_done), True),
                FigurePart(self.tr(" of {n} tokens", None, prefill.n_total).format(n=format_count(prefill.n_total))),
            ]
            if prefill.n_cached:
                parts.append(FigurePart(self.tr(", {n} cached").format(n=format_count(prefill.n_cached))))
            if prefill.rate:
                parts.append(FigurePart(self.tr(", {rate} tok/s").format(rate=format_rate(prefill.rate))))
            if prefill.seconds_left is not None:
                parts.append(FigurePart(self.tr(", {time} left").format(time=format_seconds(prefill.seconds_left))))
            self.phase.set_parts(*parts)
        elif figures.phase is Phase.QUEUED:
            self.phase.set_parts(FigurePart(self.tr("waiting for another answer")))
        elif figures.phase is Phase.LOADING:
            self.phase.set_parts(FigurePart(self.tr("waiting for the model")))
        elif figures.metrics is None and figures.n_context is None and figures.phase is Phase.IDLE:
            self.phase.set_parts(FigurePart(self.tr("no answer yet")))
        else:
            self.phase.set_parts()

    def _show_latency(self, figures: StripReadings) -> None:
        metrics = figures.metrics
        reading = figures.phase in (Phase.PREFILL, Phase.QUEUED, Phase.LOADING)
        if figures.ttft is None or reading:
            self.ttft.set_parts()
        else:
            level = ttft_level(figures.ttft, self._thresholds)
            self.ttft.set_parts(
                FigurePart(self.tr("TTFT "), False, level), FigurePart(format_seconds(figures.ttft), True, level)
            )
        if metrics is None or metrics.decode_tps is None or reading:
            self.rate.set_parts()
        else:
            level = itl_level(1 / metrics.decode_tps, self._thresholds)
            self.rate.set_parts(
                FigurePart(self.tr("{rate} tok/s").format(rate=format_rate(metrics.decode_tps)), True, level)
            )
        if metrics is None or metrics.itl is None or reading:
            self.itl.set_parts()
        else:
            p50, p99 = metrics.itl.p50, metrics.itl.p99
            middle, tail = itl_level(p50, self._thresholds), itl_level(p99, self._thresholds)
            is_halting = self._thresholds is not None and p50 > self._thresholds.itl_halting
            usual, longest = format_gaps(p50, p99)
            self.itl.set_parts(
                FigurePart(self.tr("ITL "), False, middle),
                FigurePart(usual, True, middle),
                FigurePart(self.tr(" · P99 "), False, tail),
                FigurePart(longest, True, tail),
                *([FigurePart(self.tr(" · halting"), False, middle)] if is_halting else []),
                spoken=self.tr("Between tokens {p50} milliseconds, 99th percentile {p99}").format(
                    p50=format_ms(p50), p99=format_ms(p99)
                ),
            )
        if metrics is None or metrics.mbu is None or reading:
            self.bandwidth.set_parts()
        else:
            self.bandwidth.set_parts(
                FigurePart(self.tr("{share} of memory bandwidth").format(share=format_share(metrics.mbu)))
            )

    def _show_memory(self, figures: StripReadings) -> None:
        metrics, hardware = figures.metrics, figures.hardware
        if metrics is not None and metrics.kv_bytes:
            self.kv.set_parts(
                FigurePart(self.tr("KV ")),
                FigurePart(format_bytes(metrics.kv_bytes), True),
                FigurePart(f" {figures.kv_type}".rstrip()),
            )
        else:
            self.kv.set_parts()
        if figures.n_context is not None and figures.n_ctx:
            n_context = min(figures.n_context, figures.n_ctx)  # An answer's last token is said without being read.
            level = context_level(n_context, figures.n_ctx)
            self.context.set_parts(
                FigurePart(self.tr("context "), False, level),
                FigurePart(format_count(n_context), True, level),
                FigurePart(f" / {format_count(figures.n_ctx)}"),
            )
        else:
            self.context.set_parts()
        if hardware is None:
            self.memory.set_parts()
        elif hardware.vram_used_bytes is not None and hardware.vram_total_bytes:
            level = vram_level(hardware.vram_used_bytes, hardware.vram_total_bytes, self._thresholds)
            used, total = format_bytes_of(hardware.vram_used_bytes, hardware.vram_total_bytes)
            self.memory.set_parts(
                FigurePart(self.tr("VRAM "), False, level), FigurePart(used, True, level), FigurePart(f" / {total}")
            )
        elif hardware.ram_used_bytes is not None and hardware.ram_total_bytes:
            used, total = format_bytes_of(hardware.ram_used_bytes, hardware.ram_total_bytes)
            self.memory.set_parts(
                FigurePart(self.tr("RAM ")), FigurePart(used, True, Level.PLAIN), FigurePart(f" / {total}")
            )
        else:
            self.memory.set_parts()

    def _explain(self) -> None:
        """Definitions, as tooltips."""
        self.phase.setToolTip(self.tr("What the engine is doing for this chat right now."))
        self.ttft.setToolTip(
            self.tr(
                "Time to first token: from Enter to the first painted glyph, where it was measured here.\n"
                "Queueing, model loading, template, cache restore, prefill and painting added up.\n"
                "Over 0.3 s is a felt pause, over 1 s makes people doubt that it was sent."
            )
        )
        self.rate.setToolTip(
            self.tr("Decode rate: 1 / time per output token. The token that the prefill yields is not counted.")
        )
        self.itl.setToolTip(
            self.tr(
                "Inter-token latency: the gaps between successive tokens of this answer, median and 99th percentile.\n"
                "Over 50 ms is no longer fluid, over 200 ms is halting."
            )
        )
        self.kv.setToolTip(self.tr("Bytes of KV cache that this chat holds, and the cache's element type."))
        self.context.setToolTip(self.tr("Tokens of this chat in the model's context, and how many fit."))
        self.memory.setToolTip(self.tr("Memory in use and total: of the GPU, or of the computer where there is none."))
        self.alerts.setToolTip(self.tr("Readings over their thresholds; the latency panel lists them."))
        self.bandwidth.setToolTip(
            self.tr(
                "Memory bandwidth utilisation: bytes read per token × tokens per second, against the\n"
                "bandwidth measured on this machine. Near 100 % the hardware is the limit."
            )
        )
