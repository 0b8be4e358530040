"""python -m engine tune: find the fastest settings for a model on this machine, and keep them for its next load."""

from __future__ import annotations

import argparse
import functools
import math
import sys
import time
from collections.abc import Iterator

import msgspec

from engine.commands.latency_probe import Ended, Engine, OpenEngine
from engine.commands.options import add_model_options, settings_with
from engine.errors import FirstlightError
from engine.host.load_planner import n_cores
from engine.host.model_resolver import resolve
from engine.host.tuned_settings import TrialEnd, Tuned, TunedModels, TuneTrial
from engine.protocol.values import EffectiveSettings, KvType, Switch
from engine.settings import folders, load_settings

TIME_LIMIT = 55.0
"""Seconds after which no further trial begins."""
LAST_END = 59.0
"""Seconds after which the running trial is ended."""
PATIENCE = 3.0
"""A trial that takes this many times as long as the first, loading included, is ended: it has lost."""
N_CTX = 2048
DECODE_TOKENS = 48
PREFILL_TOKENS = 1024
"""As many as the largest n_ubatch that is tried, which does nothing for shorter prompts."""
PROBE_TOKENS = (8, 64)
"""Decoded and read before the first trial, to see how much a trial can do in its time."""
TRIAL_SECONDS = 1.5
"""For decoding, and again for reading, at most: a large model on a small machine does less work in each trial."""
_KV_TYPES = (KvType.Q8_0, KvType.Q4_0)
_ENDS = {
    TrialEnd.TOO_SLOW: "ended: too slow",
    TrialEnd.REFUSED: "refused by the engine",
    TrialEnd.LEFT_OUT: "left out: no time",
}
WORTH = 1.04
"""A change has to win by this much over what was best before: less is noise."""


class Tuner:
    """Tries one setting after another, each on top of the best before it."""

    def __init__(self, open_engine: OpenEngine, model_id: str) -> None:
        self._open = open_engine
        self._model_id = model_id
        self._started = time.monotonic()
        self._first = 0.0
        """Seconds that the first trial took."""
        self._longest = 0.0
        """Seconds that the longest measured trial took."""
        self._sizes = PROBE_TOKENS
        """Tokens that a trial decodes and reads."""
        self._n_trials = 0
        self.trials: list[TuneTrial] = []
        self.effective: EffectiveSettings | None = None

    def tune(self) -> Tuned:
        """Raises EngineError when the model cannot be loaded at all, and KeyboardInterrupt after Ctrl+C."""
        n_first, *others = _thread_counts(n_cores())
        best: dict[str, object] = {"n_threads": n_first, "n_threads_batch": n_first, "n_batch": 2048, "n_ubatch": 512}
        best["flash_attn"] = Switch.AUTO
        start = dict(best)
        variations = list(_variations())
        # Of the two of flash attention one is what the first trial had.
        self._n_trials = 1 + len(others) + len(variations) - 1 + len(_KV_TYPES)
        first = self._try(f"n_threads {n_first}", best, is_first=True)
        assert first is not None
        decode, prefill = first.decode_tps, first.prefill_tps
        for n_threads in others:
            trial = self._try(f"n_threads {n_threads}", best | {"n_threads": n_threads, "n_threads_batch": n_threads})
            if trial is None:
                continue
            if trial.decode_tps > decode * WORTH:
                decode, best["n_threads"] = trial.decode_tps, n_threads
            if trial.prefill_tps > prefill * WORTH:
                prefill, best["n_threads_batch"] = trial.prefill_tps, n_threads
        base = decode, prefill
        for what, changes in variations:
            if changes.get("flash_attn") is self._flash_attn():
                continue
            trial = self._try(what, best | changes)
            if trial is not None and _gain(trial, base) > WORTH:
                best |= changes
                base = trial.decode_tps, trial.prefill_tps
        if best != start:
            # Of several trials the luckiest wins: it has to win once more.
            self._n_trials += 1
            again = self._try("all of the best", best)
            if again is None or _gain(again, (first.decode_tps, first.prefill_tps)) < 1:
                best = start
        for kv_type in _KV_TYPES:
            # A quantized V can be read by flash attention alone.
            self._try(f"KV {kv_type}", best | {"type_k": kv_type, "type_v": kv_type, "flash_attn": Switch.AUTO})
        return self._result(best)

    def _try(self, what: str, changes: dict[str, object], *, is_first: bool = False) -> TuneTrial | None:
        """None where it was not measured; why is in `trials`. The first raises what keeps it from that."""
        print(f"{len(self.trials) + 1:>2}/{self._n_trials}  {what:<16} ", end="", file=sys.stderr, flush=True)
        trial = TuneTrial(what=what, end=TrialEnd.LEFT_OUT)
        started = time.monotonic()
        elapsed = started - self._started
        if is_first or elapsed + self._longest <= TIME_LIMIT:
            patience, left = PATIENCE * self._first, LAST_END - elapsed
            try:
                trial = self._measure(what, changes, math.inf if is_first else min(patience, left))
                took = time.monotonic() - started
                self._first = self._first or took
                self._longest = max(self._longest, took)
            except Ended:
                # Where the time ran out first nothing is known of it.
                trial = TuneTrial(what=what, end=TrialEnd.TOO_SLOW if patience <= left else TrialEnd.LEFT_OUT)
            except FirstlightError:
                if is_first:
                    raise
                trial = TuneTrial(what=what, end=TrialEnd.REFUSED)
        self.trials.append(trial)
        print(_row(trial), file=sys.stderr, flush=True)
        return trial if trial.end is TrialEnd.MEASURED else None

    def _measure(self, what: str, changes: dict[str, object], limit: float) -> TuneTrial:
        """Raises Ended after `limit` seconds, and FirstlightError."""
        with self._open(n_ctx=N_CTX, **changes).within(limit) as engine:
            if self.effective is None:
                self.effective = engine.effective
                self._sizes = _trial_sizes(engine)
            n_decode, n_prefill = self._sizes
            return TuneTrial(
                what=what,
                decode_tps=engine.decode_tps(n_decode),
                prefill_tps=engine.prefill_tps(n_prefill, seed=len(self.trials)),
            )

    def _flash_attn(self) -> Switch:
        return Switch.ON if self.effective is not None and self.effective.flash_attn else Switch.OFF

    def _result(self, best: dict[str, object]) -> Tuned:
        name = self.effective.model_name if self.effective is not None else self._model_id
        return msgspec.convert(
            best | {"model_name": name, "trials": tuple(self.trials), "duration": time.monotonic() - self._started},
            Tuned,
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_options(parser)
    parser.add_argument("--json", action="store_true", help="print what was chosen as one object at the end")
    keeping = parser.add_mutually_exclusive_group()
    keeping.add_argument("--dry-run", action="store_true", help="measure, and keep nothing")
    keeping.add_argument("--yes", action="store_true", help="keep the result without a question")


def run(arguments: argparse.Namespace) -> int:
    settings, _ = load_settings(folders().settings_file)
    model_id, settings = settings_with(arguments, settings)
    path = resolve(model_id, settings, folders())
    tuner = Tuner(functools.partial(Engine, settings, folders(), model_id), model_id)
    try:
        tuned = tuner.tune()
        if sum(trial.end is TrialEnd.MEASURED for trial in tuned.trials) == 1:
            print(
                "Only one measurement could be made, so nothing is kept. Try again when the computer has less to do.",
                file=sys.stderr,
            )
            return 1
        if arguments.json:
            print(msgspec.json.encode(tuned).decode())
        else:
            print(_summary(tuned))
        is_kept = not arguments.dry_run and (arguments.yes or _is_wanted())
    except KeyboardInterrupt:
        print("\nEnded by you. Nothing is kept.", file=sys.stderr)
        raise
    if is_kept:
        TunedModels(folders()).put(path, tuned)
    print("Kept for the model's next load." if is_kept else "Nothing is kept.", file=sys.stderr)
    return 0


def _is_wanted() -> bool:
    """Asks where somebody can answer; a script has said what it wants by its call."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    print("Keep these settings for this model on this machine? [Y/n] ", end="", file=sys.stderr, flush=True)
    answer = sys.stdin.readline()
    return bool(answer) and answer.strip().lower() in ("", "y", "yes")


def _row(trial: TuneTrial) -> str:
    if trial.end is not TrialEnd.MEASURED:
        return _ENDS[trial.end]
    return f"decode {trial.decode_tps:8.1f} tok/s   prefill {trial.prefill_tps:9.1f} tok/s"


def _summary(tuned: Tuned) -> str:
    return (
        f"Fastest for {tuned.model_name}, found in {tuned.duration:.0f} s: threads {tuned.n_threads} to decode and "
        f"{tuned.n_threads_batch} to prefill, n_batch {tuned.n_batch}, n_ubatch {tuned.n_ubatch}, "
        f"flash attention {tuned.flash_attn}. The KV type is yours to choose, since it changes answers."
    )


def _trial_sizes(engine: Engine) -> tuple[int, int]:
    """How many tokens a trial may decode and read."""
    n_decode, n_prefill = PROBE_TOKENS
    decode_tps, prefill_tps = engine.decode_tps(n_decode), engine.prefill_tps(n_prefill, seed=-1)
    return (
        max(n_decode, min(DECODE_TOKENS, round(TRIAL_SECONDS * decode_tps))),
        max(n_prefill, min(PREFILL_TOKENS, round(TRIAL_SECONDS * prefill_tps))),
    )


def _thread_counts(cores: int) -> list[int]:
    """Thread counts worth a trial. All cores come second: beside another busy program they are slowest by far."""
    counts = (cores - 1, cores, cores * 3 // 4, cores // 2)
    return list(dict.fromkeys(n for n in counts if n > 0))


def _variations() -> Iterator[tuple[str, dict[str, object]]]:
    for switch in (Switch.ON, Switch.OFF):
        yield f"flash attn {switch}", {"flash_attn": switch}
    for n_ubatch in (128, 256, 1024):
        yield f"n_ubatch {n_ubatch}", {"n_ubatch": n_ubatch}
    yield "n_batch 512", {"n_batch": 512, "n_ubatch": 512}


def _gain(trial: TuneTrial, base: tuple[float, float]) -> float:
    """How much better a trial is; decoding and reading count the same."""
    return math.sqrt(trial.decode_tps / base[0] * trial.prefill_tps / base[1])
