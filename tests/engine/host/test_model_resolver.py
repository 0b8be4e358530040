"""What a user may call a model, and the settings it is loaded with."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import gguf_files
import pytest

from engine.errors import Code, ModelError
from engine.host.host import chat_prefix, delete_snapshots
from engine.host.load_planner import LoadPlanner
from engine.host.model_resolver import STARTER_FILE, known_models, resolve, settings_for
from engine.protocol import ModelSettings, RequestFailed, encode
from engine.settings import Models, Performance, Settings, folders
from engine.worker.cache.snapshot_file import chat_hash


@pytest.fixture
def library(home: Path) -> Path:
    folder = folders().models
    folder.mkdir(parents=True)
    for name in ("Tiny-Q8_0", "Tiny-Q4_0", "Other"):
        (folder / f"{name}.gguf").write_bytes(gguf_files.chat_bytes())
    return folder


def test_names_paths_and_the_starter(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings()
    assert resolve("Other", settings, folders()) == library / "Other.gguf"
    assert resolve("tiny-q8", settings, folders()) == library / "Tiny-Q8_0.gguf"
    assert resolve(str(library / "Other.gguf"), settings, folders()) == library / "Other.gguf"
    monkeypatch.chdir(library)
    assert resolve("Other.gguf", settings, folders()) == library / "Other.gguf"
    monkeypatch.setenv("FIRSTLIGHT_STARTER", str(library / "Other.gguf"))
    assert resolve("starter", settings, folders()) == library / "Other.gguf"
    monkeypatch.delenv("FIRSTLIGHT_STARTER")
    (library / STARTER_FILE).write_bytes(b"")
    assert resolve("starter", settings, folders()) == library / STARTER_FILE
    assert {"starter", "Other", "Tiny-Q8_0", "Tiny-Q4_0"} <= set(known_models(settings, folders()))


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("nobody", "no model called nobody"),
        ("tiny", "Tiny-Q4_0, Tiny-Q8_0"),
        ("missing.gguf", "There is no file missing.gguf"),
    ],
)
def test_what_is_not_there_is_told(library: Path, name: str, part: str) -> None:
    with pytest.raises(ModelError) as caught:
        resolve(name, Settings(), folders())
    assert caught.value.code is Code.MODEL_NOT_FOUND
    assert part in str(caught.value.failure.message)
    assert caught.value.failure.advice


@pytest.mark.skipif(sys.platform != "linux", reason="Other systems have no such names.")
def test_a_name_that_is_no_text_is_told_and_hides_no_other(library: Path) -> None:
    odd = library / os.fsdecode(b"mod\xe8le.gguf")
    odd.write_bytes(gguf_files.chat_bytes())
    with pytest.raises(ModelError) as caught:
        resolve(str(odd), Settings(), folders())
    assert "Rename" in encode(RequestFailed(request_id="a", failure=caught.value.failure)).decode()
    assert {"Other", "Tiny-Q8_0", "Tiny-Q4_0"} <= set(known_models(Settings(), folders()))
    assert all(name.isascii() for name in known_models(Settings(), folders()))


def test_a_missing_starter_names_the_way_out(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FIRSTLIGHT_STARTER", str(tmp_path / "gone.gguf"))
    with pytest.raises(ModelError) as caught:
        resolve("starter", Settings(), folders())
    assert "bootstrap.py" in str(caught.value.failure.advice)


def test_a_models_own_settings_win(home: Path) -> None:
    own, general = ModelSettings(n_ctx=512), ModelSettings(n_ctx=1024)
    settings = Settings(models=Models(per_model={"a": own}), performance=Performance(load=general))
    path = Path("/models/a.gguf")
    assert settings_for("a", path, settings, folders()).n_ctx == 512
    assert settings_for("b", path, settings, folders()).n_ctx == 1024
    assert settings_for("b", path, settings, folders()).snapshot_dir == str(folders().snapshots)


async def test_a_window_keeps_a_core(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.host.load_planner.n_cores", lambda: 4)
    windowed = await LoadPlanner(folders(), is_windowed=True).plan(str(model), Settings())
    alone = await LoadPlanner(folders(), is_windowed=False).plan(str(model), Settings())
    assert (windowed.settings.n_threads, windowed.settings.n_threads_batch) == (3, 4)
    assert (alone.settings.n_threads, alone.settings.n_threads_batch) == (4, 4)
    chosen = await LoadPlanner(folders(), is_windowed=True).plan(
        str(model), Settings(), asked=ModelSettings(n_threads=2)
    )
    assert (chosen.settings.n_threads, chosen.settings.n_threads_batch) == (2, 2)
    assert chosen.estimated_bytes > 0


def test_a_chats_snapshots_are_found_without_a_worker(tmp_path: Path, make_model: Callable[[str], Path]) -> None:
    assert chat_prefix("chat") == chat_hash("chat") + "-"
    folder = tmp_path / "fingerprint"
    folder.mkdir()
    for name in (chat_prefix("a") + "1.kv", chat_prefix("a") + "2.kv", chat_prefix("b") + "1.kv"):
        (folder / name).touch()
    assert delete_snapshots(tmp_path, "a") == 2
    assert [path.name for path in folder.iterdir()] == [chat_prefix("b") + "1.kv"]
    assert delete_snapshots(tmp_path) == 1
