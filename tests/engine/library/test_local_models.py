"""The local library: every layout in place, every state, memory of ejected drives, and careful deletes."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from gguf_files import chat_bytes

from engine.errors import Code, FirstlightError
from engine.library.local_models import Library, State, total_bytes
from engine.library.manifest import Downloaded, Manifest
from engine.library.orphaned_files import empty_trash
from engine.protocol.codec import encode
from engine.protocol.events import ModelsListed
from engine.protocol.records import ModelEntry
from engine.settings import Models, folders


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The user's home folder."""
    made = tmp_path / "user"
    made.mkdir()
    return made


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_HOME", "HF_HUB_CACHE", "OLLAMA_MODELS"):
        monkeypatch.delenv(name, raising=False)


def library(place: Path, **models: object) -> Library:
    return Library(folders(), Models(**models), home=place)


def write(path: Path, content: bytes | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(chat_bytes() if content is None else content)
    return path


def by_name(entries: list[ModelEntry]) -> dict[str, ModelEntry]:
    return {entry.name: entry for entry in entries}


def ollama(place: Path, name: str = "llama3", tag: str = "8b", owner: str = "library") -> Path:
    """Ollama's real layout: a manifest that names a blob by its digest."""
    digest = "ab" * 32
    manifest = place / ".ollama/models/manifests/registry.ollama.ai" / owner / name / tag
    manifest.parent.mkdir(parents=True)
    layers = [
        {"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:ff", "size": 3},
        {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{digest}", "size": 9},
    ]
    manifest.write_text(json.dumps({"schemaVersion": 2, "layers": layers}))
    return write(place / ".ollama/models/blobs" / f"sha256-{digest}")


def test_every_store_is_seen_in_place(place: Path) -> None:
    write(folders().models / "owner/Ours-GGUF/ours-Q4_K_M.gguf")
    write(place / ".lmstudio/models/pub/Studio-GGUF/studio.gguf")
    blob = write(place / ".cache/huggingface/hub/models--pub--Cached-GGUF/blobs/00ff")
    link = place / ".cache/huggingface/hub/models--pub--Cached-GGUF/snapshots/abc/cached.gguf"
    link.parent.mkdir(parents=True)
    link.symlink_to(os.path.relpath(blob, link.parent))
    ollama(place)
    write(place / "Modelle 模型 🙂/own file.gguf")
    before = sorted(path for path in place.rglob("*"))
    entries = by_name(library(place, folders=(str(place / "Modelle 模型 🙂"),)).scan())
    assert {name: (str(entry.source), entry.repo, entry.state) for name, entry in entries.items()} == {
        "ours-Q4_K_M": ("ours", "owner/Ours-GGUF", "ready"),
        "studio": ("lmstudio", "pub/Studio-GGUF", "ready"),
        "cached": ("hub_cache", "pub/Cached-GGUF", "ready"),
        "llama3:8b": ("ollama", "", "ready"),
        "own file": ("folder", "", "ready"),
    }
    assert sorted(path for path in place.rglob("*")) == before


@pytest.mark.skipif(sys.platform != "linux", reason="Other systems have no such names.")
@pytest.mark.parametrize("name", [b"mod\xe8le.gguf", b"gr\xf6\xdfer/m.gguf"])
def test_a_name_that_is_no_text_costs_no_other_model_its_entry(place: Path, name: bytes) -> None:
    odd = write(place / "m" / os.fsdecode(name))
    write(place / "m" / "sound.gguf")
    found = library(place, folders=(str(place / "m"),))
    states = {entry.name: entry.state for entry in found.scan()}
    assert states.pop("sound") == State.READY
    assert set(states.values()) == {State.DAMAGED}
    told = encode(ModelsListed(request_id="l", models=tuple(found.scan()), watched=found.watched(found.scan())))
    assert b"Rename it" in told
    assert odd.exists()


def test_the_same_file_seen_twice_is_one_model(place: Path) -> None:
    write(place / ".lmstudio/models/pub/Studio-GGUF/studio.gguf")
    assert len(library(place, folders=(str(place / ".lmstudio"),)).scan()) == 1


def test_parts_are_one_model_and_a_missing_part_is_said(place: Path) -> None:
    for number in (1, 2):
        write(place / "m" / f"whole-0000{number}-of-00002.gguf")
    write(place / "m" / "part-00001-of-00003.gguf")
    entries = by_name(library(place, folders=(str(place / "m"),)).scan())
    assert entries["part"].state == State.INCOMPLETE
    assert str(entries["part"].problem) == "2 of 3 parts are missing."
    assert entries["whole"].path.endswith("whole-00001-of-00002.gguf")


@pytest.mark.parametrize(
    ("content", "kind", "state"),
    [
        (chat_bytes(), "chat", State.READY),
        (chat_bytes(general__architecture="bert"), "embedding", State.READY),
        (chat_bytes(general__architecture="clip"), "mmproj", State.READY),
        (chat_bytes(general__type="adapter"), "lora", State.READY),
        (chat_bytes()[:-200], "other", State.DAMAGED),
        (b"", "other", State.DAMAGED),
        (b"<html>Not found</html>" * 10, "other", State.DAMAGED),
    ],
)
def test_files_are_told_apart(place: Path, content: bytes, kind: str, state: State) -> None:
    write(place / "m/x.gguf", content)
    (entry,) = library(place, folders=(str(place / "m"),)).scan()
    assert (entry.kind, entry.state) == (kind, state)
    assert bool(entry.problem) == (state is State.DAMAGED)


def test_an_ejected_drive_keeps_its_entries_and_a_deleted_file_does_not(place: Path) -> None:
    drive = place / "drive"
    write(drive / "there.gguf")
    gone = write(place / "other/gone.gguf")
    found = library(place, folders=(str(drive), str(place / "other")))
    assert len(found.scan()) == 2
    drive.rename(place / "away")
    gone.unlink()
    entries = by_name(library(place, folders=(str(drive), str(place / "other"))).scan())
    assert {name: entry.state for name, entry in entries.items()} == {"there": State.MISSING}
    (place / "away").rename(drive)
    assert by_name(found.scan())["there"].state == State.READY


def test_a_second_scan_reads_no_header(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(place / "m/x.gguf")
    library(place, folders=(str(place / "m"),)).scan()
    monkeypatch.setattr("engine.library.local_models.read_facts", lambda path: pytest.fail(f"read {path} again"))
    (entry,) = library(place, folders=(str(place / "m"),)).scan()
    assert entry.architecture == "llama"


def test_a_changed_file_is_read_again(place: Path) -> None:
    path = write(place / "m/x.gguf")
    found = library(place, folders=(str(place / "m"),))
    assert found.scan()[0].kind == "chat"
    write(path, chat_bytes(general__architecture="bert", general__name="another length"))
    assert found.scan()[0].kind == "embedding"


def ours(place: Path) -> tuple[Library, Path]:
    path = write(folders().models / "owner/Ours-GGUF/ours.gguf")
    known = Downloaded(repo="owner/Ours-GGUF", file="ours.gguf", commit="c", sha256="s", size_bytes=9)
    Manifest(folders().models).add(path, known)
    return library(place), path


def test_our_download_can_be_deleted_and_taken_back(place: Path) -> None:
    found, path = ours(place)
    size = path.stat().st_size
    assert found.remove(str(path)) == size
    assert found.scan() == []
    found.restore(str(path))
    (entry,) = found.scan()
    assert (entry.is_ours, entry.repo, entry.state) == (True, "owner/Ours-GGUF", State.READY)
    found.remove(str(path))
    empty_trash(found.own_folder)
    with pytest.raises(FirstlightError, match="gone from the trash"):
        found.restore(str(path))


def test_a_download_is_ours_also_where_the_folder_is_a_link(place: Path) -> None:
    path = write(place / "disk/owner/Ours-GGUF/ours.gguf")
    link = place / "link"
    link.symlink_to(place / "disk", target_is_directory=True)
    known = Downloaded(repo="owner/Ours-GGUF", file="ours.gguf", commit="c", sha256="s", size_bytes=9)
    Manifest(link).add(path, known)
    found = library(place, download_folder=str(link))
    (entry,) = found.scan()
    assert entry.is_ours
    found.remove(entry.model_id)
    assert not path.exists()
    found.restore(entry.model_id)
    assert found.scan()[0].is_ours


def test_two_downloads_that_end_together_are_both_ours(place: Path) -> None:
    known = Downloaded(repo="o/r", file="a.gguf", commit="c", sha256="s", size_bytes=9)
    first, second = Manifest(place), Manifest(place)
    first.add(place / "o/r/a.gguf", known)
    second.add(place / "o/r/b.gguf", known)
    first.remove(place / "o/r/none.gguf")
    assert all(Manifest(place).get(place / f"o/r/{name}.gguf") for name in ("a", "b"))


def test_a_loaded_model_is_not_deleted(place: Path) -> None:
    found, path = ours(place)
    with pytest.raises(FirstlightError) as caught:
        found.remove(str(path), is_loaded=True)
    assert caught.value.code is Code.MODEL_IN_USE
    assert path.exists()


def test_what_others_brought_is_never_deleted(place: Path) -> None:
    blob = ollama(place)
    studio = write(place / ".lmstudio/models/pub/Studio-GGUF/studio.gguf")
    by_hand = write(folders().models / "by-hand.gguf")
    for path in (blob, studio, by_hand):
        with pytest.raises(FirstlightError, match="not downloaded by Firstlight"):
            library(place).remove(str(path))
        assert path.exists()


@pytest.mark.parametrize("content", [b"", b"{}", b'{"layers": [{"mediaType": 3}]}', b"\xff\xfe", b"[]"])
def test_a_damaged_ollama_manifest_is_passed_over(place: Path, content: bytes) -> None:
    ollama(place)
    write(place / ".ollama/models/manifests/registry.ollama.ai/library/broken/latest", content)
    assert [entry.name for entry in library(place).scan()] == ["llama3:8b"]


def test_another_owner_in_ollama_keeps_its_name(place: Path) -> None:
    ollama(place, owner="someone")
    assert [entry.name for entry in library(place).scan()] == ["someone/llama3:8b"]


def test_lmstudios_pointer_moves_its_folder(place: Path) -> None:
    (place / ".lmstudio-home-pointer").write_text(str(place / "elsewhere") + "\n")
    write(place / "elsewhere/models/pub/M/m.gguf")
    assert [entry.name for entry in library(place).scan()] == ["m"]


def test_a_damaged_memory_is_made_anew(place: Path, home: Path) -> None:
    write(place / "m/x.gguf")
    for path in (folders().cache / "library-headers.json", folders().data / "library.json"):
        write(path, b"{broken")
    assert len(library(place, folders=(str(place / "m"),)).scan()) == 1


def test_disk_use_leaves_out_what_is_away(place: Path) -> None:
    path = write(place / "drive/x.gguf")
    found = library(place, folders=(str(place / "drive"),))
    assert total_bytes(found.scan()) == path.stat().st_size
    shutil.rmtree(place / "drive")
    assert total_bytes(found.scan()) == 0


def test_the_last_load_is_remembered(place: Path) -> None:
    write(place / "m" / "a.gguf")
    seen = library(place, folders=(str(place / "m"),))
    seen.note_load(str(place / "m" / "a.gguf"), 1_000.0)
    assert by_name(library(place, folders=(str(place / "m"),)).scan())["a"].last_used == 1_000.0


def test_what_is_watched_tells_of_new_models_at_any_depth(place: Path) -> None:
    write(place / "m" / "deep" / "er" / "a.gguf")
    (place / "m" / "half.gguf").write_bytes(b"GGUF")
    seen = library(place, folders=(str(place / "m"), str(place / "away" / "drive")))
    watched = seen.watched(seen.scan())
    for folder in ("m", "m/deep", "m/deep/er", "m/half.gguf"):
        assert str(place / folder) in watched
    assert str(place) in watched, "where the drive will appear"
