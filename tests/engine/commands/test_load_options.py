"""Options of the command line that say on which devices a model is loaded."""

from __future__ import annotations

import argparse

import pytest

from engine.commands.options import add_model_options, port, settings_with
from engine.protocol import ModelSettings, SplitMode
from engine.settings import Settings


def loaded_with(*arguments: str) -> ModelSettings:
    parser = argparse.ArgumentParser()
    add_model_options(parser)
    model, settings = settings_with(parser.parse_args(["--model", "m.gguf", *arguments]), Settings())
    return settings.models.per_model.get(model, settings.performance.load)


def test_devices_and_their_shares() -> None:
    found = loaded_with("--devices", "CUDA1, CUDA0", "--tensor-split", "3,1", "--split-mode", "row", "--main-gpu", "1")
    assert found.devices == ("CUDA1", "CUDA0")
    assert found.tensor_split == (3.0, 1.0)
    assert found.split_mode is SplitMode.ROW
    assert found.main_gpu == 1


def test_experts_and_the_screens_card() -> None:
    found = loaded_with("--cpu-experts", "12", "--spare-display")
    assert (found.n_cpu_moe, found.spares_display) == (12, True)


def test_what_is_not_given_stays_as_it_is_set() -> None:
    assert loaded_with() == Settings().performance.load


@pytest.mark.parametrize("shares", ["a,b", "", "0,0", "-1,2", "nan,1", "inf"])
def test_shares_that_are_none(shares: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        loaded_with(f"--tensor-split={shares}")
    assert "no list of shares" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["65536", "-1", "http"])
def test_ports_that_are_none(text: str) -> None:
    # A number that is too large would be served under another one.
    with pytest.raises(argparse.ArgumentTypeError, match="is no port"):
        port(text)
    assert port("65535") == 65_535
