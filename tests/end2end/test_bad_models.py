"""Every bad input gives one clear sentence on the command line, and a real worker where one is needed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import gguf_files
import pytest

pytestmark = pytest.mark.model
Cli = Callable[..., tuple[int, str, str]]
SHORT = ("--threads", 1, "--max-tokens", 4, "--ctx", 256, "--temperature", 0, "--json")

FILES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "web page": (b"<!DOCTYPE html><html></html>", "web page"),
    "text": (b"hello, this is no model at all", "not as a GGUF file"),
    "vocabulary": (gguf_files.gguf_bytes({"general.architecture": "llama"}), "only a vocabulary"),
    "embedding": (gguf_files.chat_bytes(general__architecture="bert"), "embedding model"),
    "mmproj": (gguf_files.chat_bytes(general__architecture="clip"), "mmproj"),
    "adapter": (gguf_files.chat_bytes(general__type="adapter"), "LoRA adapter"),
}


def is_one_sentence(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) == 1 and lines[0].endswith(".") and "Traceback" not in text


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_chat_model(cli: Cli, tmp_path: Path, name: str) -> None:
    content, part = FILES[name]
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    code, out, err = cli("chat", "--model", path, "--prompt", "Hi", *SHORT)
    assert (code, out) == (1, "")
    assert is_one_sentence(err)
    assert part in err


def test_a_file_cut_short(cli: Cli, tmp_path: Path, starter: Path) -> None:
    path = tmp_path / "cut.gguf"
    with starter.open("rb") as source:
        path.write_bytes(source.read(5 << 20))
    code, out, err = cli("chat", "--model", path, "--prompt", "Hi", *SHORT)
    assert (code, out) == (1, "")
    assert is_one_sentence(err)
    assert "cut short" in err


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--model", "/no/such/model.gguf", "--prompt", "Hi"), "There is no file"),
        (("--model", "nobody", "--prompt", "Hi"), "no model called nobody"),
        (("--model", "/tmp", "--prompt", "Hi"), "is a folder"),
        (("--prompt", " \n "), "prompt is empty"),
        (("--prompt", "Hi", "--kv", "q9_9"), "no KV type q9_9"),
        (("--prompt", "Hi", "--ctx", "many"), "many is not a number"),
        (("--prompt", "Hi", "--flash-attn", "maybe"), "maybe"),
        (("--prompt", "Hi", "--kv", "q8_0", "--flash-attn", "off"), "needs flash attention"),
        (("--nonsense",), "--nonsense"),
    ],
)
def test_arguments_that_make_no_sense(cli: Cli, arguments: tuple[str, ...], part: str) -> None:
    code, out, err = cli("chat", *arguments)
    assert code in (1, 2)
    assert out == ""
    assert is_one_sentence(err)
    assert part in err


def test_any_path_will_do(cli: Cli, tmp_path: Path, starter: Path) -> None:
    folder = tmp_path / "models with spaces 模型 🦊"
    folder.mkdir()
    path = folder / "SmolLM2 – größer.gguf"
    try:
        os.link(starter, path)
    except OSError:
        shutil.copyfile(starter, path)
    code, out, _ = cli("chat", "--model", path, "--prompt", "Say hello.", *SHORT)
    assert code == 0
    assert json.loads(out)["text"].strip()


@pytest.mark.parametrize(
    ("options", "effective"),
    [
        (("--kv", "q8_0"), {"type_k": "q8_0", "type_v": "q8_0", "flash_attn": True}),
        (("--ctx", 100_000_000), {}),
    ],
)
def test_settings_that_cannot_be_had_step_down(cli: Cli, options: tuple[object, ...], effective: dict) -> None:  # type: ignore[type-arg]
    code, out, err = cli("chat", "--model", "starter", "--prompt", "Say hello.", *SHORT, *options)
    assert code == 0, err
    answer = json.loads(out)
    assert answer["text"].strip()
    assert answer["effective"] | effective == answer["effective"]
    if not effective:
        assert answer["effective"]["notices"]


def test_a_folder_that_cannot_be_written(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.touch()
    monkeypatch.setenv("FIRSTLIGHT_HOME", str(blocker / "home"))
    code, out, err = cli("chat", "--model", "starter", "--prompt", "Say hello.", *SHORT)
    assert code == 0, err
    assert json.loads(out)["text"].strip()
    code, out, _ = cli("doctor")
    assert code == 1
    assert "cannot be written" in out


def test_doctor_finds_everything(cli: Cli) -> None:
    code, out, err = cli("doctor", "--json")
    assert code == 0, err
    report = json.loads(out)
    assert report["problems"] == []
    assert report["engine"]["devices"] is not None
    assert "starter" in report["models"]
    code, out, _ = cli("doctor")
    assert "All is well." in out
