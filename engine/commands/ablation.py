"""The ablation benchmark: one chat workload with one technique more at each step, on the user's model and machine.

The workload is what a user feels: a short question, a long document with a question, three more turns, the chat opened
again after a restart, and a text to be edited. TTFT counts from Enter; the time of typing is the same at every step.
"""

from __future__ import annotations

import functools
import statistics
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from engine.commands.latency_probe import Engine, OpenEngine, Timed
from engine.commands.options import load_with
from engine.commands.workloads import edit_task, prose
from engine.latency.significance import Change, changes
from engine.metrics import percentile
from engine.protocol.records import AblationFigures, AblationStep
from engine.protocol.values import KvType, Speculative, Switch
from engine.settings import Folders, Settings

RUNS = 3
N_DOCUMENT = 1500
"""Tokens of the long document, more or less."""
N_TEXT = 1024
"""Tokens of the text over which KV types are compared."""
N_CTX = 4096
"""In which the whole chat has room; a smaller context of the settings would end it at the document."""
ANSWER_TOKENS = 48
EDIT_TOKENS = 96
TYPING_SECONDS = 1.5
QUESTIONS = ("What is this about?", "Who is in it?", "Where does it happen?", "How does it end?")


class StepSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What is switched on up to this step."""

    name: str
    type_kv: KvType = KvType.F16
    flash_attn: Switch = Switch.OFF
    reuses_cache: bool = False
    has_snapshots: bool = False
    prewarms: bool = False
    speculative: Speculative = Speculative.OFF


STEPS = (
    plain := StepSettings(name="plain"),
    flash := msgspec.structs.replace(plain, name="flash attention", flash_attn=Switch.ON),
    small := msgspec.structs.replace(flash, name="KV q8_0", type_kv=KvType.Q8_0),
    prefix := msgspec.structs.replace(small, name="prefix reuse", reuses_cache=True),
    snapshots := msgspec.structs.replace(prefix, name="snapshots", has_snapshots=True),
    typing := msgspec.structs.replace(snapshots, name="prefill while typing", prewarms=True),
    msgspec.structs.replace(typing, name="speculative", speculative=Speculative.LOOKUP),
)


OnStep = Callable[[int, int, str], None]
"""Called with steps done, all steps, and the name of the next one."""


def run_ablation(
    settings: Settings,
    folders: Folders,
    model_id: str,
    progress: OnStep,
    *,
    n_runs: int = RUNS,
    n_document: int = N_DOCUMENT,
    n_text: int = N_TEXT,
) -> AblationFigures:
    """Measure every step. Raises EngineError."""
    own = settings.models.per_model.get(model_id) or settings.performance.load
    if 0 < own.n_ctx < N_CTX:
        settings = load_with(settings, model_id, n_ctx=N_CTX)
    open_engine = functools.partial(Engine, settings, folders, model_id)
    n_parts = len(STEPS) + 1
    steps = []
    for number, step in enumerate(STEPS):
        progress(number, n_parts, step.name)
        steps.append(_measure(step, open_engine, n_runs, n_document))
    progress(len(STEPS), n_parts, "quality")
    with open_engine() as engine:
        compared = engine.compare_kv_types(prose(n_text, 7), KvType.F16, KvType.Q8_0, KvType.Q4_0)
        effective = engine.effective
    progress(n_parts, n_parts, "")
    return AblationFigures(
        model=Path(effective.model_path).stem if effective else model_id,
        n_runs=n_runs,
        steps=tuple(steps),
        qualities=compared.qualities,
        n_compared=compared.n_tokens,
        versions=effective.versions if effective else {},
        device=effective.devices[0].description if effective and effective.devices else "",
        n_threads=effective.n_threads if effective else 0,
    )


def _measure(step: StepSettings, open_engine: OpenEngine, n_runs: int, n_document: int) -> AblationStep:
    """One step: the whole workload `n_runs` times, each with texts of its own and snapshots of its own."""
    answers: list[Timed] = []
    totals, reopened = [], []
    memory = 0
    for run in range(n_runs):
        with tempfile.TemporaryDirectory(prefix="firstlight-ablation-") as folder:
            workload = Workload(step, open_engine, Path(folder), run, n_document)
            found = list(workload.answers())
        answers += found
        totals.append(sum(timed.total for timed in found))
        reopened.append(found[-2].ttft)
        memory = max(memory, workload.memory_bytes)
    tpots = [1 / timed.decode_tps for timed in answers if len(timed.arrivals) > 1]
    ttfts = [timed.ttft for timed in answers]
    return AblationStep(
        name=step.name,
        ttft_p50=percentile(ttfts, 50),
        ttft_p95=percentile(ttfts, 95),
        tpot_p50=percentile(tpots, 50),
        tpot_p95=percentile(tpots, 95),
        total=statistics.median(totals),
        totals=tuple(totals),
        reopened_ttft=statistics.median(reopened),
        memory_bytes=memory,
        n_answers=len(answers),
    )


class Workload:
    """One chat under one step, from the first question to the edited text after a restart."""

    def __init__(self, step: StepSettings, open_engine: OpenEngine, folder: Path, run: int, n_document: int) -> None:
        self._step, self._open = step, open_engine
        self._folder, self._run, self._n_document = folder, run, n_document
        self._chat_id = f"ablation-{run}"
        self.memory_bytes = 0

    def answers(self) -> Iterator[Timed]:
        """Every answer in its order; the last but one is the first after the restart."""
        texts: list[str] = []
        with self._engine("first") as engine:
            yield self._ask(engine, texts, f"What is {self._run + 2} times 21? Answer in one sentence.")
            document = prose(self._n_document, self._run + 1)
            for number, question in enumerate(QUESTIONS):
                yield self._ask(engine, texts, f"{document}\n\n{question}" if number == 0 else question)
        with self._engine("first" if self._step.has_snapshots else "second") as engine:
            yield self._ask(engine, texts, "Say it again in other words.")
            yield engine.answer(
                prompt=edit_task(), max_tokens=EDIT_TOKENS, speculative=self._step.speculative, reuse_cache=False
            )

    def _engine(self, name: str) -> Engine:
        step = self._step
        return self._open(
            type_k=step.type_kv,
            type_v=step.type_kv,
            flash_attn=step.flash_attn,
            snapshot_dir=str(self._folder / name),
            speculative=step.speculative,
        )

    def _ask(self, engine: Engine, texts: list[str], question: str) -> Timed:
        """Type the question, press Enter, and keep the answer for the next turn."""
        step = self._step
        if engine.effective is not None:
            self.memory_bytes = sum(use.total_bytes for use in engine.effective.memory)
        if step.prewarms:
            reading = threading.Thread(target=engine.prewarm, args=(question, self._chat_id, *texts))
            reading.start()
            threading.Event().wait(TYPING_SECONDS)
        timed = engine.answer(
            *texts, question, chat_id=self._chat_id, max_tokens=ANSWER_TOKENS, reuse_cache=step.reuses_cache,
            speculative=step.speculative,
        )  # fmt: skip
        if step.prewarms:
            reading.join()
        texts += [question, timed.text]
        return timed


def table(figures: AblationFigures) -> str:
    """The figures as text, each step with what it changed against the one before."""
    head = f"{'':<22}{'TTFT P50':>11}{'P95':>11}{'reopened':>11}{'TPOT P50':>11}{'P95':>10}{'memory':>9}"
    lines = [f"{head}{'whole chat':>12}  against the step before"]
    for step, change in zip(figures.steps, changes([each.runs for each in figures.steps]), strict=True):
        lines.append(
            f"{step.name:<22}{_ms(step.ttft_p50):>11}{_ms(step.ttft_p95):>11}{_ms(step.reopened_ttft):>11}"
            f"{_ms(step.tpot_p50):>11}{_ms(step.tpot_p95):>10}{step.memory_bytes / 1e6:>6.0f} MB"
            f"{step.total:>10.2f} s  {change_text(change)}".rstrip()
        )
    return "\n".join([*lines, "", *quality_lines(figures)])


def change_text(change: Change | None) -> str:
    """`-55 %`, `+16 % slower`, or `+1 % (noise)` where the runs of both steps overlap."""
    if change is None:
        return ""
    words = " (noise)" if change.is_noise else " slower" if change.is_loss else ""
    return f"{change.ratio * 100:+.0f} %{words}"


def quality_lines(figures: AblationFigures) -> list[str]:
    """What each KV type costs in quality."""
    return [
        f"KV {quality.kv_type} against f16: KL divergence {quality.divergence:.5f} nats (P99 "
        f"{quality.divergence_p99:.4f}), the same likeliest token at {quality.top1_agreement * 100:.1f} % of "
        f"{figures.n_compared} positions"
        for quality in figures.qualities[1:]
    ]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms" if seconds >= 0.0995 else f"{seconds * 1000:.1f} ms"
