"""python -m engine bench: measure this machine with a model, one suite at a time."""

from __future__ import annotations

import argparse
import functools
import json
import signal
import statistics
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from engine.commands.ablation import run_ablation, table
from engine.commands.ablation_chart import svg
from engine.commands.latency_probe import Engine, OpenEngine, resumed_ttft
from engine.commands.options import add_model_options, positive, settings_with
from engine.errors import FirstlightError
from engine.files import writing_to
from engine.protocol.values import KvType, Speculative
from engine.settings import Settings, folders, load_settings

RUNS = 3
_FORMER_NAMES = {"ladder": "ablation"}
Figures = dict[str, float]
"""Name to seconds or tokens per second; the name ends in _s, _tps or _ratio."""


class Suites:
    """Each suite returns its figures, medians of `RUNS`."""

    def __init__(self, open_engine: OpenEngine) -> None:
        self._engine = open_engine

    def all(self) -> dict[str, Callable[[], Figures]]:
        return {
            "decode": self.decode,
            "turns": self.turns,
            "parallel": self.parallel,
            "resume": self.resume,
            "prewarm": self.prewarm,
            "speculative": self.speculative,
            "kv": self.kv,
        }

    def decode(self) -> Figures:
        """One stream, and the prefill of a long prompt."""
        with self._engine() as engine:
            return {
                "decode_tps": _median(engine.decode_tps() for _ in range(RUNS)),
                "prefill_tps": _median(engine.prefill_tps(1000, run) for run in range(RUNS)),
                "cancel_decode_s": _median(engine.cancel_seconds(run, in_prefill=False) for run in range(RUNS)),
                "cancel_prefill_s": _median(engine.cancel_seconds(run, in_prefill=True) for run in range(RUNS)),
            }

    def turns(self) -> Figures:
        """Five turns of one chat: from the second on only what is new is read."""
        with self._engine() as engine:
            found = engine.turn_ttfts(5, 1)
        return {f"turn{number}_ttft_s": ttft for number, ttft in enumerate(found, 1)}

    def parallel(self) -> Figures:
        """1, 2, 4 and 8 requests at once, and a running answer beside another chat's long prompt."""
        with self._engine(n_parallel=8) as engine:
            found = {f"parallel{n}_tps": engine.parallel_tps(n, seed=n) for n in (1, 2, 4, 8)}
            p50, p99 = engine.interference(1)
        return found | {"interference_itl_p50_s": p50, "interference_itl_p99_s": p99}

    def resume(self) -> Figures:
        """A long chat, and the same after a restart."""
        cold, resumed, _ = resumed_ttft(self._engine, 1)
        return {"cold_ttft_s": cold, "resumed_ttft_s": resumed, "resumed_over_cold_ratio": resumed / cold}

    def prewarm(self) -> Figures:
        """A long paste and three seconds of typing, then Enter."""
        with self._engine() as engine:
            ttft, step = engine.prewarmed_ttft(1)
        return {"prewarmed_ttft_s": ttft, "decode_step_s": step}

    def speculative(self) -> Figures:
        """Prompt lookup on a text to be edited and on a free one."""
        found: Figures = {}
        with self._engine() as engine:
            for task, is_edit in (("edit", True), ("free", False)):
                plain, lookup = (
                    _median(engine.lookup_tps(kind, is_edit=is_edit) for _ in range(RUNS))
                    for kind in (Speculative.OFF, Speculative.LOOKUP)
                )
                found |= {f"{task}_plain_tps": plain, f"{task}_lookup_tps": lookup, f"{task}_ratio": lookup / plain}
        return found

    def kv(self) -> Figures:
        """Decode and prefill with each KV type that loads."""
        found: Figures = {}
        for kv_type in (KvType.F16, KvType.Q8_0, KvType.Q4_0):
            with self._engine(type_k=kv_type, type_v=kv_type) as engine:
                found[f"{kv_type}_decode_tps"] = _median(engine.decode_tps() for _ in range(RUNS))
                found[f"{kv_type}_prefill_tps"] = _median(engine.prefill_tps(1000, run) for run in range(RUNS))
        return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_options(parser)
    suites = [*Suites(Engine).all(), "ablation"]
    parser.add_argument("--suite", required=True, choices=suites, type=lambda name: _FORMER_NAMES.get(name, name))
    parser.add_argument("--json", metavar="FILE", help="write the figures there; - prints them as JSON")
    parser.add_argument("--chart", metavar="FILE", help="ablation: draw an SVG there")
    parser.add_argument(
        "--runs", type=positive, default=RUNS, help="ablation: runs of each step (default: %(default)s)"
    )


def run(arguments: argparse.Namespace) -> int:
    # A window that cancels the benchmark ends this process: the model and its snapshots go with it.
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    settings, _ = load_settings(folders().settings_file)
    model_id, settings = settings_with(arguments, settings)
    if arguments.suite == "ablation":
        return _ablation(arguments, settings, model_id)
    figures = Suites(functools.partial(Engine, settings, folders(), model_id)).all()[arguments.suite]()
    text = json.dumps({"suite": arguments.suite, "model": model_id, "figures": figures}, indent=2)
    if arguments.json == "-":
        print(text)
        return 0
    if arguments.json:
        _write(Path(arguments.json), text + "\n")
    print("\n".join(f"{name:<28} {_readable(name, value)}" for name, value in figures.items()))
    return 0


def _ablation(arguments: argparse.Namespace, settings: Settings, model_id: str) -> int:
    """Its figures are of its own kind; its progress goes to stderr as `3/8 prefix reuse`."""
    try:
        figures = run_ablation(
            settings,
            folders(),
            model_id,
            lambda done, total, name: print(f"{done}/{total} {name}", file=sys.stderr, flush=True),
            n_runs=arguments.runs,
        )
    except FirstlightError as error:
        if arguments.json == "-":  # Who reads JSON may tell it in another language.
            print(msgspec.json.encode(error.failure).decode())
        raise
    made = msgspec.json.format(msgspec.json.encode(figures), indent=2).decode()
    if arguments.chart:
        _write(Path(arguments.chart), svg(figures))
    if arguments.json == "-":
        print(made)
        return 0
    if arguments.json:
        _write(Path(arguments.json), made + "\n")
    print(table(figures))
    return 0


def _write(path: Path, text: str) -> None:
    with writing_to(path.parent):
        path.write_text(text, encoding="utf-8")


def _readable(name: str, value: float) -> str:
    if name.endswith("_tps"):
        return f"{value:9.1f} tok/s"
    if name.endswith("_ratio"):
        return f"{value:9.2f}"
    return f"{value * 1000:9.1f} ms"


def _median(values: Iterable[float]) -> float:
    return statistics.median(values)
