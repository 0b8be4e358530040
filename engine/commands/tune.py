"""python -m engine tune: find the fastest settings for a model on this machine, and keep them for its next load."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator

import msgspec

from engine.commands.measuring import Engine
from engine.commands.options import add_model_options, settings_with
from engine.errors import FirstlightError
from engine.host.models import resolve
from engine.host.preparation import n_cores
from engine.host.tuning import Trial, Tuned, TunedModels
from engine.protocol.values import EffectiveSettings, KvType, Switch
from engine.settings import Folders, Settings, folders, load_settings

TIME_LIMIT = 55.0
"""Seconds after which no further trial begins."""
N_CTX = 2048
DECODE_TOKENS = 48
PREFILL_TOKENS = 512
PROBE_TOKENS = (8, 64)
"""Decoded and read before the first trial, to see how much a trial can do in its time."""
TRIAL_SECONDS = 1.5
"""For decoding, and again for reading, at most: a large model on a small machine does less work in each trial."""
LOAD_SECONDS = 1.0
"""Loading a model again whose file is in memory."""
WORTH = 1.04
"""A change has to win by this much over what was best before: less is noise."""


class Tuner:
    """Tries one setting after another, each on top of the best before it."""

    def __init__(self, settings: Settings, places: Folders, model_id: str) -> None:
        self._settings = settings
        self._places = places
        self._model_id = model_id
        self._started = time.monotonic()
        self._longest = 0.0
        self._sizes: tuple[int, int] | None = None
        """Tokens that a trial decodes and reads."""
        self.left_out: list[str] = []
        """What there was no time to try."""
        self.trials: list[Trial] = []
        self.effective: EffectiveSettings | None = None

    def tune(self) -> Tuned:
        """Raises EngineError when the model cannot be loaded at all."""
        n_first, *others = _thread_counts(n_cores())
        best: dict[str, object] = {"n_threads": n_first, "n_threads_batch": n_first, "n_batch": 2048, "n_ubatch": 512}
        best["flash_attn"] = Switch.AUTO
        start = dict(best)
        first = self._measure(f"n_threads {n_first}", best)
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
        for what, changes in _variations():
            trial = self._try(what, best | changes)
            if trial is not None and _gain(trial, base) > WORTH:
                best |= changes
                base = trial.decode_tps, trial.prefill_tps
        if best != start:
            # Of several trials the luckiest wins: it has to win once more.
            again = self._try("all of the best", best)
            if again is None or _gain(again, (first.decode_tps, first.prefill_tps)) < 1:
                best = start
        for kv_type in (KvType.Q8_0, KvType.Q4_0):
            self._try(f"KV {kv_type}", best | {"type_k": kv_type, "type_v": kv_type})
        return self._result(best)

    def _try(self, what: str, changes: dict[str, object]) -> Trial | None:
        """None where there is no time left, or the engine refuses the combination."""
        if time.monotonic() - self._started + self._longest > TIME_LIMIT:
            self.left_out.append(what)
            return None
        try:
            return self._measure(what, changes)
        except FirstlightError:
            return None

    def _measure(self, what: str, changes: dict[str, object]) -> Trial:
        with Engine(self._settings, self._places, self._model_id, n_ctx=N_CTX, **changes) as engine:
            self._sizes = self._sizes or _trial_sizes(engine)
            started = time.monotonic()
            n_decode, n_prefill = self._sizes
            trial = Trial(
                what=what,
                decode_tps=engine.decode_tps(n_decode),
                prefill_tps=engine.prefill_tps(n_prefill, seed=len(self.trials)),
            )
            self.effective = self.effective or engine.effective
        self.trials.append(trial)
        self._longest = max(self._longest, time.monotonic() - started + LOAD_SECONDS)
        rates = f"decode {trial.decode_tps:8.1f} tok/s   prefill {trial.prefill_tps:9.1f} tok/s"
        print(f"{trial.what:<16} {rates}", file=sys.stderr, flush=True)
        return trial

    def _result(self, best: dict[str, object]) -> Tuned:
        name = self.effective.model_name if self.effective is not None else self._model_id
        return msgspec.convert(
            best
            | {
                "model_name": name,
                "trials": tuple(self.trials),
                "duration": time.monotonic() - self._started,
            },
            Tuned,
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_options(parser)
    parser.add_argument("--json", action="store_true", help="print what was chosen as one object at the end")


def run(arguments: argparse.Namespace) -> int:
    settings, _ = load_settings(folders().settings_file)
    model_id, settings = settings_with(arguments, settings)
    path = resolve(model_id, settings, folders())
    tuner = Tuner(settings, folders(), model_id)
    tuned = tuner.tune()
    if len(tuned.trials) == 1 and tuner.left_out:
        print(
            "There was time for one measurement only, so nothing is kept. Try again when the computer has less to do.",
            file=sys.stderr,
        )
        return 1
    TunedModels(folders()).put(path, tuned)
    if tuner.left_out:
        print(f"There was no time left for: {', '.join(tuner.left_out)}.", file=sys.stderr)
    if arguments.json:
        print(msgspec.json.encode(tuned).decode())
        return 0
    print(
        f"Kept for {tuned.model_name} after {tuned.duration:.0f} s: threads {tuned.n_threads} to decode and "
        f"{tuned.n_threads_batch} to prefill, n_batch {tuned.n_batch}, n_ubatch {tuned.n_ubatch}, "
        f"flash attention {tuned.flash_attn}. The KV type is yours to choose, since it changes answers."
    )
    return 0


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
        yield f"n_ubatch {n_ubatch}", {"n_ubatch": n_ubatch, "n_batch": max(2048, n_ubatch)}
    yield "n_batch 512", {"n_batch": 512, "n_ubatch": 512}


def _gain(trial: Trial, base: tuple[float, float]) -> float:
    """How much better a trial is; decoding and reading count the same."""
    return math.sqrt(trial.decode_tps / base[0] * trial.prefill_tps / base[1])
