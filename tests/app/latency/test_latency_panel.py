"""The HUD panel: what it shows, how rarely it repaints, and that it costs nothing while hidden."""

from __future__ import annotations

import msgspec
import pytest
from paint_count import Paints
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.latency.charts import CAPACITY, Threshold, Timeline
from app.latency.latency_panel import REPAINT_MS, LatencyPanel
from app.latency.panel_card import note_label
from app.latency.stacked_bar import BarPart, StackedBar
from app.ui.theme import Theme
from engine.latency.alerts import Alert, AlertCode, AlertLevel
from engine.metrics import CacheSource, RequestMetrics, RequestTimeline, gap_bucket
from engine.protocol import Device, EffectiveSettings, HardwareSample, LogGroup, MemoryUse, MetricsRead, PercentileRow

GB = 1_000_000_000


@pytest.fixture
def panel(qtbot: QtBot) -> LatencyPanel:
    made = LatencyPanel(Theme("light"))
    qtbot.addWidget(made)
    made.resize(344, 900)
    return made


def finished() -> RequestMetrics:
    timeline = RequestTimeline(-0.5, load_time=0.5)
    timeline.start(0.002)
    timeline.template_done(0.005)
    timeline.restore_done(0.009)
    for now in (0.034, 0.042, 0.051, 0.060):
        timeline.token(now)
    return timeline.metrics(0.06, n_prompt_tokens=1936, n_cached_tokens=1912, cache_source=CacheSource.DISK)


def test_the_waterfall_adds_up_to_ttft_and_paint(panel: LatencyPanel, qtbot: QtBot) -> None:
    metrics = finished()
    assert metrics.ttft is not None
    with qtbot.waitExposed(panel):
        panel.show()
    panel.show_metrics(metrics, perceived_ttft=metrics.ttft + 0.007)
    qtbot.waitUntil(lambda: bool(panel.ttft.bar.parts))
    assert sum(part.value for part in panel.ttft.bar.parts) == pytest.approx(metrics.ttft + 0.007, abs=1e-3)
    assert [part.text.split()[0] for part in panel.ttft.bar.parts] == [
        "queue", "load", "template", "cache", "prefill", "paint",
    ]  # fmt: skip


def test_the_waterfall_can_be_added_up_as_it_is_shown_and_agrees_with_the_strip(panel: LatencyPanel) -> None:
    slow = RequestMetrics(
        queued_time=0.002, load_time=0.11, template_time=0.003, cache_restore_time=0.004, prefill_time=1.74, ttft=1.859,
        n_prompt_tokens=6210,
    )  # fmt: skip
    panel.ttft.show_metrics(slow, perceived_ttft=1.909)
    assert [part.text for part in panel.ttft.bar.parts] == [
        "queue 2.0 ms", "load 110 ms", "template 3.0 ms", "cache 4.0 ms", "prefill 6,210 tokens 1.74 s",
        "paint 50 ms",
    ]  # fmt: skip
    assert panel.ttft._headline.text() == "1.91 s"


def test_parts_too_short_to_be_seen_stay_in_the_sum_without_a_legend(panel: LatencyPanel) -> None:
    short = RequestMetrics(
        queued_time=0.0004, load_time=0.0004, template_time=0.0004, cache_restore_time=0.0004, prefill_time=0.01,
        ttft=0.0116, n_prompt_tokens=3,
    )  # fmt: skip
    panel.ttft.show_metrics(short, perceived_ttft=0.0120)
    assert sum(part.value for part in panel.ttft.bar.parts) == pytest.approx(0.0120, abs=1e-6)
    assert [part.text for part in panel.ttft.bar.parts if part.text] == ["prefill 3 tokens 10 ms"]


def test_without_answers_it_says_what_will_be_here(panel: LatencyPanel, qtbot: QtBot) -> None:
    with qtbot.waitExposed(panel):
        panel.show()
    assert not panel._empty.isHidden()
    cards = (panel.ttft, panel.gaps, panel.memory, panel.limits, panel.facts, panel.hardware, panel.throughput)
    assert all(card.isHidden() for card in cards)
    panel.show_metrics(finished())
    qtbot.waitUntil(lambda: not panel.ttft.isHidden())
    assert panel._empty.isHidden()


def test_what_was_cached_is_shown_and_why_not_more_was(panel: LatencyPanel) -> None:
    facts = panel.facts
    facts.show_metrics(RequestMetrics(n_prompt_tokens=1936, n_cached_tokens=100, cache_source=CacheSource.SLOT))
    assert facts._reason.isHidden()
    reason = "The history was changed after 100 of 1,936 cached tokens."
    facts.show_metrics(RequestMetrics(n_prompt_tokens=1936, n_cached_tokens=100, cache_miss_reason=reason))
    assert facts._reason.text() == f"Not cached: {reason}"
    assert not facts._reason.isHidden()
    assert "100 of 1,936 tokens" in facts._table.texts


def test_the_limits_show_how_near_an_answer_came(panel: LatencyPanel) -> None:
    panel.set_bandwidth(21e9)
    panel.limits.show_metrics(RequestMetrics(mbu=0.31, prefill_tps=500.0, prefill_utilisation=0.77))
    assert panel.limits.decode.parts[0].text == "decode: 31 % of 21 GB/s bandwidth"
    assert panel.limits.prefill.parts[0].text == "prefill: 500 tok/s, 77 % of the best here"
    panel.limits.show_metrics(RequestMetrics(mbu=0.31, prefill_tps=500.0, prefill_utilisation=1.83))
    assert panel.limits.prefill.parts[0].text == "prefill: 500 tok/s, the best here so far"
    panel.limits.show_metrics(RequestMetrics())
    assert panel.limits.isHidden()


def test_a_chart_of_minutes_keeps_its_pace_however_often_the_machine_is_read(panel: LatencyPanel) -> None:
    panel.set_hardware(HardwareSample(cpu_utilisation=0.5), 10.0, 0.5)
    panel.set_hardware(HardwareSample(cpu_utilisation=0.7), 20.0, 1.0)
    assert panel.throughput.timeline.values == (10.0, 20.0, 20.0)
    assert panel.hardware.timeline.values == (0.5, 0.7, 0.7)


def test_hidden_it_computes_nothing_and_shown_it_catches_up(panel: LatencyPanel, qtbot: QtBot) -> None:
    panel.show_metrics(finished())
    assert panel.ttft.bar.parts == ()
    with qtbot.waitExposed(panel):
        panel.show()
    assert panel.ttft.bar.parts != ()


def test_twenty_thousand_gaps_repaint_a_few_times_and_only_the_latest_stay(panel: LatencyPanel, qtbot: QtBot) -> None:
    panel.show_metrics(finished())
    panel.resize(344, 2_000)
    with qtbot.waitExposed(panel):
        panel.show()
    looks: list[None] = []
    repaint = panel.gaps.repaint_charts
    panel.gaps.repaint_charts = lambda: (looks.append(None), repaint())  # type: ignore[method-assign]
    panel._repaint._interval_ms = 3_600_000  # However slow this machine is.
    painted = Paints(panel.gaps.timeline)
    for number in range(20_000):
        panel.add_gap(0.005)
        if number % 200 == 0:
            QApplication.processEvents()
    assert len(looks) <= 2
    assert painted.n <= 2
    panel._repaint.flush()
    QApplication.processEvents()
    assert painted.n > 0
    assert 1000 / REPAINT_MS <= 10
    assert len(panel.gaps.timeline.values) == CAPACITY


def test_percentiles_come_and_go(panel: LatencyPanel) -> None:
    row = PercentileRow(name="ttft", count=42, p50=0.039, p90=0.058, p95=0.071, p99=0.214)
    panel.show_read(MetricsRead(request_id="", rows=(row,), n_requests=43, n_errors=1, tokens_per_hour=1200.0))
    assert panel.percentiles.table.texts == ["", "P50", "P90", "P95", "P99", "TTFT", "39", "58", "71", "214"]
    assert panel.percentiles.note == "1 of 43 failed · 1,200 tokens an hour"
    panel.show_read(MetricsRead(request_id="", rows=()))
    assert panel.percentiles.table.texts == []
    assert panel.percentiles.note == "No answers here yet."


def test_percentiles_of_one_model_and_its_settings(panel: LatencyPanel, qtbot: QtBot) -> None:
    """The choice stays while the log grows, and falls back to all when its answers are gone."""
    one, other = (LogGroup(model="Tiny", quantization="Q4_1", settings=f"KV {kind}") for kind in ("f16", "q8_0"))
    panel.show_read(MetricsRead(request_id="", rows=(), groups=(one,)))
    assert panel.percentiles._chooser.isHidden()
    panel.show_read(MetricsRead(request_id="", rows=(), groups=(one, other)))
    with qtbot.waitSignal(panel.percentiles_wanted):
        panel.percentiles._chooser.setCurrentIndex(2)
    assert panel.group == other
    panel.show_read(MetricsRead(request_id="", rows=(), groups=(other, one)))
    assert panel.group == other
    wanted: list[LogGroup] = []
    panel.percentiles_wanted.connect(lambda: wanted.append(panel.group))
    panel.show_read(MetricsRead(request_id="", rows=(), groups=(one,)))
    assert (panel.group, wanted) == (LogGroup(), [LogGroup()])


def test_memory_stacks_ours_and_others_and_the_estimate(panel: LatencyPanel) -> None:
    use = MemoryUse(
        device="CUDA0", weights_bytes=5 * GB, kv_bytes=GB, compute_bytes=GB, estimated_bytes=round(7.14 * GB)
    )
    card = Device(name="CUDA0", description="NVIDIA RTX 4090", kind="gpu")
    panel.set_effective(EffectiveSettings(memory=(use,), devices=(card,)))
    panel.set_hardware(HardwareSample(vram_used_bytes=9 * GB, vram_total_bytes=24 * GB), 0.0)
    assert [(part.text, part.value) for part in panel.memory.bar.parts] == [
        ("weights 5 GB", 5 * GB), ("KV 1 GB", GB), ("compute 1 GB", GB), ("others 2 GB", 2 * GB),
    ]  # fmt: skip
    assert panel.memory._note.text().startswith("On NVIDIA RTX 4090. Expected")
    assert "+2 %" in panel.memory._note.text()


def test_absent_readings_are_absent(panel: LatencyPanel) -> None:
    panel.set_hardware(HardwareSample(cpu_utilisation=0.5), 0.0)
    assert panel.hardware._facts.text() == ""
    assert panel.hardware.timeline.values == (0.5,)


def test_why_slow_offers_its_one_action(panel: LatencyPanel, qtbot: QtBot) -> None:
    panel.why.show_diagnosis("14:02", "TTFT 1.9 s.", "Keep it warm")
    with qtbot.waitSignal(panel.action_requested):
        panel.why._button.click()
    panel.why.show_outcome("TTFT 1.9 s → 0.1 s")
    assert panel.why._button.isHidden()


def test_the_scope_is_named_by_its_key(panel: LatencyPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.percentiles_wanted):
        panel._scope.setCurrentIndex(2)
    assert panel.scope == "day"


def test_a_timeline_loses_no_spike(qtbot: QtBot) -> None:
    timeline = Timeline(Theme("dark"))
    qtbot.addWidget(timeline)
    timeline.set_thresholds(Threshold(0.05, "50 ms"))
    for index in range(4000):
        timeline.append(0.2 if index == 1234 else 0.01)
    columns = timeline._columns(300)
    assert len(columns) == 300
    assert max(high for _, high, _ in columns) == 0.2
    assert not timeline.grab().isNull()


@pytest.mark.parametrize("size", [14, 24])
@pytest.mark.parametrize(("typical", "n_named"), [(0.007, 1), (0.0083, 2), (0.064, 3), (0.24, 1)])
def test_the_words_of_the_thresholds_lie_beside_their_lines_and_on_no_curve(
    panel: LatencyPanel, typical: float, n_named: int, size: int
) -> None:
    panel._theme.set_font(size)
    timeline = panel.gaps.timeline
    for index in range(286):
        timeline.append(typical * (3.6 if 140 < index < 154 else 1 + 0.05 * (index % 3)), is_marked=140 < index < 154)
    timeline.resize(287 * size // 14, timeline.sizeHint().height())
    area, columns, top = timeline._area(), timeline._columns(timeline.width()), timeline._top()
    notes = timeline._notes(area, columns)
    assert len(notes) == n_named
    for line, box in notes:
        y = timeline._y(line.value, area, top)
        assert min(abs(box.top() - y), abs(box.bottom() - y)) <= 2
        assert 0 <= box.top() < box.bottom() <= area.bottom()
        assert not timeline._is_crossed(box, area, top, columns)
        assert not any(box.intersects(other) for _, other in notes if other is not box)


def test_words_stay_on_their_side_while_they_can(qtbot: QtBot) -> None:
    timeline = Timeline(Theme("light"))
    qtbot.addWidget(timeline)
    timeline.resize(287, 92)
    timeline.set_thresholds(Threshold(0.05, "50 ms"), Threshold(0.1, "100 ms"))

    def is_below(value: float) -> bool:
        timeline.append(value, n_times=CAPACITY)
        area = timeline._area()
        box = timeline._notes(area, timeline._columns(287))[-1][1]
        return box.top() > timeline._y(0.05, area, timeline._top())

    assert [is_below(value) for value in (0.02, 0.06, 0.09, 0.04, 0.09)] == [False, True, True, False, False]
    timeline.clear()
    assert [is_below(value) for value in (0.09, 0.02)] == [False, False]


def test_the_histogram_names_its_limit_where_it_is_in_view(panel: LatencyPanel) -> None:
    histogram = panel.gaps.histogram
    histogram.set_counts({gap_bucket(0.008): 200, gap_bucket(0.02): 3}, 0.1, "100 ms slow")
    height = histogram.sizeHint().height()
    assert not histogram._has_limit
    histogram.set_counts({gap_bucket(0.06): 200, gap_bucket(0.2): 3}, 0.1, "100 ms slow")
    assert histogram._has_limit
    assert histogram.sizeHint().height() > height


def test_a_part_as_narrow_as_the_line_behind_it_is_seen(qtbot: QtBot) -> None:
    theme = Theme("light")
    bar = StackedBar(theme)
    qtbot.addWidget(bar)
    bar.resize(200, 40)
    bar.set_parts([BarPart("", 100, "p1"), BarPart("", 1, "p2"), BarPart("", 99, "p3")])
    image = bar.grab().toImage()
    assert [image.pixelColor(x, 8).name() for x in (50, 99, 100, 101)] == [
        theme.tokens.p1, theme.tokens.card, theme.tokens.p2, theme.tokens.p3,
    ]  # fmt: skip


def test_a_bar_wraps_its_legend(qtbot: QtBot) -> None:
    bar = StackedBar(Theme("light"))
    qtbot.addWidget(bar)
    bar.set_parts([BarPart("a rather long legend text", 1, "p1"), BarPart("another long legend text", 2, "p2")])
    assert bar.heightForWidth(200) > bar.heightForWidth(600)
    assert bar.accessibleName() == "a rather long legend text, another long legend text"


def test_alerts_are_said_with_their_readings(panel: LatencyPanel) -> None:
    queue = Alert(code=AlertCode.QUEUE, level=AlertLevel.WARNING, value=3, limit=0)
    rate = Alert(code=AlertCode.ERROR_RATE, level=AlertLevel.WARNING, value=0.0213, limit=0.001)
    panel.alerts.set_alerts([queue, rate])
    assert panel.alerts.texts == [
        "▲ Requests that have been waiting for a while: 3.",
        "▲ 2.1 % of the requests failed (limit 0.1 %).",
    ]
    panel.alerts.set_alerts([])
    assert panel.alerts.isHidden()


def test_no_line_breaks_between_a_number_and_its_unit(qtbot: QtBot) -> None:
    label = note_label(Theme("light"), "over 14 s (limit 10 s) in 3 steps, 2.6 GB → 2 GB")
    qtbot.addWidget(label)
    assert label.text() == "over 14 s (limit 10 s) in 3 steps, 2.6 GB → 2 GB"
    assert QLabel.text(label) == "over 14\u00a0s (limit 10\u00a0s) in 3 steps, 2.6\u00a0GB\u00a0→\u00a02\u00a0GB"
    label.setText("6,210 个 token → 3 个")
    assert QLabel.text(label) == "6,210\u00a0个\u00a0token\u00a0→\u00a03\u00a0个"


@pytest.mark.parametrize("size", [14, 20, 24])
def test_nothing_is_cut_off_at_the_right_also_with_large_text(qtbot: QtBot, size: int) -> None:
    panel = LatencyPanel(Theme("light", size))
    qtbot.addWidget(panel)
    panel.resize(panel.width(), 900)
    metrics = msgspec.structs.replace(finished(), n_prepared_tokens=1870, batch_size_mean=1.4)
    panel.show_metrics(metrics, perceived_ttft=metrics.ttft)
    rows = tuple(PercentileRow(name=name, count=9, p50=2.4, p90=4.0, p95=4.7, p99=16.1) for name in ("ttft", "itl"))
    panel.show_read(MetricsRead(rows=rows, n_requests=214, tokens_per_hour=184_200))
    with qtbot.waitExposed(panel):
        panel.show()
    content, viewport = panel._scroll.widget(), panel._scroll.viewport()
    qtbot.waitUntil(lambda: "1,912 of 1,936 tokens" in panel.facts._table.texts)
    qtbot.waitUntil(lambda: content.width() == viewport.width())
