"""The bench command: ended from outside, it leaves nothing behind."""

from __future__ import annotations

import argparse
import os
import signal
import tempfile
from pathlib import Path

import pytest

from engine.commands import bench


def test_ended_by_a_signal_it_takes_its_snapshots_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []

    def climb(*_: object, **__: object) -> None:
        with tempfile.TemporaryDirectory(dir=tmp_path) as place:
            made.append(Path(place))
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(bench, "climb", climb)
    parser = argparse.ArgumentParser()
    bench.add_arguments(parser)
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit) as ended:
            bench.run(parser.parse_args(["--suite", "ladder", "--model", "starter"]))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ended.value.code == 128 + signal.SIGTERM
    assert [place.exists() for place in made] == [False]
