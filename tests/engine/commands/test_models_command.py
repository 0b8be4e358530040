"""python -m engine models against a local hub and folders in their real layout."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from gguf_files import chat_bytes
from hub_server import HubServer, serve
from tiny_models import Kind, write_tiny_model

from engine.__main__ import main
from engine.host.machine_reader import MachineReader
from engine.protocol.values import EngineDescription
from engine.settings import Models, Settings, folders, load_settings, save_settings

REPO = "owner/Tiny-GGUF"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv("FIRSTLIGHT_STARTER", str(tmp_path / "none.gguf"))
    monkeypatch.setattr(MachineReader, "description", EngineDescription())
    with serve() as running:
        running.add(REPO).files = {"tiny-Q8_0.gguf": chat_bytes(), "tiny-F16.gguf": chat_bytes() + bytes(9000)}
        save_settings(Settings(models=Models(hub_endpoint=running.url)), folders().settings_file)
        yield running


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["models", *arguments])
    out, error = capsys.readouterr()
    return code, out, error


def test_search_info_fit_pull_list_and_remove(server: HubServer, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "search", "tiny")
    assert (code, out.split()[0]) == (0, REPO)
    code, out, _ = call(capsys, "info", REPO)
    assert "Q8_0" in out
    assert "apache-2.0" in out
    code, out, _ = call(capsys, "--json", "fit", REPO, "--ctx", "128", "--kv", "q8_0")
    assert [row["name"] for row in json.loads(out)["rows"]] == ["Q8_0", "F16"]
    code, out, _ = call(capsys, "pull", REPO, "q8_0")
    assert (code, out.strip().endswith("tiny-Q8_0.gguf is complete and verified.")) == (0, True)
    code, out, _ = call(capsys, "--json", "list")
    (model,) = json.loads(out)["models"]
    assert (model["name"], model["is_ours"]) == ("tiny-Q8_0", True)
    code, out, _ = call(capsys, "info", "tiny-Q8_0")
    assert "llama" in out
    assert call(capsys, "remove", "tiny-Q8_0")[0] == 0
    assert "0 models" in call(capsys, "list")[1]


def test_import_uses_a_folder_in_place(server: HubServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "Modelle 模型"
    folder.mkdir()
    (folder / "own.gguf").write_bytes(chat_bytes())
    for _ in range(2):
        assert call(capsys, "import", str(folder))[0] == 0
    assert load_settings(folders().settings_file)[0].models.folders == (str(folder),)
    assert "own" in call(capsys, "list")[1]
    code, _, error = call(capsys, "remove", "own")
    assert code == 1
    assert "not downloaded by Firstlight" in error


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("pull", REPO, "Q2_K"), "It has: Q8_0, F16."),
        (("pull", "owner/none", "Q8_0"), "owner/none"),
        (("info", "no-such-model"), "no model called"),
        (("fit", "./none.gguf"), "none.gguf"),
        (("remove", "none"), "No models are called none"),
        (("import", "/none/of/these"), "There is no folder"),
    ],
)
def test_mistakes_are_one_sentence(
    server: HubServer, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str
) -> None:
    code, out, error = call(capsys, *arguments)
    assert (code, out) == (1, "")
    assert says in error
    assert "Traceback" not in error


def test_a_damaged_download_is_an_error(server: HubServer, capsys: pytest.CaptureFixture[str]) -> None:
    server.fail("wrong_content", path="tiny-Q8_0.gguf")
    code, _, error = call(capsys, "pull", REPO, "Q8_0")
    assert code == 1
    assert "SHA-256" in error


def test_quantize_makes_a_file_and_says_its_mix(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source = tmp_path / "Tiny-F16.gguf"
    write_tiny_model(source, Kind.DENSE)
    code, out, _ = call(capsys, "quantize", str(source), "q8_0")
    assert code == 0
    assert "Tiny-Q8_0.gguf" in out
    assert "Q8_0" in out.splitlines()[-2] + out.splitlines()[-1]
    code, _, error = call(capsys, "quantize", str(source), "Q8_0")
    assert code != 0
    assert "is there already" in error
