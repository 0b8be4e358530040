"""The Prometheus page: latency histograms, counters of requests and tokens, and what runs now."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from prometheus_client import CollectorRegistry, Counter
from prometheus_client.metrics_core import GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from engine.api.alert_gauge import AlertGauge
from engine.errors import Code
from engine.host.host import Host
from engine.metrics import GAP_FLOOR, GAP_RATIO, RequestMetrics
from engine.protocol.commands import Command, Generate
from engine.protocol.events import Event, GenerationFinished, HardwareSample, RequestFailed, Terminal
from engine.protocol.values import EffectiveSettings

BUCKETS = (
    0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.5, 5.0, 10.0, 20.0,
    30.0, 60.0,
)  # fmt: skip
"""Seconds; the thresholds of the HUD are among them."""
LABELS = ("model", "quant", "priority", "finish_reason")


class LatencyHistogram(Collector):
    """A histogram that takes many equal observations at once, as the gaps of a long answer are."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._text = text
        self._counts: dict[tuple[str, ...], list[int]] = {}
        self._sums: dict[tuple[str, ...], float] = {}

    def observe(self, labels: tuple[str, ...], value: float, count: int = 1) -> None:
        counts = self._counts.setdefault(labels, [0] * (len(BUCKETS) + 1))
        counts[bisect.bisect_left(BUCKETS, value)] += count
        self._sums[labels] = self._sums.get(labels, 0.0) + value * count

    def collect(self) -> Iterable[Metric]:
        family = HistogramMetricFamily(self._name, self._text, labels=LABELS)
        for labels, counts in self._counts.items():
            total = 0
            buckets = []
            for bound, count in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
                total += count
                buckets.append((bound, float(total)))
            family.add_metric(labels, buckets, self._sums[labels])
        yield family


class Exporter:
    """Watches the host's requests and hands out the page. Prefix firstlight_, base units."""

    def __init__(self, host: Host) -> None:
        self.registry = CollectorRegistry()
        self._ttft = self._histogram("ttft", "Time from acceptance to the first output token.")
        self._itl = self._histogram("itl", "Gaps between successive output tokens of one sequence.")
        self._tpot = self._histogram("tpot", "Decode time per output token after the first.")
        self._e2e = self._histogram("e2e_latency", "Time from acceptance to the last output token.")
        self._requests = self._counter("requests", "Answers by how they ended.", LABELS)
        self._errors = self._counter("request_errors", "Requests that failed, by error code.", ("code",))
        self._prompt_tokens = self._counter("prompt_tokens", "Tokens of prompts, cached ones included.", LABELS[:2])
        self._cached_tokens = self._counter("cached_tokens", "Prompt tokens that needed no prefill.", LABELS[:2])
        self._output_tokens = self._counter("output_tokens", "Tokens generated.", LABELS[:2])
        self._drafted = self._counter("drafted_tokens", "Tokens drafted by speculative decoding.", LABELS[:2])
        self._accepted = self._counter("accepted_tokens", "Drafted tokens that were right.", LABELS[:2])
        self.now = CurrentState(host)
        self.registry.register(self.now)
        self.alerts = AlertGauge(lambda: host.settings.thresholds)
        self.registry.register(self.alerts)
        host.observe(self.observe)
        host.subscribe(self._take)

    def _take(self, event: Event) -> None:
        if isinstance(event, HardwareSample):
            self.now.hardware = event
            self.alerts.observe_hardware(event)

    def observe(self, command: Command, event: Terminal, effective: EffectiveSettings | None) -> None:
        """Count a request that has ended."""
        if isinstance(event, RequestFailed) and event.failure.code is not Code.CANCELLED:
            self._errors.labels(event.failure.code).inc()
            if isinstance(command, Generate):
                self.alerts.observe(None)
        if not isinstance(command, Generate) or not isinstance(event, GenerationFinished):
            return
        effective = event.effective or effective or EffectiveSettings()
        model = (effective.model_name, effective.quantization)
        labels = (*model, str(command.priority), str(event.finish_reason))
        self._requests.labels(*labels).inc()
        self._observe_metrics(model, labels, event.metrics)
        self.alerts.observe(event.metrics)
        self.now.batch_size[model] = event.metrics.batch_size_mean

    def _observe_metrics(self, model: tuple[str, str], labels: tuple[str, ...], metrics: RequestMetrics) -> None:
        for histogram, value in ((self._ttft, metrics.ttft), (self._tpot, metrics.tpot)):
            if value is not None:
                histogram.observe(labels, value)
        if metrics.n_decoded:
            self._e2e.observe(labels, metrics.e2e_latency)
        for bucket, count in metrics.gap_histogram.items():
            self._itl.observe(labels, GAP_FLOOR * GAP_RATIO ** (bucket + 0.5), count)
        for counter, count in (
            (self._prompt_tokens, metrics.n_prompt_tokens),
            (self._cached_tokens, metrics.n_cached_tokens),
            (self._output_tokens, metrics.n_decoded),
            (self._drafted, metrics.n_drafted),
            (self._accepted, metrics.n_accepted),
        ):
            counter.labels(*model).inc(count)

    def _histogram(self, name: str, text: str) -> LatencyHistogram:
        made = LatencyHistogram(f"firstlight_{name}_seconds", text)
        self.registry.register(made)
        return made

    def _counter(self, name: str, text: str, labels: Sequence[str]) -> Counter:
        return Counter(f"firstlight_{name}", text, labels, registry=self.registry)


class CurrentState(Collector):
    """Gauges that are read when the page is asked for; what is not known is left out."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.batch_size: dict[tuple[str, str], float] = {}
        self.hardware: HardwareSample | None = None

    def collect(self) -> Iterable[Metric]:
        models = list(self._host.pool)
        yield _gauge("sequences_running", "Requests that a worker has.", {(): sum(m.n_running for m in models)})
        yield _gauge("sequences_waiting", "Requests that wait in the host.", {(): sum(m.n_waiting for m in models)})
        yield _gauge("models_warm", "Models that are loaded.", {(): sum(m.is_warm for m in models)})
        known = [model.effective for model in models if model.effective is not None]
        memory = {
            (e.model_name, e.quantization, use.device, kind): float(size)
            for e in known
            for use in e.memory
            for kind, size in (("weights", use.weights_bytes), ("kv", use.kv_bytes), ("compute", use.compute_bytes))
        }
        yield _gauge("model_memory_bytes", "Memory of the loaded models.", memory, (*LABELS[:2], "device", "kind"))
        yield _gauge("batch_size", "Sequences per step during the latest answer.", self.batch_size, LABELS[:2])
        sample = self.hardware
        if sample is None:
            return
        for name, text, value in (
            ("gpu_utilisation_ratio", "GPU utilisation, 0 to 1.", sample.gpu_utilisation),
            ("gpu_memory_used_bytes", "GPU memory in use.", sample.vram_used_bytes),
            ("gpu_memory_total_bytes", "GPU memory.", sample.vram_total_bytes),
            ("gpu_power_watts", "GPU power.", sample.power_watts),
            ("gpu_temperature_celsius", "GPU temperature.", sample.temperature_celsius),
        ):
            if value is not None:
                yield _gauge(name, text, {(): value})


def _gauge(name: str, text: str, values: Mapping[Any, float], labels: Sequence[str] = ()) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"firstlight_{name}", text, labels=labels)
    for label_values, value in values.items():
        family.add_metric(label_values, float(value))
    return family
