"""Corrections to llama.cpp's source: made once, named by what they are, refused where they do not fit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import setup_corrections
from setup_corrections import CORRECTIONS, correct
from setup_steps import StepFailed


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Files that hold the pieces to be corrected, each with a line before and after."""
    for correction in CORRECTIONS:
        path = tmp_path / correction.file
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"// before\n{correction.old}\n// after\n")
    return tmp_path


def test_every_piece_is_replaced(source: Path) -> None:
    correct(source)
    for correction in CORRECTIONS:
        text = (source / correction.file).read_text(encoding="utf-8")
        assert f"// before\n{correction.new}\n// after" in text


def test_a_second_time_touches_nothing(source: Path) -> None:
    """Or everything that includes these files would be compiled again."""
    correct(source)
    files = {source / correction.file for correction in CORRECTIONS}
    for path in files:
        os.utime(path, (1, 1))
    correct(source)
    assert {path.stat().st_mtime for path in files} == {1}


def test_changed_corrections_start_from_the_original(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    correct(source)
    fewer = CORRECTIONS[1:]
    monkeypatch.setattr(setup_corrections, "CORRECTIONS", fewer)
    correct(source)
    first = CORRECTIONS[0]
    assert first.new not in (source / first.file).read_text(encoding="utf-8")
    assert fewer[0].new in (source / fewer[0].file).read_text(encoding="utf-8")


def test_another_source_is_refused(source: Path) -> None:
    path = source / CORRECTIONS[-1].file
    path.write_text("// rewritten\n", encoding="utf-8")
    with pytest.raises(StepFailed, match=path.name):
        correct(source)
