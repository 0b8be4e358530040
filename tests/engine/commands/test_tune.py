"""The search for the fastest settings, over made-up machines, and what is kept of it."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import gguf_files
import msgspec
import pytest

from engine.__main__ import EXIT_INTERRUPTED, main
from engine.commands import tune
from engine.commands.latency_probe import Ended, Engine, OpenEngine
from engine.commands.tune import Tuner
from engine.errors import Code, EngineError
from engine.host.load_planner import LoadPlanner
from engine.host.tuned_settings import TrialEnd, Tuned, TunedModels, TuneTrial
from engine.protocol import KvType, ModelSettings, Switch
from engine.settings import Settings, folders


class MadeUpTuner(Tuner):
    """A machine on which decoding likes 3 threads, reading likes all, and n_ubatch 256 is best."""

    refused = "flash attn on"
    slow = "n_ubatch 1024"
    seconds = 0.0

    def __init__(self, open_engine: OpenEngine, model_id: str) -> None:
        super().__init__(open_engine, model_id)
        self.limits: list[float] = []

    def _measure(self, what: str, changes: dict[str, object], limit: float) -> TuneTrial:
        self.limits.append(limit)
        if what == self.refused:
            raise EngineError(Code.BAD_SETTINGS, "No.")
        if what == self.slow:
            raise Ended
        decode = 100.0 if changes["n_threads"] == 3 else 60.0
        prefill = 100.0 * int(str(changes["n_threads_batch"])) * (1.5 if changes["n_ubatch"] == 256 else 1.0)
        self._longest = max(self._longest, self.seconds)
        return TuneTrial(what=what, decode_tps=decode, prefill_tps=prefill)


@pytest.fixture(autouse=True)
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune, "n_cores", lambda: 4)
    monkeypatch.setattr("engine.host.load_planner.n_cores", lambda: 4)


def test_each_setting_goes_to_its_best() -> None:
    tuned = MadeUpTuner(Engine, "m").tune()
    assert (tuned.n_threads, tuned.n_threads_batch, tuned.n_ubatch) == (3, 4, 256)
    assert tuned.flash_attn is Switch.AUTO
    tried = [trial.what for trial in tuned.trials]
    assert tried[:3] == ["n_threads 3", "n_threads 4", "n_threads 2"]
    assert "KV q8_0" in tried
    assert "flash attn off" not in tried, "the first trial had it"


def test_the_table_says_what_became_of_each_trial(capsys: pytest.CaptureFixture[str]) -> None:
    tuner = MadeUpTuner(Engine, "m")
    found = {trial.what: trial for trial in tuner.tune().trials}
    assert found["flash attn on"].end is TrialEnd.REFUSED
    assert found["n_ubatch 1024"] == TuneTrial(what="n_ubatch 1024", end=TrialEnd.TOO_SLOW)
    assert tuner.limits[0] == math.inf
    assert all(limit < tune.LAST_END for limit in tuner.limits[1:])
    lines = [" ".join(line.split()) for line in capsys.readouterr().err.splitlines()]
    assert len(lines) == len(found) == 11
    assert lines[0] == "1/10 n_threads 3 decode 100.0 tok/s prefill 300.0 tok/s"
    assert lines[6] == "7/10 n_ubatch 1024 ended: too slow"
    assert lines[-1].startswith("11/11")


def test_the_first_trial_alone_may_fail_the_whole() -> None:
    class Refused(MadeUpTuner):
        refused = "n_threads 3"

    with pytest.raises(EngineError, match="No"):
        Refused(Engine, "m").tune()


def test_no_trial_begins_that_would_not_end_in_time() -> None:
    slow = MadeUpTuner(Engine, "m")
    slow.seconds = tune.TIME_LIMIT + 1
    first, *others = slow.tune().trials
    assert first.end is TrialEnd.MEASURED
    assert {trial.end for trial in others} == {TrialEnd.LEFT_OUT}
    assert [trial.what for trial in others[:2]] == ["n_threads 4", "n_threads 2"]


class TimedTuner(MadeUpTuner):
    """A machine on which each trial takes so many seconds, a second where nothing is said."""

    refused = slow = ""
    now = 0.0
    takes: Mapping[str, float] = {}

    def _measure(self, what: str, changes: dict[str, object], limit: float) -> TuneTrial:
        seconds = self.takes.get(what, 1.0)
        TimedTuner.now += min(seconds, limit)
        if seconds > limit:
            raise Ended
        return super()._measure(what, changes, limit)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TimedTuner, "now", 0.0)
    monkeypatch.setattr(tune, "time", SimpleNamespace(monotonic=lambda: TimedTuner.now))


def ends(monkeypatch: pytest.MonkeyPatch, first: float, second: float) -> list[TrialEnd]:
    """What becomes of the trials where the first two take so long."""
    monkeypatch.setattr(TimedTuner, "takes", {"n_threads 3": first, "n_threads 4": second})
    return [trial.end for trial in TimedTuner(Engine, "m").tune().trials]


@pytest.mark.usefixtures("clock")
def test_a_trial_that_is_too_slow_takes_no_others_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, *others = ends(monkeypatch, 8.0, 100.0)
    assert (first, second) == (TrialEnd.MEASURED, TrialEnd.TOO_SLOW)
    assert set(others) == {TrialEnd.MEASURED}


@pytest.mark.usefixtures("clock")
def test_a_trial_for_which_time_ran_out_is_not_called_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = ends(monkeypatch, 20.0, 50.0)
    assert first is TrialEnd.MEASURED
    assert set(others) == {TrialEnd.LEFT_OUT}
    assert TimedTuner.now == tune.LAST_END


class LuckyTuner(MadeUpTuner):
    """A machine on which n_ubatch 256 is better only the first time."""

    def _measure(self, what: str, changes: dict[str, object], limit: float) -> TuneTrial:
        trial = super()._measure(what, changes, limit)
        return msgspec.structs.replace(trial, prefill_tps=1.0) if what == "all of the best" else trial


def test_a_lucky_trial_does_not_win() -> None:
    tuned = LuckyTuner(Engine, "m").tune()
    assert (tuned.n_threads, tuned.n_threads_batch, tuned.n_ubatch) == (3, 3, 512)


class SlowEngine:
    """A large model on a small machine."""

    def decode_tps(self, n_tokens: int) -> float:
        return 4.0

    def prefill_tps(self, n_tokens: int, seed: int) -> float:
        return 100.0


def test_a_slow_model_does_less_in_each_trial() -> None:
    assert tune._trial_sizes(SlowEngine()) == (8, 150)  # type: ignore[arg-type]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(gguf_files.chat_bytes())
    return path


async def test_what_was_tuned_is_used_where_nothing_was_asked(model: Path) -> None:
    tuned = Tuned(
        model_name="t", n_threads=4, n_threads_batch=4, n_batch=1024, n_ubatch=128, flash_attn=Switch.ON, duration=1.0
    )
    TunedModels(folders()).put(model, tuned)
    assert TunedModels(folders()).get(model) == tuned
    alone = (await LoadPlanner(folders(), is_windowed=False).plan(str(model), Settings())).settings
    assert (alone.n_threads, alone.n_ubatch, alone.n_batch, alone.flash_attn) == (4, 128, 1024, Switch.ON)
    windowed = (await LoadPlanner(folders(), is_windowed=True).plan(str(model), Settings())).settings
    assert (windowed.n_threads, windowed.n_threads_batch) == (3, 4)
    asked = ModelSettings(n_threads=2, n_ubatch=64, flash_attn=Switch.OFF)
    own = (await LoadPlanner(folders(), is_windowed=False).plan(str(model), Settings(), asked=asked)).settings
    assert (own.n_threads, own.n_threads_batch, own.n_ubatch, own.flash_attn) == (2, 2, 64, Switch.OFF)


def test_a_quantized_v_keeps_the_flash_attention_that_it_needs() -> None:
    tuned = Tuned(model_name="m", n_threads=2, n_threads_batch=2, n_batch=512, n_ubatch=256, flash_attn=Switch.OFF)
    assert tuned.fill(ModelSettings()).flash_attn is Switch.OFF
    assert tuned.fill(ModelSettings(type_k=KvType.Q8_0, type_v=KvType.Q8_0)).flash_attn is Switch.AUTO


def test_a_damaged_file_is_measured_again(model: Path) -> None:
    file = folders().data / "tuned.json"
    file.parent.mkdir(parents=True)
    file.write_text("{broken")
    assert TunedModels(folders()).get(model) is None


def tuned_with(model: Path, *options: str) -> int:
    return main(["tune", "--model", str(model), *options])


def test_one_measurement_alone_is_not_kept(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune, "Tuner", MadeUpTuner)
    monkeypatch.setattr(MadeUpTuner, "seconds", tune.TIME_LIMIT + 1)
    assert tuned_with(model) == 1
    assert TunedModels(folders()).get(model) is None
    monkeypatch.setattr(MadeUpTuner, "seconds", 0.0)
    assert tuned_with(model) == 0
    kept = TunedModels(folders()).get(model)
    assert kept is not None and kept.n_ubatch == 256


class Typist(io.StringIO):
    """A terminal with somebody at it."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("answer", "options", "is_kept"),
    [
        ("\n", (), True),
        ("Yes\n", (), True),
        ("n\n", (), False),
        ("", (), False),
        ("n\n", ("--yes",), True),
        ("y\n", ("--dry-run",), False),
    ],
)
def test_somebody_at_a_terminal_says_whether_it_is_kept(
    answer: str, options: tuple[str, ...], is_kept: bool, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tune, "Tuner", MadeUpTuner)
    monkeypatch.setattr(sys, "stdin", Typist(answer))
    monkeypatch.setattr(sys, "stderr", Typist())
    assert tuned_with(model, *options) == 0
    assert (TunedModels(folders()).get(model) is not None) is is_kept


def test_an_interrupted_search_keeps_nothing(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(MadeUpTuner):
        def _measure(self, what: str, changes: dict[str, object], limit: float) -> TuneTrial:
            if what == "n_ubatch 256":
                raise KeyboardInterrupt
            return super()._measure(what, changes, limit)

    monkeypatch.setattr(tune, "Tuner", Interrupted)
    assert tuned_with(model) == EXIT_INTERRUPTED
    assert "Nothing is kept" in capsys.readouterr().err
    assert TunedModels(folders()).get(model) is None
