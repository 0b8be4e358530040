"""Our files: the old one or the new one, a sentence where the disk refuses, nothing where one is damaged."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from engine.errors import Code, StorageError
from engine.files import read_json, write_atomically, writing_to


def test_a_file_is_written_whole_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.json"
    write_atomically(path, b"[1]")
    write_atomically(path, b"[1, 2]")
    assert path.read_bytes() == b"[1, 2]"
    assert [each.name for each in path.parent.iterdir()] == ["file.json"]
    if os.name == "posix":
        assert path.stat().st_mode & 0o077 == 0


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.json"
    write_atomically(path, b"old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="disk is full") as caught:
        write_atomically(path, b"new")
    assert caught.value.code is Code.DISK_FULL
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["file.json"]


def test_what_the_disk_refuses_names_the_folder(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be written") as caught, writing_to(tmp_path):
        raise PermissionError(errno.EACCES, "Permission denied")
    assert caught.value.code is Code.READ_ONLY
    assert str(tmp_path) in caught.value.failure.sentence()
    with pytest.raises(ValueError, match="ours"), writing_to(tmp_path):
        raise ValueError("ours")


@pytest.mark.parametrize("content", [None, b"", b"{", b"[1]", b'{"a": "\xff"}'])
def test_a_missing_or_damaged_file_is_no_obstacle(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "file.json"
    if content is not None:
        path.write_bytes(content)
    assert read_json(path, dict[str, int]) is None
    path.write_bytes(b'{"a": 1}')
    assert read_json(path, dict[str, int]) == {"a": 1}
