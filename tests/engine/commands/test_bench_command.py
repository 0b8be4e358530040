"""The bench command: ended from outside, it leaves nothing behind."""

from __future__ import annotations

import argparse
import os
import signal
import tempfile
from pathlib import Path

import msgspec
import pytest

from engine.commands import bench
from engine.errors import Code, Failure, StorageError


def test_ended_by_a_signal_it_takes_its_snapshots_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []

    def run_ablation(*_: object, **__: object) -> None:
        with tempfile.TemporaryDirectory(dir=tmp_path) as place:
            made.append(Path(place))
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(bench, "run_ablation", run_ablation)
    parser = argparse.ArgumentParser()
    bench.add_arguments(parser)
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit) as ended:
            bench.run(parser.parse_args(["--suite", "ladder", "--model", "starter"]))  # As it was called.
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ended.value.code == 128 + signal.SIGTERM
    assert [place.exists() for place in made] == [False]


def test_an_ablation_that_fails_says_so_also_to_who_reads_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fault = StorageError(Code.DISK_FULL, "The disk is full: {folder}.", folder="/models")

    def run_ablation(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr(bench, "run_ablation", run_ablation)
    parser = argparse.ArgumentParser()
    bench.add_arguments(parser)
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(StorageError):
            bench.run(parser.parse_args(["--suite", "ablation", "--model", "starter", "--json", "-"]))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert msgspec.json.decode(capsys.readouterr().out, type=Failure) == fault.failure
