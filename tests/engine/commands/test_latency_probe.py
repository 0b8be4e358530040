"""The engine that is measured: what ends its work."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import cast

import fakes
import gguf_files
import pytest

from engine.commands.latency_probe import Ended, Engine, Timed
from engine.errors import RequestError
from engine.protocol.events import GenerationFinished
from engine.settings import Settings, folders


@pytest.mark.parametrize(
    ("figure", "arrivals"), [("ttft", ()), ("total", ()), ("decode_tps", ()), ("decode_tps", (0.5,))]
)
def test_an_answer_that_ended_sooner_has_no_figure(figure: str, arrivals: tuple[float, ...]) -> None:
    timed = Timed("", cast(GenerationFinished, None), arrivals)
    with pytest.raises(RequestError) as caught:
        getattr(timed, figure)
    assert f"ended after {len(arrivals)} tokens" in caught.value.failure.sentence()


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(gguf_files.chat_bytes())
    monkeypatch.setenv("FIRSTLIGHT_WORKER", fakes.fake_command())
    return Engine(Settings(), folders(), str(path))


def test_an_answer_that_waits_is_ended_at_the_limit(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRSTLIGHT_FAKE", fakes.script_json(hold=str(tmp_path)))
    (tmp_path / "cli-2.1.hold").touch()
    with pytest.raises(Ended), engine.within(1.0):
        engine.answer("Hi")


@pytest.mark.parametrize("point", ["load", "decode"])
def test_a_worker_that_hangs_is_ended_at_the_limit(point: str, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTLIGHT_FAKE", fakes.script_json(fault=point, act="stall"))
    monkeypatch.setattr("engine.host.warm_model.CANCEL_GRACE", 0.1)
    with pytest.raises(Ended), engine.within(0.1):
        engine.answer("Hi")


def test_ctrl_c_ends_the_measurement_and_not_only_the_answer(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRSTLIGHT_FAKE", fakes.script_json(hold=str(tmp_path)))
    (tmp_path / "cli-2.1.hold").touch()
    with pytest.raises(KeyboardInterrupt), engine:
        engine.answer("Hi", on_token=lambda count, request_id: signal.raise_signal(signal.SIGINT))
