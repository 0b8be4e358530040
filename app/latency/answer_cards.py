"""The latency panel's cards about one answer: time to first token, gaps between tokens, limits, and facts."""

from __future__ import annotations

from PySide6.QtCore import QLocale

from app.core.engine_texts import translated
from app.latency.charts import Histogram, Threshold, Timeline
from app.latency.fact_table import FactTable
from app.latency.panel_card import PanelCard, note_label
from app.latency.stacked_bar import BarPart, StackedBar
from app.ui.quantities import (
    format_bytes,
    format_count,
    format_gaps,
    format_ms,
    format_rate,
    format_seconds,
    format_seconds_finely,
    format_share,
)
from app.ui.theme import Theme
from engine.metrics import CacheSource, RequestMetrics
from engine.settings import Thresholds

NAMED_SECONDS = 0.0005
"""A shorter part of the wait gets no legend."""


class TtftCard(PanelCard):
    """The waterfall of the last answer's time to first token."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.set_title(self.tr("Time to first token"))
        self.bar = StackedBar(theme)
        self.body.addWidget(self.bar)
        self.hide()

    def show_metrics(self, metrics: RequestMetrics, perceived_ttft: float | None) -> None:
        """The parts add up to `ttft`; the first paint comes on top of it."""
        if metrics.ttft is None:
            return
        n_new = metrics.n_prompt_tokens - metrics.n_cached_tokens
        parts = [
            self._part(self.tr("queue"), metrics.queued_time, "p1", self.tr("waiting for other answers")),
            self._part(self.tr("load"), metrics.load_time, "warn", self.tr("loading the model, which was not warm")),
            self._part(self.tr("template"), metrics.template_time, "p3", self.tr("chat template and tokenization")),
            self._part(self.tr("cache"), metrics.cache_restore_time, "p4", self.tr("restoring a KV snapshot")),
            self._part(
                self.tr("prefill {n} tokens", None, n_new).format(n=format_count(n_new)), metrics.prefill_time, "p5",
                self.tr("reading what was not cached, up to the first token"),
            ),
        ]  # fmt: skip
        if perceived_ttft is not None and perceived_ttft > metrics.ttft:
            meaning = self.tr("from Enter to the engine, and from the first token to the screen")
            parts.append(self._part(self.tr("paint"), perceived_ttft - metrics.ttft, "p2", meaning))
        self.bar.set_parts(parts)
        self.set_headline(
            _waited(max(metrics.ttft, perceived_ttft or 0.0)),
            self.tr("From Enter to the first painted letter. A server's TTFT ends before the painting."),
        )
        self.show()

    def _part(self, name: str, seconds: float, color: str, meaning: str) -> BarPart:
        """Parts too short to be seen stay in the sum, without a legend."""
        text = f"{name} {_waited(seconds)}" if seconds >= NAMED_SECONDS else ""
        tip = self.tr("{name}: {meaning}, {time}").format(name=name, meaning=meaning, time=_waited(seconds))
        return BarPart(text, seconds, color, tip)


def _waited(seconds: float) -> str:
    """Parts add up to the whole as they are shown, also where one of them takes seconds."""
    return format_seconds_finely(seconds) if seconds >= 0.9995 else format_seconds(seconds)


class GapCard(PanelCard):
    """The gaps between the running answer's tokens, in time and as a distribution."""

    def __init__(self, theme: Theme, thresholds: Thresholds) -> None:
        super().__init__(theme)
        self.set_title(self.tr("Between tokens"))
        self.timeline = Timeline(theme, format_value=self._gap)
        self.timeline.set_mark_text(self.tr("shaded: another chat's prefill"))
        self.histogram = Histogram(theme, format_value=self._gap)
        self.histogram.set_name(self.tr("how often each gap came"))
        self.histogram.setToolTip(self.tr("How often each gap occurred; both axes are logarithmic."))
        self.body.addWidget(self.timeline)
        self.body.addWidget(self.histogram)
        self.set_thresholds(thresholds)
        self.hide()

    def set_thresholds(self, thresholds: Thresholds) -> None:
        slow = self.tr("{gap} slow").format(gap=self._gap(thresholds.itl_warning))
        self._warning, self._limit = thresholds.itl_warning, slow
        self.timeline.set_thresholds(
            Threshold(thresholds.itl_notice, self.tr("{gap} fluid").format(gap=self._gap(thresholds.itl_notice))),
            Threshold(thresholds.itl_warning, slow, "warn"),
            Threshold(
                thresholds.itl_halting, self.tr("{gap} halting").format(gap=self._gap(thresholds.itl_halting)), "warn"
            ),
        )

    def show_metrics(self, metrics: RequestMetrics) -> None:
        self.histogram.set_counts(metrics.gap_histogram, self._warning, self._limit)
        self.histogram.setVisible(bool(metrics.gap_histogram))
        self.timeline.setVisible(bool(self.timeline.values))
        self.setVisible(bool(metrics.gap_histogram or self.timeline.values))
        if metrics.itl is not None:
            usual, longest = format_gaps(metrics.itl.p50, metrics.itl.p99)
            self.set_headline(
                self.tr("{p50} · P99 {p99}").format(p50=usual, p99=longest),
                self.tr(
                    "Inter-token latency of this answer: the median gap, and the one that 99 % of the gaps stay under."
                ),
            )

    def repaint_charts(self) -> None:
        self.timeline.update()
        self.histogram.update()

    def _gap(self, seconds: float) -> str:
        return self.tr("{ms} ms").format(ms=format_ms(seconds).removesuffix(".0"))


class LimitsCard(PanelCard):
    """How near the last answer came to what this machine can do at best."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.set_title(self.tr("Against this machine's limits"))
        self.decode, self.prefill = StackedBar(theme), StackedBar(theme)
        for bar in (self.decode, self.prefill):
            self.body.addWidget(bar)
        self._metrics = RequestMetrics()
        self._bandwidth: float | None = None
        self._refresh()

    def show_metrics(self, metrics: RequestMetrics) -> None:
        self._metrics = metrics
        self._refresh()

    def set_bandwidth(self, bandwidth: float | None) -> None:
        """This machine's measured memory bandwidth in bytes per second."""
        self._bandwidth = bandwidth
        self._refresh()

    def _refresh(self) -> None:
        metrics = self._metrics
        if metrics.mbu is not None:
            limit = format_bytes(self._bandwidth) + "/s" if self._bandwidth else self.tr("the measured limit")
            text = self.tr("decode: {share} of {limit} bandwidth").format(share=format_share(metrics.mbu), limit=limit)
            meaning = self.tr(
                "Bytes read for each token (weights and KV) × tokens a second, against the bandwidth measured here."
            )
            self.decode.set_parts([BarPart(text, min(metrics.mbu, 1.0), "p5", meaning)], 1.0)
        if metrics.prefill_utilisation is not None and metrics.prefill_tps is not None:
            text = self.tr("prefill: {rate} tok/s, {share} of the best here")
            if metrics.prefill_utilisation > 1:
                text = self.tr("prefill: {rate} tok/s, the best here so far")
            text = text.format(rate=format_rate(metrics.prefill_tps), share=format_share(metrics.prefill_utilisation))
            meaning = self.tr("Arithmetic for each token × tokens a second, against the rate reached or measured here.")
            self.prefill.set_parts([BarPart(text, min(metrics.prefill_utilisation, 1.0), "p3", meaning)], 1.0)
        self.decode.setVisible(metrics.mbu is not None)
        self.prefill.setVisible(metrics.prefill_utilisation is not None)
        self.setVisible(not (self.decode.isHidden() and self.prefill.isHidden()))


class FactsCard(PanelCard):
    """Single readings of the last answer: cache, prefill, drafts, batch, queue."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.set_title(self.tr("Last answer"))
        self._table = FactTable(theme)
        self.body.addWidget(self._table)
        self._reason = note_label(theme)
        self.body.addWidget(self._reason)
        self._metrics = RequestMetrics()
        self._n_waiting = 0
        self._refresh()

    def show_metrics(self, metrics: RequestMetrics) -> None:
        self._metrics = metrics
        self._refresh()

    def set_queue(self, n_waiting: int) -> None:
        if n_waiting != self._n_waiting:
            self._n_waiting = n_waiting
            self._refresh()

    def _refresh(self) -> None:
        metrics, rows = self._metrics, []
        if metrics.n_prompt_tokens:
            text = self.tr("{cached} of {total} tokens", None, metrics.n_prompt_tokens)
            counts = {"cached": format_count(metrics.n_cached_tokens), "total": format_count(metrics.n_prompt_tokens)}
            rows.append((self.tr("From the cache"), text.format(**counts), self._source(metrics.cache_source)))
        if metrics.n_prepared_tokens:
            prepared = self.tr("{n} tokens", None, metrics.n_prepared_tokens)
            prepared = prepared.format(n=format_count(metrics.n_prepared_tokens))
            rows.append((self.tr("Prepared while typing"), prepared, ""))
        if metrics.prefill_tps:
            rate = self.tr("{rate} tok/s").format(rate=format_rate(metrics.prefill_tps))
            rows.append((self.tr("Prefill"), rate, self.tr("New prompt tokens over the time they took.")))
        if metrics.n_drafted:
            text = self.tr("{accepted} of {drafted} ({share})")
            counts = {"accepted": format_count(metrics.n_accepted), "drafted": format_count(metrics.n_drafted)}
            text = text.format(share=format_share(metrics.n_accepted / metrics.n_drafted), **counts)
            rows.append((self.tr("Drafts accepted"), text, self.tr("Tokens guessed ahead that the model agreed with.")))
        if metrics.batch_size_mean > 1.05:
            text = self.tr("{mean} on average").format(mean=QLocale().toString(metrics.batch_size_mean - 1, "f", 1))
            rows.append((self.tr("Answers beside it"), text, self.tr("How many other answers ran in its steps.")))
        if self._n_waiting:
            rows.append((self.tr("Waiting in the queue"), format_count(self._n_waiting), ""))
        self._table.set_rows(rows)
        reason = metrics.cache_miss_reason
        self._reason.setText(self.tr("Not cached: {reason}").format(reason=translated(reason)) if reason else "")
        self._reason.setVisible(bool(reason))
        self.setVisible(bool(rows or reason))

    def _source(self, source: CacheSource) -> str:
        return {
            CacheSource.NONE: self.tr("Nothing could be reused."),
            CacheSource.SLOT: self.tr("It was still in place."),
            CacheSource.MEMORY: self.tr("It came from a snapshot in memory."),
            CacheSource.DISK: self.tr("It came from a snapshot on disk."),
        }[source]
