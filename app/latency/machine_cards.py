"""The latency panel's cards about the machine: memory, utilisation, and tokens a second."""

from __future__ import annotations

from app.latency.charts import Timeline
from app.latency.panel_card import PanelCard, note_label
from app.latency.stacked_bar import BarPart, StackedBar
from app.ui.quantities import (
    format_bytes,
    format_bytes_of,
    format_change,
    format_count,
    format_list,
    format_rate,
    format_sentences,
    format_share,
)
from app.ui.theme import Theme
from engine.protocol import EffectiveSettings, HardwareSample

STEP = 0.5
"""Seconds between two values of a chart, however often the machine is read."""


class ThroughputCard(PanelCard):
    """Tokens a second over the last minutes, summed over all answers."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.set_title(self.tr("Tokens a second"))
        self.timeline = Timeline(theme, height=70, window=round(300 / STEP), format_value=format_rate)
        self.timeline.set_span(self.tr("5 minutes ago"), self.tr("now"))
        self.body.addWidget(self.timeline)
        self.hide()

    def append(self, tokens_per_second: float, seconds: float = STEP) -> None:
        """The rate over the last `seconds`."""
        self.timeline.append(tokens_per_second, n_times=_n_steps(seconds))
        now, most = format_rate(tokens_per_second), format_rate(max(self.timeline.values))
        self.set_headline(
            self.tr("{now} · peak {most}").format(now=now, most=most),
            self.tr("Summed over all answers that run: now, and the most in these minutes."),
        )
        self.show()


class MemoryCard(PanelCard):
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
        self.hide()

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
        self.setVisible(bool(uses or total))
        self.set_title(self.tr("GPU memory") if on_gpu else self.tr("Memory"))
        weights, kv, compute = (
            sum(getattr(use, name) for use in uses) for name in ("weights_bytes", "kv_bytes", "compute_bytes")
        )
        parts = [
            BarPart(self.tr("weights {size}").format(size=format_bytes(weights)), weights, "p5"),
            BarPart(self.tr("KV {size}").format(size=format_bytes(kv)), kv, "p2"),
            BarPart(self.tr("compute {size}").format(size=format_bytes(compute)), compute, "p3"),
        ]
        ours = weights + kv + compute
        if used is not None and used > ours:
            others = used - ours
            parts.append(BarPart(self.tr("others {size}").format(size=format_bytes(others)), others, "p4"))
        self.bar.set_parts([part for part in parts if part.value > 0], total or 0.0)
        if total:
            self.set_headline(" / ".join(format_bytes_of(used or ours, total)))
        else:
            self.set_headline(format_bytes(ours) if ours else "")
        notes = []
        if on_gpu:
            described = {device.name: device.description for device in self._effective.devices}
            names = format_list(described.get(use.device) or use.device for use in on_gpu)
            notes.append(self.tr("On {device}.").format(device=names))
        estimated = sum(use.estimated_bytes for use in uses)
        if estimated and ours:
            share = format_change((estimated - ours) / ours)
            text = self.tr("Expected before loading: {size} ({share}).")
            notes.append(text.format(size=format_bytes(estimated), share=share))
        self._note.setText(format_sentences(notes))
        self._note.setVisible(bool(notes))


class HardwareCard(PanelCard):
    """Utilisation of the GPU, or of the processor where there is none; what cannot be read is left out."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.timeline = Timeline(theme, height=82, window=round(120 / STEP), format_value=format_share)
        self.timeline.set_ceiling(1.0)
        self.timeline.set_span(self.tr("2 minutes ago"), self.tr("now"))
        self.body.addWidget(self.timeline)
        self._facts = note_label(theme)
        self.body.addWidget(self._facts)
        self.hide()

    def set_hardware(self, sample: HardwareSample, seconds: float = STEP) -> None:
        """One reading, the first after `seconds`."""
        has_gpu = sample.gpu_utilisation is not None
        utilisation = sample.gpu_utilisation if has_gpu else sample.cpu_utilisation
        self.set_title(sample.gpu_name or (self.tr("GPU") if has_gpu else self.tr("Processor")))
        if utilisation is not None:
            self.timeline.append(utilisation, n_times=_n_steps(seconds))
            self.set_headline(format_share(utilisation), self.tr("How busy it is."))
        facts = [
            (sample.power_watts, self.tr("{value} W")),
            (sample.temperature_celsius, self.tr("{value} °C")),
            (sample.clock_mhz, self.tr("{value} MHz")),
        ]
        texts = [text.format(value=format_count(value)) for value, text in facts if value is not None]
        if has_gpu and sample.cpu_utilisation is not None:
            texts.append(self.tr("processor {share}").format(share=format_share(sample.cpu_utilisation)))
        if sample.process_rss_bytes:
            total = sum(sample.process_rss_bytes.values())
            texts.append(self.tr("engine {size} of RAM").format(size=format_bytes(total)))
        self._facts.setText(" · ".join(texts))
        self._facts.setVisible(bool(texts))
        self.setVisible(utilisation is not None or bool(texts))


def _n_steps(seconds: float) -> int:
    return max(1, round(seconds / STEP))
