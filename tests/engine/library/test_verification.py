"""A downloaded file is compared with its hash; one that changed on the disk is told."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

import pytest

from engine.errors import Code, ModelError, RequestError
from engine.library.manifest import Downloaded, Manifest
from engine.library.verification import verify

CONTENT = bytes(range(256)) * 8000


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    made = []
    for name in ("m-00001-of-00002.gguf", "m-00002-of-00002.gguf"):
        path = tmp_path / name
        path.write_bytes(CONTENT)
        digest = hashlib.sha256(CONTENT).hexdigest()
        downloaded = Downloaded(repo="o/r", file=name, commit="c", sha256=digest, size_bytes=len(CONTENT))
        Manifest(tmp_path).add(path, downloaded)
        made.append(path)
    return made


def test_a_whole_set_is_read_to_its_end(files: list[Path]) -> None:
    told: list[float] = []
    verify(files[0].parent, files, told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_one_changed_byte_in_the_last_part_is_found(files: list[Path]) -> None:
    with files[1].open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"?")
    with pytest.raises(ModelError) as caught:
        verify(files[0].parent, files, lambda _share: None)
    assert caught.value.code is Code.MODEL_DAMAGED
    assert "m-00002-of-00002.gguf" in str(caught.value)


def test_a_file_of_others_has_no_hash(tmp_path: Path) -> None:
    stranger = tmp_path / "mine.gguf"
    stranger.write_bytes(CONTENT)
    with pytest.raises(RequestError, match="cannot be checked"):
        verify(tmp_path, [stranger], lambda _share: None)


def test_it_stops_when_told(files: list[Path]) -> None:
    stop = threading.Event()
    told: list[float] = []

    def progress(share: float) -> None:
        told.append(share)
        stop.set()

    verify(files[0].parent, files, progress, stop=stop)
    assert len(told) == 1
