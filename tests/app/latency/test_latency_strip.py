"""The HUD strip: what it says in each phase, and levels in colour, shape and words."""

from __future__ import annotations

import msgspec
import pytest
from fake_host import METRICS
from pytestqt.qtbot import QtBot

from app.latency.latency_strip import LatencyStrip
from app.latency.strip_readings import Level, Phase, StripReadings, context_level, itl_level, ttft_level, vram_level
from app.ui.theme import Theme
from engine.metrics import Itl
from engine.protocol import HardwareSample, PrefillProgress
from engine.settings import Thresholds


@pytest.fixture
def strip(qtbot: QtBot) -> LatencyStrip:
    widget = LatencyStrip(Theme("light"))
    widget.set_thresholds(Thresholds())
    qtbot.addWidget(widget)
    widget.resize(1200, 34)
    widget.show()
    return widget


def test_a_finished_answer_shows_its_figures(strip: LatencyStrip) -> None:
    hardware = HardwareSample(vram_used_bytes=5_100_000_000, vram_total_bytes=24_000_000_000)
    strip.set_figures(StripReadings(metrics=METRICS, n_context=1240, n_ctx=8192, kv_type="q8_0", hardware=hardware))
    texts = [figure.text for figure in (strip.ttft, strip.rate, strip.itl, strip.kv, strip.context, strip.memory)]
    assert texts == [
        "TTFT 62 ms", "148 tok/s", "ITL 6.7 · P99 9.1 ms", "KV 23 MB q8_0", "context 1,240 / 8,192", "VRAM 5.1 / 24 GB",
    ]  # fmt: skip
    assert strip.bandwidth.text == "78 % of memory bandwidth"
    assert not strip.phase.isVisible()


def test_a_full_context_holds_no_more_than_fits_and_what_a_dead_engine_left_is_no_missing_answer(
    strip: LatencyStrip,
) -> None:
    strip.set_figures(StripReadings(n_context=257, n_ctx=256))
    assert strip.context.text == "context 256 / 256"
    assert strip.context.level is Level.WARNING
    assert not strip.phase.isVisible()
    strip.set_figures(StripReadings())
    assert strip.phase.text == "no answer yet"


def test_a_halting_answer_is_called_so(strip: LatencyStrip) -> None:
    strip.set_figures(
        StripReadings(metrics=msgspec.structs.replace(METRICS, itl=Itl(0.21, 0.21, 0.22, 0.23, 0.3, 0.3)))
    )
    assert strip.itl.text == "ITL 210 · P99 300 ms · halting"


def test_a_machine_that_slept_amid_an_answer_is_told_in_seconds(strip: LatencyStrip) -> None:
    strip.set_figures(
        StripReadings(metrics=msgspec.structs.replace(METRICS, itl=Itl(2.6, 0.132, 0.2, 0.3, 66.03, 66.03)))
    )
    assert strip.itl.text == "ITL 132 ms · P99 1 min 6 s"


def test_a_full_context_is_not_more_than_full(strip: LatencyStrip) -> None:
    strip.set_figures(StripReadings(metrics=METRICS, n_context=769, n_ctx=768))
    assert strip.context.text == "context 768 / 768"


def test_what_does_not_fit_is_left_out_whole(strip: LatencyStrip) -> None:
    strip.set_figures(StripReadings(metrics=METRICS, n_context=1240, n_ctx=8192, kv_type="q8_0"))
    assert strip.bandwidth.isVisible()
    strip.resize(420, 34)
    assert [strip.ttft.isVisible(), strip.bandwidth.isVisible()] == [True, False]
    strip.resize(1200, 34)
    assert strip.bandwidth.isVisible()


def test_larger_text_takes_its_room(qtbot: QtBot) -> None:
    theme = Theme("light")
    strip = LatencyStrip(theme)
    qtbot.addWidget(strip)
    strip.resize(900, 34)
    strip.set_figures(StripReadings(metrics=METRICS, n_context=1240, n_ctx=8192, kv_type="q8_0"))
    strip.show()
    assert strip.bandwidth.isVisible()
    theme.set_font(24)
    assert not strip.bandwidth.isVisible()
    assert strip.itl.isVisible()
    qtbot.waitUntil(lambda: strip.itl.width() >= strip.itl.sizeHint().width())


def test_prefill_says_how_far_it_is_and_hides_old_figures(strip: LatencyStrip) -> None:
    progress = PrefillProgress(n_done=3120, n_total=8000, seconds_left=4.1)
    strip.set_figures(StripReadings(phase=Phase.PREFILL, metrics=METRICS, prefill=progress))
    assert strip.phase.text == "reading 3,120 of 8,000 tokens, 4.1 s left"
    assert not strip.ttft.isVisible()
    assert not strip.rate.isVisible()
    progress = PrefillProgress(n_done=3120, n_total=8000, n_cached=1912, rate=780.0, seconds_left=4.1)
    strip.set_figures(StripReadings(phase=Phase.PREFILL, metrics=METRICS, prefill=progress))
    assert strip.phase.text == "reading 3,120 of 8,000 tokens, 1,912 cached, 780 tok/s, 4.1 s left"


def test_absent_readings_are_absent_not_zero(strip: LatencyStrip) -> None:
    strip.set_figures(StripReadings(metrics=msgspec.structs.replace(METRICS, mbu=None, itl=None, kv_bytes=0)))
    for figure in (strip.itl, strip.kv, strip.bandwidth, strip.memory, strip.context):
        assert not figure.isVisible()


def test_a_machine_without_a_gpu_shows_its_ram(strip: LatencyStrip) -> None:
    strip.set_figures(
        StripReadings(hardware=HardwareSample(ram_used_bytes=3_200_000_000, ram_total_bytes=16_000_000_000))
    )
    assert strip.memory.text == "RAM 3.2 / 16 GB"


def test_levels_are_told_in_words_too(strip: LatencyStrip) -> None:
    slow = msgspec.structs.replace(
        METRICS, ttft=1.4, itl=Itl(mean=0.06, p50=0.06, p90=0.06, p95=0.06, p99=0.3, max=0.4)
    )
    strip.set_figures(StripReadings(metrics=slow))
    assert strip.ttft.level is Level.WARNING
    assert strip.ttft.accessibleName().endswith(", warning")
    assert strip.itl.level is Level.WARNING
    assert strip.ttft.sizeHint().width() > 0


def test_every_figure_explains_itself(strip: LatencyStrip) -> None:
    for figure in (strip.phase, strip.ttft, strip.rate, strip.itl, strip.kv, strip.context, strip.memory):
        assert len(figure.toolTip()) > 30


@pytest.mark.parametrize(
    ("seconds", "level"), [(0.3, Level.GOOD), (0.31, Level.NOTICE), (1.0, Level.NOTICE), (1.01, Level.WARNING)]
)
def test_ttft_levels(seconds: float, level: Level) -> None:
    assert ttft_level(seconds, Thresholds()) is level


def test_other_levels() -> None:
    assert itl_level(0.05, Thresholds()) is Level.GOOD
    assert itl_level(0.06, Thresholds()) is Level.NOTICE
    assert itl_level(0.11, Thresholds()) is Level.WARNING
    assert vram_level(91, 100, Thresholds()) is Level.NOTICE
    assert vram_level(90, 100, Thresholds()) is Level.PLAIN
    assert [context_level(used, 100) for used in (90, 91, 100)] == [Level.PLAIN, Level.NOTICE, Level.WARNING]
