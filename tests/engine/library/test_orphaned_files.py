"""What lies around is found, and given back: parts of downloads that were given up, and the trash."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from engine.library.orphaned_files import QUIET, empty_trash, orphaned_parts, remove_parts, size_of, trash_of


def part(folder: Path, name: str, *, age: float = QUIET + 1) -> Path:
    path = folder / "owner" / "repo" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * 100)
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_a_part_of_no_download_is_left_over_and_removed(tmp_path: Path) -> None:
    stray, wanted = part(tmp_path, "a.gguf.part"), part(tmp_path, "b.gguf.part")
    states = tmp_path / ".downloads"
    states.mkdir()
    (states / "b.json").write_text('{"repo": "owner/repo", "files": ["b.gguf"], "revision": "main"}')
    (states / "damaged.json").write_text("{")
    assert orphaned_parts(tmp_path) == [stray]
    assert remove_parts(tmp_path) == 100
    assert not stray.exists()
    assert wanted.exists()


def test_a_part_that_somebody_writes_is_left_alone(tmp_path: Path) -> None:
    part(tmp_path, "new.gguf.part", age=0)
    assert orphaned_parts(tmp_path) == []


def test_what_others_left_is_not_touched(tmp_path: Path) -> None:
    foreign = part(tmp_path, "film.mp4.part")
    part(tmp_path, "folder.gguf.part/x")
    assert remove_parts(tmp_path) == 0
    assert foreign.exists()


def test_the_trash_gives_its_space_back(tmp_path: Path) -> None:
    assert empty_trash(tmp_path) == 0
    removed = trash_of(tmp_path) / "owner" / "m.gguf"
    removed.parent.mkdir(parents=True)
    removed.write_bytes(b"x" * 70)
    assert size_of(trash_of(tmp_path).rglob("*")) == 70
    assert empty_trash(tmp_path) == 70
    assert not trash_of(tmp_path).exists()


@pytest.mark.parametrize("work", [remove_parts, empty_trash])
def test_a_folder_that_is_not_there_has_nothing_left(tmp_path: Path, work: object) -> None:
    assert callable(work)
    assert work(tmp_path / "none") == 0
