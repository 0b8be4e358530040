"""The cards of the HUD panel: time to first token, gaps, percentiles, throughput, memory, hardware, and facts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel

from app.quantities import format_bytes, format_bytes_of, format_count, format_ms, format_rate, format_seconds
from app.theme import Theme
from app.widgets.hud.card import SMALL, Card, note_label
from app.widgets.hud.charts import Histogram, Threshold, Timeline
from app.widgets.hud.stacked_bar import Part, StackedBar
from engine.metrics import RequestMetrics
from engine.protocol import EffectiveSettings, HardwareSample, PercentileRow
from engine.settings import Thresholds


class TtftCard(Card):
    """The waterfall of the last answer's time to first token."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.set_title(self.tr("Time to first token"))
        self.bar = StackedBar(theme)
        self.body.addWidget(self.bar)

    def show_metrics(self, metrics: RequestMetrics, perceived_ttft: float | None) -> None:
        """The parts add up to `ttft`; the first paint comes on top of it."""
        if metrics.ttft is None:
            return
        new = metrics.n_prompt_tokens - metrics.n_cached_tokens
        parts = [
            Part(self.tr("queue {time}"), metrics.queued_time, "p1"),
            Part(self.tr("load {time}"), metrics.load_time, "warn"),
            Part(self.tr("template {time}"), metrics.template_time, "p3"),
            Part(self.tr("cache {time}"), metrics.cache_restore_time, "p4"),
            Part(self.tr("prefill {tokens} tokens {time}"), metrics.prefill_time, "p5"),
        ]
        total = metrics.ttft
        if perceived_ttft is not None:
            parts.append(Part(self.tr("paint {time}"), max(0.0, perceived_ttft - metrics.ttft), "p2"))
            total = max(total, perceived_ttft)
        shown = [
            Part(part.text.format(time=format_seconds(part.value), tokens=format_count(new)), part.value, part.color)
            for part in parts
            if part.value >= 0.0005
        ]
        self.bar.set_parts(shown)
        self.set_headline(format_seconds(total))


class GapCard(Card):
    """The gaps between the running answer's tokens, in time and as a distribution."""

    def __init__(self, theme: Theme, thresholds: Thresholds) -> None:
        super().__init__(theme)
        self.set_title(self.tr("Between tokens"))
        self.timeline = Timeline(theme, format_value=self._gap)
        self.timeline.set_mark_text(self.tr("shaded: another chat's prefill"))
        self.histogram = Histogram(theme, format_value=self._gap)
        self.histogram.setToolTip(self.tr("How often each gap occurred; both axes are logarithmic."))
        self.body.addWidget(self.timeline)
        self.body.addWidget(self.histogram)
        self.set_thresholds(thresholds)

    def set_thresholds(self, thresholds: Thresholds) -> None:
        self._warning = thresholds.itl_warning
        self.timeline.set_thresholds(
            Threshold(thresholds.itl_notice, self.tr("{gap} fluid").format(gap=self._gap(thresholds.itl_notice))),
            Threshold(
                thresholds.itl_warning, self.tr("{gap} slow").format(gap=self._gap(thresholds.itl_warning)), "warn"
            ),
        )

    def show_metrics(self, metrics: RequestMetrics) -> None:
        self.histogram.set_counts(metrics.gap_histogram, self._warning)
        self.histogram.setVisible(bool(metrics.gap_histogram))
        self.timeline.setVisible(bool(self.timeline.values))
        if metrics.itl is not None:
            text = self.tr("{p50} · P99 {p99} ms")
            self.set_headline(text.format(p50=format_ms(metrics.itl.p50), p99=format_ms(metrics.itl.p99)))

    def repaint_charts(self) -> None:
        self.timeline.update()
        self.histogram.update()

    def _gap(self, seconds: float) -> str:
        return self.tr("{ms} ms").format(ms=format_ms(seconds).removesuffix(".0"))


class PercentileCard(Card):
    """P50, P90, P95 and P99 of each metric over the chosen scope, in milliseconds."""

    def __init__(self, theme: Theme) -> None:
        self._grid = QGridLayout()
        self._cells: dict[tuple[int, int], QLabel] = {}
        super().__init__(theme)
        self.set_title(self.tr("Percentiles, ms"))
        self._names = {
            "ttft": (self.tr("TTFT"), self.tr("Time to first token: from the request to the first token.")),
            "itl": (self.tr("ITL"), self.tr("Inter-token latency: every gap between two tokens.")),
            "tpot": (self.tr("TPOT"), self.tr("Time per output token: decode time over the tokens after the first.")),
            "e2e_latency": (self.tr("Total"), self.tr("From the request to the last token.")),
        }
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        self.body.addLayout(self._grid)
        self._empty = note_label(theme, self.tr("No answers here yet."), color="faint")
        self.body.addWidget(self._empty)
        self.set_rows(())

    def set_rows(self, rows: Sequence[PercentileRow]) -> None:
        self._empty.setVisible(not rows)
        for cell in self._cells.values():
            cell.setVisible(False)
        if not rows:
            self.set_headline("")
            return
        for column, head in enumerate(("", "P50", "P90", "P95", "P99")):
            self._set_cell(0, column, head)
        for line, row in enumerate(rows, 1):
            name, tooltip = self._names[row.name]
            self._set_cell(line, 0, name, tooltip)
            for column, value in enumerate((row.p50, row.p90, row.p95, row.p99), 1):
                text = format_count(value * 1000) if value >= 0.1 else format_ms(value)
                self._set_cell(line, column, text)
        count = next((row.count for row in rows if row.name == "ttft"), rows[0].count)
        self.set_headline(self.tr("{count} answers").format(count=format_count(count)))

    def restyle(self) -> None:
        super().restyle()
        for (line, _), cell in self._cells.items():
            self._style_cell(cell, line)

    def _set_cell(self, line: int, column: int, text: str, tooltip: str = "") -> None:
        cell = self._cells.get((line, column))
        if cell is None:
            cell = self._cells[(line, column)] = QLabel()
            side = Qt.AlignmentFlag.AlignLeft if column == 0 else Qt.AlignmentFlag.AlignRight
            cell.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
            self._style_cell(cell, line)
            self._grid.addWidget(cell, line, column)
        cell.setText(text)
        cell.setToolTip(tooltip)
        cell.setVisible(True)

    def _style_cell(self, cell: QLabel, line: int) -> None:
        cell.setFont(self.theme.font(SMALL - 0.5))
        color = self.theme.tokens.faint if line == 0 else self.theme.tokens.ink
        cell.setStyleSheet(f"color: {color}; background: transparent;")


class ThroughputCard(Card):
    """Tokens a second over the last minutes, summed over all answers."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.set_title(self.tr("Tokens a second, last 5 minutes"))
        self.timeline = Timeline(theme, height=56, capacity=600, format_value=format_rate)
        self.body.addWidget(self.timeline)

    def append(self, tokens_per_second: float) -> None:
        self.timeline.append(tokens_per_second)
        self.set_headline(format_rate(tokens_per_second))


class MemoryCard(Card):
    """What the model holds on its device, and what others hold there."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.bar = StackedBar(theme)
        self.body.addWidget(self.bar)
        self._note = note_label(theme)
        self.body.addWidget(self._note)
        self._note.hide()
        self._effective = EffectiveSettings()
        self._sample = HardwareSample()

    def set_effective(self, effective: EffectiveSettings) -> None:
        self._effective = effective
        self._refresh()

    def set_hardware(self, sample: HardwareSample) -> None:
        self._sample = sample
        self._refresh()

    def _refresh(self) -> None:
        on_gpu = [use for use in self._effective.memory if use.device.upper() not in ("CPU", "HOST")]
        uses = on_gpu or list(self._effective.memory)
        sample = self._sample
        used, total = (
            (sample.vram_used_bytes, sample.vram_total_bytes)
            if on_gpu
            else (sample.ram_used_bytes, sample.ram_total_bytes)
        )
        self.set_title(self.tr("GPU memory") if on_gpu else self.tr("Memory"))
        weights, kv, compute = (
            sum(getattr(use, name) for use in uses) for name in ("weights_bytes", "kv_bytes", "compute_bytes")
        )
        parts = [
            Part(self.tr("weights {size}").format(size=format_bytes(weights)), weights, "p5"),
            Part(self.tr("KV {size}").format(size=format_bytes(kv)), kv, "p2"),
            Part(self.tr("compute {size}").format(size=format_bytes(compute)), compute, "p3"),
        ]
        ours = weights + kv + compute
        if used is not None and used > ours:
            others = used - ours
            parts.append(Part(self.tr("others {size}").format(size=format_bytes(others)), others, "p4"))
        self.bar.set_parts([part for part in parts if part.value > 0], total or 0.0)
        if total:
            self.set_headline(" / ".join(format_bytes_of(used or ours, total)))
        else:
            self.set_headline(format_bytes(ours) if ours else "")
        estimated = sum(use.estimated_bytes for use in uses)
        self._note.setVisible(bool(estimated and ours))
        if estimated and ours:
            share = round((estimated - ours) / ours * 100)
            text = self.tr("Expected before loading: {size} ({share:+d} %).")
            self._note.setText(text.format(size=format_bytes(estimated), share=share))


class HardwareCard(Card):
    """Utilisation of the GPU, or of the processor where there is none; what cannot be read is left out."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.set_title(self.tr("Processor"))
        self.timeline = Timeline(theme, height=56, capacity=240, format_value=lambda value: f"{value * 100:.0f} %")
        self.timeline.set_ceiling(1.0)
        self.body.addWidget(self.timeline)
        self._facts = note_label(theme)
        self.body.addWidget(self._facts)

    def set_hardware(self, sample: HardwareSample) -> None:
        has_gpu = sample.gpu_utilisation is not None
        utilisation = sample.gpu_utilisation if has_gpu else sample.cpu_utilisation
        self.set_title(sample.gpu_name or (self.tr("GPU") if has_gpu else self.tr("Processor")))
        if utilisation is not None:
            self.timeline.append(utilisation)
            self.set_headline(f"{utilisation * 100:.0f} %")
        facts = [
            (sample.power_watts, self.tr("{value:.0f} W")),
            (sample.temperature_celsius, self.tr("{value:.0f} °C")),
            (sample.clock_mhz, self.tr("{value:.0f} MHz")),
        ]
        texts = [text.format(value=value) for value, text in facts if value is not None]
        if has_gpu and sample.cpu_utilisation is not None:
            texts.append(self.tr("processor {value:.0f} %").format(value=sample.cpu_utilisation * 100))
        if sample.process_rss_bytes:
            total = sum(sample.process_rss_bytes.values())
            texts.append(self.tr("engine {size} of RAM").format(size=format_bytes(total)))
        self._facts.setText(" · ".join(texts))
        self._facts.setVisible(bool(texts))


class FactsCard(Card):
    """Single readings of the last answer: bandwidth, cache, drafts, batch, queue."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.set_title(self.tr("Last answer"))
        self._text = note_label(theme)
        self.body.addWidget(self._text)
        self._metrics = RequestMetrics()
        self._bandwidth: float | None = None
        self._n_waiting = 0

    def show_metrics(self, metrics: RequestMetrics) -> None:
        self._metrics = metrics
        self._refresh()

    def set_bandwidth(self, bandwidth: float | None) -> None:
        """This machine's measured memory bandwidth in bytes per second."""
        self._bandwidth = bandwidth
        self._refresh()

    def set_queue(self, n_waiting: int) -> None:
        if n_waiting != self._n_waiting:
            self._n_waiting = n_waiting
            self._refresh()

    def _refresh(self) -> None:
        metrics, lines = self._metrics, []
        if metrics.mbu is not None:
            limit = format_bytes(self._bandwidth) + "/s" if self._bandwidth else self.tr("the measured limit")
            text = self.tr("Memory bandwidth: {share} % of {limit}")
            lines.append(text.format(share=round(metrics.mbu * 100), limit=limit))
        if metrics.n_prompt_tokens:
            text = self.tr("Cache: {cached} of {total} prompt tokens ({source})")
            source = {
                "none": self.tr("nothing to reuse"),
                "slot": self.tr("still in place"),
                "memory": self.tr("snapshot in memory"),
                "disk": self.tr("snapshot on disk"),
            }[str(metrics.cache_source)]
            counts = {"cached": format_count(metrics.n_cached_tokens), "total": format_count(metrics.n_prompt_tokens)}
            lines.append(text.format(source=source, **counts))
        if metrics.cache_miss_reason:
            lines.append(self.tr("Not cached: {reason}").format(reason=metrics.cache_miss_reason))
        if metrics.prefill_tps:
            lines.append(self.tr("Prefill: {rate} tok/s").format(rate=format_rate(metrics.prefill_tps)))
        if metrics.n_drafted:
            text = self.tr("Drafts: {accepted} of {drafted} accepted ({share} %)")
            share = round(metrics.n_accepted / metrics.n_drafted * 100)
            counts = {"accepted": format_count(metrics.n_accepted), "drafted": format_count(metrics.n_drafted)}
            lines.append(text.format(share=share, **counts))
        if metrics.batch_size_mean > 1.05:
            lines.append(self.tr("Shared each step with {n:.1f} answers").format(n=metrics.batch_size_mean - 1))
        if self._n_waiting:
            lines.append(self.tr("Waiting in the queue: {n}").format(n=self._n_waiting))
        self._text.setText("\n".join(lines))
        self.setVisible(bool(lines))
