"""The ablation benchmark beside the window: progress, figures, a failure in one sentence, and cancel."""

from __future__ import annotations

import sys

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from app.latency.ablation_controller import AblationRunner
from app.latency.ablation_dialog import AblationDialog
from app.ui.theme import Theme
from engine.errors import Code, StorageError
from engine.protocol.records import AblationFigures, AblationStep, KvQuality
from engine.protocol.values import KvType

STEP = AblationStep(
    name="plain", ttft_p50=0.2, ttft_p95=0.9, tpot_p50=0.007, tpot_p95=0.009, total=3.0, reopened_ttft=0.1,
    memory_bytes=300_000_000, n_answers=21,
)  # fmt: skip
FIGURES = AblationFigures(
    model="Tiny", n_runs=3, steps=(STEP, msgspec.structs.replace(STEP, name="speculative", total=1.0)),
    qualities=(
        KvQuality(kv_type=KvType.F16, divergence=0.0, divergence_p99=0.0, top1_agreement=1.0),
        KvQuality(kv_type=KvType.Q8_0, divergence=0.0004, divergence_p99=0.003, top1_agreement=0.992),
    ),
)  # fmt: skip


def program(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def test_progress_and_figures_come_through(qtbot: QtBot) -> None:
    said = "import sys; print('1/8 flash attention', file=sys.stderr, flush=True); print(sys.argv[5] and %r)"
    runner = AblationRunner(command=program(said % msgspec.json.encode(FIGURES).decode()))
    progress: list[tuple[int, int, str]] = []
    runner.progressed.connect(lambda *told: progress.append(told))
    with qtbot.waitSignal(runner.finished) as finished:
        runner.start("starter")
    assert progress == [(1, 8, "flash attention")]
    assert finished.args == [FIGURES]
    assert not runner.is_running


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (program("import sys; print('The disk is full.', file=sys.stderr); sys.exit(1)"), "The disk is full."),
        (program("print('{}')"), "could not be read"),
        (("/no/such/program",), "could not be started"),
    ],
)
def test_a_failure_is_one_sentence(qtbot: QtBot, command: tuple[str, ...], reason: str) -> None:
    runner = AblationRunner(command=command)
    with qtbot.waitSignal(runner.failed) as signal:
        runner.start("starter")
    assert reason in signal.args[0]
    assert not runner.is_running


def test_a_failure_of_the_engine_is_told_in_the_user_s_language(qtbot: QtBot, chinese: None) -> None:
    fault = StorageError(Code.DISK_FULL, "The disk is full: {folder}.", folder="/models").failure
    said = "import sys; print(%r); print('The disk is full.', file=sys.stderr); sys.exit(1)"
    runner = AblationRunner(command=program(said % msgspec.json.encode(fault).decode()))
    with qtbot.waitSignal(runner.failed) as signal:
        runner.start("starter")
    assert signal.args == ["磁盘已满：/models。"]


def test_cancel_ends_the_process_and_says_nothing_more(qtbot: QtBot) -> None:
    runner = AblationRunner(command=program("import threading; threading.Event().wait()"))
    runner.start("starter")
    process = runner._process
    assert process is not None
    qtbot.waitUntil(lambda: process.processId() > 0)
    with qtbot.assertNotEmitted(runner.failed), qtbot.waitSignal(process.finished):
        runner.cancel()


def test_the_dialog_shows_what_was_measured(qtbot: QtBot) -> None:
    theme = Theme("light")
    dialog = AblationDialog(theme)
    qtbot.addWidget(dialog)
    dialog.set_model("", "")
    assert not dialog.button.isEnabled()
    assert dialog._state.text() == "Choose a model in the window first."
    dialog.set_model("starter", "Tiny")
    assert dialog._state.text() == "Tiny will be measured."
    with qtbot.waitSignal(dialog.started) as started:
        dialog.button.click()
    assert started.args == ["starter"]
    dialog.set_progress(1, 8, "flash attention")
    with qtbot.waitSignal(dialog.cancel_requested):
        dialog.button.click()
    dialog.set_ended("The disk is full.", is_warning=True)
    assert theme.tokens.warn in dialog._state.styleSheet()
    dialog.set_figures(FIGURES)
    assert theme.tokens.ink in dialog._state.styleSheet()
    assert "plain: TTFT 200 ms, P95 900 ms, reopened 100 ms, TPOT 7.0 ms, P95 9.0 ms" in dialog.chart.accessibleName()
    assert "99.2 %" in dialog._quality.text()
    assert dialog.button.text() == "Measure"


def test_the_dialog_is_as_high_as_what_it_says(qtbot: QtBot) -> None:
    dialog = AblationDialog(Theme("light"))
    qtbot.addWidget(dialog)
    layout = dialog.layout()
    assert layout is not None
    dialog.set_model("starter", "Tiny")
    with qtbot.waitExposed(dialog):
        dialog.show()
    assert dialog.height() == layout.totalHeightForWidth(dialog.width())
    height = dialog.height()
    dialog.set_figures(FIGURES)
    assert dialog.height() == layout.totalHeightForWidth(dialog.width()) > height
