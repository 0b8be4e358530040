"""Snapshots: kept within budgets, private, and never believed when something is wrong with them."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import msgspec
import pytest

from engine.worker.cache.generated_token_cache import GeneratedAnswer
from engine.worker.cache.slots import Checkpoint
from engine.worker.cache.snapshot_file import Identity, SavedState, chat_hash, file_front, read_header, write_file
from engine.worker.cache.snapshots import SnapshotStore

IDENTITY = Identity(fingerprint="f1", type_k="f16", type_v="f16", flash_attn=True, engine="1")
TOKENS = list(range(100))
STATE = SavedState(bytearray(range(256)) * 38, (Checkpoint(40, bytearray(b"a" * 200)), Checkpoint(60, bytearray(312))))
ANSWER = GeneratedAnswer("<think>x</think>hi", (1, 2, 3), "hi", (3,))
MIB = 1 << 20


def store(folder: Path | None, **budgets: int) -> SnapshotStore:
    sizes = {"memory_budget": MIB, "disk_budget": MIB, **budgets}
    return SnapshotStore(IDENTITY, folder, sizes["memory_budget"], sizes["disk_budget"])


def saved(folder: Path, chat_id: str = "chat", tokens: list[int] = TOKENS) -> Path:
    """One snapshot on disk; its file."""
    made = store(folder)
    made.put(tokens, STATE, chat_id=chat_id, answers=(ANSWER,))
    made.close()
    return next(folder.glob(f"*/{chat_hash(chat_id)}-*.kv"))


def test_a_saved_chat_is_found_again_whole(tmp_path: Path) -> None:
    path = saved(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    again = store(tmp_path)
    (snapshot,) = again.snapshots("")
    assert snapshot.tokens == TOKENS
    assert again.load(snapshot) == STATE
    assert snapshot.checkpoints == (40, 60)
    assert list(again.answers()) == [ANSWER]
    assert list(tmp_path.glob("*/*.part")) == []


def test_a_file_that_vanishes_meanwhile_hides_no_other(tmp_path: Path) -> None:
    path = saved(tmp_path)
    path.with_name("gone-gone.kv").symlink_to(tmp_path / "nowhere")
    assert len(store(tmp_path).snapshots("")) == 1
    saved(tmp_path, chat_id="other")
    assert len(store(tmp_path).snapshots("")) == 2


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda data: data[:10], "not a snapshot"),
        (lambda data: b"GGUF" + data[4:], "not a snapshot"),
        (lambda data: data[:4] + struct.pack("<I", 99) + data[8:], "format 99"),
        (lambda data: data[:-100], "cut short"),
        (lambda data: data[:16] + b"#" + data[17:], "header is damaged"),
        (lambda data: data[:8] + struct.pack("<Q", 1 << 60) + data[16:], "cut short"),
        (lambda data: data[: -STATE.size_bytes - 40] + bytes(40) + data[-STATE.size_bytes :], "tokens are damaged"),
    ],
)
def test_a_bad_file_is_ignored_with_a_reason(damage: object, reason: str, tmp_path: Path) -> None:
    path = saved(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    again = store(tmp_path)
    assert again.snapshots("") == []
    assert reason in again.refusals[chat_hash("chat")]


def test_a_damaged_state_is_noticed_when_it_is_needed(tmp_path: Path) -> None:
    path = saved(tmp_path)
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)
    again = store(tmp_path)
    (snapshot,) = again.snapshots("")
    assert again.load(snapshot) is None
    assert "checksum" in again.refusals[chat_hash("chat")]
    assert again.snapshots("") == []
    assert not path.exists()


@pytest.mark.parametrize("change", [{"type_k": "q8_0"}, {"flash_attn": False}, {"engine": "2"}, {"swa_full": True}])
def test_a_foreign_file_is_ignored(change: dict[str, object], tmp_path: Path) -> None:
    path = saved(tmp_path)
    with pytest.raises(ValueError, match="another model, cache type or engine"):
        read_header(path, msgspec.structs.replace(IDENTITY, **change))


def test_another_adapter_is_another_cache(tmp_path: Path) -> None:
    made = store(tmp_path)
    made.put(TOKENS, STATE, chat_id="chat", adapter="style*1")
    assert made.snapshots("") == []
    assert len(made.snapshots("style*1")) == 1
    made.close()


def test_the_same_tokens_with_another_adapter_have_a_file_of_their_own(tmp_path: Path) -> None:
    made = store(tmp_path, memory_budget=0)
    other = SavedState(bytearray(b"other"))
    made.put(TOKENS, STATE, chat_id="chat")
    made.put(TOKENS, other, chat_id="chat", adapter="style*1")
    made.close()
    assert [made.load(snapshot) for snapshot in (*made.snapshots(""), *made.snapshots("style*1"))] == [STATE, other]
    made.drop("chat")
    assert list(tmp_path.glob("*/*.kv")) == []


def test_a_longer_snapshot_of_a_chat_replaces_the_shorter_one(tmp_path: Path) -> None:
    made = store(tmp_path)
    made.put(TOKENS, STATE, chat_id="chat")
    made.put([*TOKENS, 7], STATE, chat_id="chat")
    made.put([5, 6], STATE, chat_id="chat")
    assert sorted(len(snapshot.tokens) for snapshot in made.snapshots("")) == [2, 101]
    made.close()
    assert len(list(tmp_path.glob("*/*.kv"))) == 2


def test_memory_stays_within_its_budget() -> None:
    made = store(None, memory_budget=3 * STATE.size_bytes)
    for n in range(10):
        made.put([n], STATE)
    assert made.memory_bytes <= 3 * STATE.size_bytes
    assert [snapshot.tokens for snapshot in made.snapshots("")] == [[7], [8], [9]]


def test_what_is_on_disk_leaves_memory_but_is_not_lost(tmp_path: Path) -> None:
    made = store(tmp_path, memory_budget=STATE.size_bytes)
    for n in range(3):
        made.put([n] * 10, STATE, chat_id=f"chat {n}")
        made.close()
    assert made.memory_bytes <= STATE.size_bytes
    assert [made.load(snapshot) for snapshot in made.snapshots("")] == [STATE] * 3


def test_what_is_larger_than_the_memory_for_it_still_reaches_the_disk(tmp_path: Path) -> None:
    made = store(tmp_path, memory_budget=STATE.size_bytes - 1)
    for n in range(3):
        made.put([n] * 10, STATE, chat_id=f"chat {n}")
    made.close()
    assert made.memory_bytes == 0
    assert [made.load(snapshot) for snapshot in made.snapshots("")] == [STATE] * 3


def test_what_is_larger_than_the_disk_budget_drives_nothing_out(tmp_path: Path) -> None:
    path = saved(tmp_path, "small", [1, 2, 3])
    made = store(tmp_path, disk_budget=STATE.size_bytes + 1)
    made.put([9] * 10, SavedState(bytearray(STATE.size_bytes + 2)), chat_id="large")
    made.close()
    assert list(tmp_path.glob("*/*.kv")) == [path]
    assert made.memory_bytes == STATE.size_bytes + 2


def test_half_files_of_killed_processes_are_cleared_away(tmp_path: Path) -> None:
    path = saved(tmp_path, "a")
    old, new = path.with_suffix(".1.part"), path.with_suffix(".2.part")
    for part in (old, new):
        part.write_bytes(b"half")
    os.utime(old, (1, 1))
    saved(tmp_path, "b")
    assert list(tmp_path.glob("*/*.part")) == [new]


def test_the_disk_stays_within_its_budget_and_the_oldest_goes_first(tmp_path: Path) -> None:
    for n in range(4):
        path = saved(tmp_path, f"chat {n}", [n] * 10)
        os.utime(path, (1000 + n, 1000 + n))
    size = path.stat().st_size
    made = store(tmp_path, disk_budget=3 * size)
    made.put([9] * 10, STATE, chat_id="new")
    made.close()
    names = {path.name.split("-")[0] for path in tmp_path.glob("*/*.kv")}
    assert names == {chat_hash("chat 2"), chat_hash("chat 3"), chat_hash("new")}


def test_deleting_a_chat_deletes_its_files_of_every_model(tmp_path: Path) -> None:
    saved(tmp_path, "a")
    saved(tmp_path, "b")
    other = tmp_path / "another model" / f"{chat_hash('a')}-0.kv"
    other.parent.mkdir()
    other.write_bytes(b"old")
    made = store(tmp_path)
    made.drop("a")
    assert {path.name.split("-")[0] for path in tmp_path.glob("*/*.kv")} == {chat_hash("b")}
    assert [snapshot.chat_id for snapshot in made.snapshots("")] == ["b"]
    made.drop()
    assert list(tmp_path.glob("*/*.kv")) == []


def test_one_off_requests_never_reach_the_disk(tmp_path: Path) -> None:
    made = store(tmp_path)
    made.put(TOKENS, STATE)
    made.close()
    assert len(made.snapshots("")) == 1
    assert list(tmp_path.glob("*/*.kv")) == []


def test_a_full_disk_costs_nothing_but_the_snapshot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    made = SnapshotStore(IDENTITY, blocked, MIB, MIB)
    made.put(TOKENS, STATE, chat_id="chat")
    made.close()
    assert len(made.snapshots("")) == 1
    assert "could not be written" in capsys.readouterr().err


def test_a_failed_write_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: Path) -> Path:
        raise OSError("no space")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="no space"):
        write_file(tmp_path / "a.kv", file_front(IDENTITY, TOKENS, STATE, chat_id="chat"), STATE)
    assert list(tmp_path.iterdir()) == []
