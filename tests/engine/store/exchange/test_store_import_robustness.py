"""Importing files that are large, damaged, hostile, unknown or here already; progress and cancelling."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import chat_samples as samples
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import Code, StorageError
from engine.protocol.values import Role
from engine.store.chat_values import Chat, StoredMessage
from engine.store.chats import ChatStore
from engine.store.exchange import json_elements as elements_module
from engine.store.exchange.chat_builder import adopted
from engine.store.exchange.import_report import ImportProgress, Losses, ReadChat
from engine.store.exchange.importer import import_chats
from engine.store.exchange.json_elements import BrokenJson, decode, elements
from engine.store.exchange.json_fields import moment
from engine.store.message_tree import Node, Tree

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
SAMPLES: list[Any] = [
    samples.CHATGPT,
    samples.CLAUDE,
    samples.LM_STUDIO,
    samples.OPEN_WEBUI,
    samples.OPENAI,
    samples.SHAREGPT,
    samples.CARD_V2,
    samples.JAN_MESSAGES[1],
    samples.SILLY_TAVERN[4],
]


def damaged(value: Any, source: random.Random) -> Any:
    """A copy in which something, somewhere, is of another kind or gone."""
    if isinstance(value, dict) and value and source.random() < 0.9:
        key = source.choice(list(value))
        if source.random() < 0.15:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: damaged(value[key], source)}
    if isinstance(value, list) and value and source.random() < 0.9:
        i = source.randrange(len(value))
        return [*value[:i], damaged(value[i], source), *value[i + 1 :]]
    return source.choice([None, 7, -1, 1e300, "x", "", [], {}, [None], {"a": 1}, True, "\ud83d"])


@pytest.mark.parametrize("seed", range(40))
def test_damaged_samples_never_stop_an_import(store: ChatStore, tmp_path: Path, seed: int) -> None:
    source = random.Random(seed)
    values = [damaged(damaged(each, source), source) for each in SAMPLES for _ in range(4)]
    path = samples.write_json(tmp_path / "chats.json", [samples.CHATGPT, *values])
    report = import_chats(store, path)
    assert report.n_chats >= 1
    for chat in store.chats():
        assert store.path(chat.id)
        assert len(store.messages(chat.id)) >= len(store.path(chat.id))


@given(value=anything)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_json_is_a_report(store: ChatStore, tmp_path: Path, value: Any) -> None:
    path = tmp_path / "any.json"
    path.write_text(json.dumps(value))
    report = import_chats(store, path)
    assert report.n_chats or report.problems


@given(
    values=st.lists(st.dictionaries(st.text(), anything, min_size=1), max_size=6),
    chunk=st.integers(1, 60),
    indent=st.none() | st.integers(0, 2),
    as_lines=st.booleans(),
)
@settings(deadline=None)
def test_elements_are_cut_exactly(values: list[Any], chunk: int, indent: int | None, as_lines: bool) -> None:
    written = "\n".join(json.dumps(v) for v in values) if as_lines else json.dumps(values, indent=indent)
    if as_lines and not values:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elements_module, "CHUNK_BYTES", chunk)
        found = [decode(raw) for raw in elements(io.BytesIO(written.encode()))]
    assert json.dumps(found) == json.dumps(values)


@pytest.mark.parametrize("written", ["{", '[{"a": "b', '[{"a": 1},', "[1, 2]", "nonsense", '{"a": 1}]', "]"])
def test_what_is_no_list_of_objects_says_so(written: str) -> None:
    with pytest.raises(BrokenJson):
        list(elements(io.BytesIO(written.encode())))


def test_a_file_that_ends_too_early_gives_what_came_before(store: ChatStore, tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([samples.CHATGPT, samples.CLAUDE])[:-40])
    report = import_chats(store, path)
    assert report.n_chats == 1
    assert any("ends too early" in str(problem) for problem in report.problems)


def test_a_second_import_brings_nothing_twice(store: ChatStore, tmp_path: Path) -> None:
    values = [samples.CHATGPT, samples.CLAUDE, samples.LM_STUDIO, samples.OPEN_WEBUI, samples.OPENAI]
    path = samples.write_json(tmp_path / "all.json", values)
    first = import_chats(store, path)
    second = import_chats(store, path)
    assert (first.n_chats, first.n_duplicates) == (5, 0)
    assert (second.n_chats, second.n_duplicates) == (0, 5)
    for chat_id in first.chat_ids:
        store.delete_chat(chat_id)
    assert import_chats(store, path).n_chats == 5


@pytest.mark.parametrize("content", [b"just text", b"\0\1\2\3" * 100, b"PK\3\4 broken", b"{}", b"[]", b""])
def test_an_unknown_file_says_what_is_known(store: ChatStore, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "holiday.txt"
    path.write_bytes(content)
    report = import_chats(store, path)
    assert (report.n_chats, len(report.problems)) == (0, 1)


def test_what_cannot_be_opened_is_one_sentence(store: ChatStore, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="could not be read") as caught:
        import_chats(store, tmp_path / "nothing.json")
    assert caught.value.code is Code.IMPORT_FAILED


def test_a_zip_bomb_is_refused(store: ChatStore, tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("conversations.json", "w") as file:
        for _ in range(80):
            file.write(b" " * (1 << 20))
    with pytest.raises(StorageError, match="would unpack to 80 MB"):
        import_chats(store, path)


def test_paths_that_lead_out_of_an_archive_are_only_names(store: ChatStore, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    path = samples.write_zip(
        inner / "x.zip", {"../../evil.json": [samples.CLAUDE], "/etc/evil.json": [samples.CHATGPT]}
    )
    assert import_chats(store, path).n_chats == 2
    assert list(tmp_path.rglob("*evil*")) == []
    assert not Path("/etc/evil.json").exists()


def test_a_damaged_archive_is_reported(store: ChatStore, tmp_path: Path) -> None:
    path = samples.write_zip(tmp_path / "x.zip", {"conversations.json": [samples.CLAUDE] * 200})
    content = bytearray(path.read_bytes())
    content[60:90] = b"\xff" * 30
    path.write_bytes(content)
    (problem,) = import_chats(store, path).problems
    assert "could not be read" in str(problem) or "damaged" in str(problem)


def test_progress_ends_at_the_end(store: ChatStore, tmp_path: Path) -> None:
    seen: list[ImportProgress] = []
    chats = [{**samples.CLAUDE, "uuid": str(i)} for i in range(5)]
    import_chats(store, samples.write_json(tmp_path / "c.json", chats), on_progress=seen.append)
    assert [each.n_chats for each in seen] == [1, 2, 3, 4, 5, 5]
    assert seen[-1].done_bytes == seen[-1].total_bytes == (tmp_path / "c.json").stat().st_size
    assert [each.done_bytes for each in seen] == sorted(each.done_bytes for each in seen)


def test_a_cancelled_import_keeps_what_was_read(store: ChatStore, tmp_path: Path) -> None:
    chats = [{**samples.CLAUDE, "uuid": str(i)} for i in range(5)]
    seen: list[ImportProgress] = []
    report = import_chats(
        store,
        samples.write_json(tmp_path / "c.json", chats),
        on_progress=seen.append,
        is_cancelled=lambda: len(seen) >= 2,
    )
    assert report.is_cancelled
    assert report.n_chats == len(store.chats()) == 3


def test_a_full_disk_ends_the_import_with_a_report(store: ChatStore, tmp_path: Path) -> None:
    with store._db.locked() as connection:
        (n_pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {n_pages + 5}")
    big = {**samples.OPENAI, "messages": [{"role": "user", "content": "word " * 50_000}] * 3}
    report = import_chats(store, samples.write_json(tmp_path / "c.json", [big]))
    assert report.n_chats == 0
    assert any("disk is full" in str(problem) for problem in report.problems)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12) | st.none()), max_size=14))
@settings(deadline=None)
def test_links_are_sound_whatever_a_file_says(links: list[tuple[int, int | None]]) -> None:
    messages = [
        StoredMessage(id=str(i), chat_id="", parent_id=None if p is None else str(p), role=Role.USER, created_at=1.0)
        for i, p in links
    ]
    chat = Chat(id="c", created_at=1.0, updated_at=1.0, head_id="3")
    made = adopted(ReadChat(chat=chat, messages=messages), None, Losses())
    tree = Tree(Node(m.id, m.parent_id, None, False) for m in made.messages)
    ids = {m.id for m in made.messages}
    reached = [each for first in tree.children(None) for each in tree.below(first)]
    assert set(reached) == ids
    assert len(reached) == len(ids) == len({i for i, _ in links})
    assert (made.chat.head_id in ids) == bool(ids)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (1_750_000_000, 1_750_000_000.0),
        (1_750_000_000_123, 1_750_000_000.123),
        (1_750_000_000_123_456_789, 1_750_000_000.123_456_7),
        ("1750000000", 1_750_000_000.0),
        ("2025-06-15T15:06:40Z", 1_750_000_000.0),
        ("yesterday", None),
        (True, None),
        (-5, None),
        (10**400, None),
        (float("nan"), None),
        (None, None),
    ],
)
def test_moments(written: object, seconds: float | None) -> None:
    assert moment(written) == pytest.approx(seconds)


BIG_IMPORT = """
import json, resource, sys
from pathlib import Path
from engine.store.chats import ChatStore
from engine.store.exchange.importer import import_chats
store = ChatStore(Path(sys.argv[1]))
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before = peak()
report = import_chats(store, Path(sys.argv[2]))
print(json.dumps({"n_chats": report.n_chats, "grown_mb": peak() - before, "problems": report.problems}))
"""


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    n_chats, size_mb = 600, 60
    text = "filler " * (size_mb * 1_000_000 // n_chats // 7 // 4)
    path = tmp_path / "conversations.json"
    with path.open("w") as file:
        for i in range(n_chats):
            turns = [{"uuid": f"{i}.{j}", "sender": "human", "text": text} for j in range(4)]
            file.write(("[" if i == 0 else ",") + json.dumps({"uuid": str(i), "name": f"n{i}", "chat_messages": turns}))
        file.write("]")
    assert path.stat().st_size > size_mb * 0.95e6
    arguments = [sys.executable, "-c", BIG_IMPORT, str(tmp_path / "chats.sqlite3"), str(path)]
    result = json.loads(subprocess.run(arguments, capture_output=True, check=True, text=True).stdout)
    assert (result["n_chats"], result["problems"]) == (n_chats, [])
    assert result["grown_mb"] < 30


WHOLE = '{"title": "Trip", "messages": [{"role": "user", "content": "Rain?"}]}'


@pytest.mark.parametrize(
    ("content", "n_chats", "told"),
    [
        (f'[{WHOLE}, {{"title": "cut', 1, "What came before is here; for the rest, download or copy the file again."),
        ('[{"title": "cut', 0, "Download or copy the file again."),
        ("no JSON at all", 0, "Download or copy the file again."),
    ],
)
def test_a_cut_file_says_whether_anything_came_before_and_how_to_have_the_rest(
    content: str, n_chats: int, told: str, store: ChatStore, tmp_path: Path
) -> None:
    path = tmp_path / "chats.json"
    path.write_text(content)
    for n_new in (n_chats, 0):  # What is here already came before, too.
        report = import_chats(store, path)
        assert report.n_chats == n_new
        assert [str(problem) for problem in report.problems] == [
            f"chats.json is damaged: it ends too early. {told}",
        ]


def archive_of_chats(path: Path) -> bytes:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps([{**json.loads(WHOLE), "x": i} for i in range(500)]))
    return path.read_bytes()


def test_half_a_download_is_a_damaged_archive(store: ChatStore, tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    whole = archive_of_chats(path)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StorageError) as caught:
        import_chats(store, path)
    assert caught.value.failure.sentence() == (
        "export.zip could not be read (the archive is damaged). Download or copy the file again."
    )


def test_an_archive_says_what_to_do_where_a_file_in_it_cannot_be_unpacked(store: ChatStore, tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    whole = bytearray(archive_of_chats(path))
    whole[len(whole) // 3 : len(whole) // 3 + 64] = bytes(64)
    path.write_bytes(whole)
    assert [str(problem) for problem in import_chats(store, path).problems] == [
        "conversations.json could not be read (the archive is damaged). Download or copy the file again."
    ]
    whole = bytearray(archive_of_chats(path))
    whole[8] = whole[whole.rindex(b"PK\x01\x02") + 10] = 99  # A kind of packing that nobody has.
    path.write_bytes(whole)
    assert [str(problem) for problem in import_chats(store, path).problems] == [
        "conversations.json could not be read (it is packed in a way that is not known here). "
        "Unpack it first, then import the folder."
    ]


def test_messages_line_by_line_are_one_chat_and_a_broken_line_is_skipped(store: ChatStore, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text('{"role": "user", "content": "Rain?"}\nno JSON\n{"role": "assistant", "content": "No."}\n')
    report = import_chats(store, path)
    assert [message.content for message in store.path(report.chat_ids[0])] == ["Rain?", "No."]
    assert [str(problem) for problem in report.problems] == ["Places that are not JSON, skipped: 1."]
