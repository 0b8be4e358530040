"""The search for the fastest settings, over made-up machines, and what is kept of it."""

from __future__ import annotations

import argparse
from pathlib import Path

import gguf_files
import msgspec
import pytest

from engine.commands import tune
from engine.commands.tune import Tuner
from engine.errors import Code, EngineError
from engine.host.preparation import Preparation
from engine.host.tuning import Trial, Tuned, TunedModels
from engine.protocol import KvType, ModelSettings, Switch
from engine.settings import Settings, folders


class MadeUpTuner(Tuner):
    """A machine on which decoding likes 3 threads, reading likes all, and n_ubatch 256 is best."""

    refused = "flash attn off"
    seconds = 0.0

    def _measure(self, what: str, changes: dict[str, object]) -> Trial:
        if what == self.refused:
            raise EngineError(Code.BAD_SETTINGS, "No.")
        decode = 100.0 if changes["n_threads"] == 3 else 60.0
        prefill = 100.0 * int(str(changes["n_threads_batch"])) * (1.5 if changes["n_ubatch"] == 256 else 1.0)
        trial = Trial(what=what, decode_tps=decode, prefill_tps=prefill)
        self.trials.append(trial)
        self._longest = max(self._longest, self.seconds)
        return trial


@pytest.fixture(autouse=True)
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune, "n_cores", lambda: 4)
    monkeypatch.setattr("engine.host.preparation.n_cores", lambda: 4)


def test_each_setting_goes_to_its_best() -> None:
    tuned = MadeUpTuner(Settings(), folders(), "m").tune()
    assert (tuned.n_threads, tuned.n_threads_batch, tuned.n_ubatch) == (3, 4, 256)
    assert tuned.flash_attn is Switch.AUTO
    tried = [trial.what for trial in tuned.trials]
    assert tried[:3] == ["n_threads 3", "n_threads 4", "n_threads 2"]
    assert "KV q8_0" in tried
    assert "flash attn off" not in tried


def test_no_trial_begins_that_would_not_end_in_time() -> None:
    slow = MadeUpTuner(Settings(), folders(), "m")
    slow.seconds = tune.TIME_LIMIT + 1
    assert [trial.what for trial in slow.tune().trials] == ["n_threads 3"]
    assert slow.left_out[:2] == ["n_threads 4", "n_threads 2"]


class LuckyTuner(MadeUpTuner):
    """A machine on which n_ubatch 256 is better only the first time."""

    def _measure(self, what: str, changes: dict[str, object]) -> Trial:
        trial = super()._measure(what, changes)
        return msgspec.structs.replace(trial, prefill_tps=1.0) if what == "all of the best" else trial


def test_a_lucky_trial_does_not_win() -> None:
    tuned = LuckyTuner(Settings(), folders(), "m").tune()
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
    alone = (await Preparation(folders(), is_windowed=False).prepare(str(model), Settings())).settings
    assert (alone.n_threads, alone.n_ubatch, alone.n_batch, alone.flash_attn) == (4, 128, 1024, Switch.ON)
    windowed = (await Preparation(folders(), is_windowed=True).prepare(str(model), Settings())).settings
    assert (windowed.n_threads, windowed.n_threads_batch) == (3, 4)
    asked = ModelSettings(n_threads=2, n_ubatch=64, flash_attn=Switch.OFF)
    own = (await Preparation(folders(), is_windowed=False).prepare(str(model), Settings(), asked=asked)).settings
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


def test_one_measurement_alone_is_not_kept(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune, "Tuner", MadeUpTuner)
    monkeypatch.setattr(MadeUpTuner, "seconds", tune.TIME_LIMIT + 1)
    parser = argparse.ArgumentParser()
    tune.add_arguments(parser)
    assert tune.run(parser.parse_args(["--model", str(model)])) == 1
    assert TunedModels(folders()).get(model) is None
    monkeypatch.setattr(MadeUpTuner, "seconds", 0.0)
    assert tune.run(parser.parse_args(["--model", str(model)])) == 0
    kept = TunedModels(folders()).get(model)
    assert kept is not None and kept.n_ubatch == 256
