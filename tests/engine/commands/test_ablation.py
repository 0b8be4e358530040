"""The ablation benchmark: every step with its own switches, figures of a real chat, a table and a chart."""

from __future__ import annotations

import functools
import itertools
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from engine.commands.ablation import N_CTX, STEPS, StepSettings, Workload, change_text, run_ablation, table
from engine.commands.ablation_chart import svg
from engine.commands.latency_probe import Engine, Timed
from engine.commands.options import load_with
from engine.latency.significance import changes
from engine.metrics import CacheSource
from engine.protocol.records import AblationFigures, AblationStep, KvQuality
from engine.protocol.values import KvType, Speculative, Switch
from engine.settings import Models, Settings, folders

FIGURES = AblationFigures(
    model="Tiny",
    n_runs=3,
    steps=tuple(
        AblationStep(
            name=step.name, ttft_p50=0.2 / n, ttft_p95=0.9 / n, tpot_p50=0.007, tpot_p95=0.009, total=3.0 / n,
            reopened_ttft=0.1, memory_bytes=300_000_000, n_answers=21,
        )
        for n, step in enumerate(STEPS, 1)
    ),
    qualities=(
        KvQuality(kv_type=KvType.F16, divergence=0.0, divergence_p99=0.0, top1_agreement=1.0),
        KvQuality(kv_type=KvType.Q8_0, divergence=0.0004, divergence_p99=0.003, top1_agreement=0.992),
    ),
    n_compared=512,
)  # fmt: skip


def test_each_step_adds_one_thing() -> None:
    assert STEPS[0].flash_attn is Switch.OFF
    for before, after in itertools.pairwise(STEPS):
        changed = [f for f in before.__struct_fields__ if f != "name" and getattr(before, f) != getattr(after, f)]
        assert len(changed) == 1
    assert STEPS[-1].speculative is Speculative.LOOKUP


def test_the_table_has_a_line_for_each_step_and_what_quality_cost() -> None:
    lines = table(FIGURES).splitlines()
    assert [line.split("  ")[0] for line in lines[1:8]] == [step.name for step in STEPS]
    assert lines[2].endswith("-50 %")
    assert "the same likeliest token at 99.2 % of 512 positions" in lines[-1]


def test_a_loss_is_called_one_and_noise_too() -> None:
    plain, flash = FIGURES.steps[0], FIGURES.steps[1]
    slower = msgspec.structs.replace(flash, total=3.6, totals=(3.5, 3.6, 3.7))
    noisy = msgspec.structs.replace(flash, total=3.1, totals=(2.9, 3.1, 3.3))
    before = msgspec.structs.replace(plain, totals=(2.95, 3.0, 3.05))
    assert [change_text(change) for change in changes([before.runs, slower.runs])] == ["", "+20 % slower"]
    assert [change_text(change) for change in changes([before.runs, noisy.runs])] == ["", "+3 % (noise)"]
    chart = svg(msgspec.structs.replace(FIGURES, steps=(before, slower)))
    assert "▲ +20 % slower" in chart


def test_the_chart_is_valid_and_names_the_steps() -> None:
    root = ET.fromstring(svg(FIGURES))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert all(any(str(text).endswith(step.name) for text in texts) for step in STEPS)
    widths = [float(rect.get("width", 0)) for rect in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert len(widths) == 1 + 10 * len(STEPS)
    assert all(0 < width < 1120 for width in widths)


@pytest.mark.model
def test_a_short_ablation_is_run_for_real(starter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.commands.ablation.STEPS", (STEPS[0], STEPS[4]))
    settings = load_with(Settings(models=Models(last_model="")), str(starter), n_ctx=2048, n_threads=1)
    told: list[str] = []
    answers, reopened = Workload.answers, []

    def watched(work: Workload) -> Iterator[Timed]:
        found = list(answers(work))
        reopened.append(found[-2].finished.metrics.cache_source)
        yield from found

    monkeypatch.setattr(Workload, "answers", watched)
    figures = run_ablation(
        settings, folders(), str(starter), lambda done, total, name: told.append(f"{done}/{total} {name}"),
        n_runs=1, n_document=200, n_text=128,
    )  # fmt: skip
    assert told == ["0/3 plain", "1/3 snapshots", "2/3 quality", "3/3 "]
    plain, snapshots = figures.steps
    assert plain.n_answers == snapshots.n_answers == 7
    assert reopened == [CacheSource.NONE, CacheSource.DISK]
    assert snapshots.memory_bytes < plain.memory_bytes
    assert figures.qualities[1].divergence < figures.qualities[2].divergence


@pytest.mark.parametrize(("chosen", "taken"), [(0, 0), (1024, N_CTX), (8192, 8192)])
def test_a_context_too_small_for_the_chat_is_made_larger(
    chosen: int, taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[int] = []

    def measure(_step: StepSettings, open_engine: functools.partial[Engine], *_: object) -> AblationStep:
        settings = open_engine.args[0]
        own = settings.models.per_model.get("tiny") or settings.performance.load
        found.append(own.n_ctx)
        raise InterruptedError

    monkeypatch.setattr("engine.commands.ablation._measure", measure)
    with pytest.raises(InterruptedError):
        run_ablation(load_with(Settings(), "tiny", n_ctx=chosen), folders(), "tiny", lambda *_: None)
    assert found == [taken]
