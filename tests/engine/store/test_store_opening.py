"""Opening chats when something is wrong: damage, a newer format, no room, no permission, a killed writer."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from engine.errors import Code, StorageError
from engine.protocol.values import Role
from engine.store.chat_values import MessageState
from engine.store.chats import ChatStore, open_store
from engine.store.database import storage_error
from engine.store.migrations import version

N_MESSAGES = 400


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A closed database with two chats of N_MESSAGES messages."""
    path = tmp_path / "data" / "chats.sqlite3"
    store = ChatStore(path)
    for title in ("one", "two"):
        chat = store.create_chat(title=title)
        for i in range(N_MESSAGES):
            store.add_message(chat.id, Role.USER, f"{title} message {i} " + "filler " * 30)
    store.close()
    return path


def test_a_sound_file_opens_without_a_word(file: Path) -> None:
    store, notice = open_store(file)
    assert notice == ""
    assert len(store.chats()) == 2
    store.close()


@pytest.mark.parametrize("content", [b"\0" * 50_000, b"this is no database " * 1000], ids=["zeros", "text"])
def test_a_file_that_is_no_database_is_kept_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "chats.sqlite3"
    path.write_bytes(content)
    store, notice = open_store(path)
    aside = next(tmp_path.glob("chats.damaged-*.sqlite3"))
    assert aside.read_bytes() == content
    assert str(aside) in str(notice)
    store.create_chat(title="works")
    store.close()
    again, notice = open_store(path)
    assert (notice, [chat.title for chat in again.chats()]) == ("", ["works"])
    again.close()


def test_what_lies_around_a_broken_page_is_recovered(file: Path) -> None:
    damage_page_of_messages(file)
    file.with_name(file.name + ".damaged").touch()
    store, notice = open_store(file)
    recovered = {chat.title: len(store.messages(chat.id)) for chat in store.chats()}
    total = sum(recovered.values())
    assert set(recovered) == {"one", "two"}
    assert 2 * N_MESSAGES - 60 < total < 2 * N_MESSAGES
    assert f"2 chats with {total} messages" in str(notice)
    assert all(store.path(chat.id) for chat in store.chats())
    assert store.search("filler")
    store.close()


def test_damage_that_shows_while_running_is_mended_at_the_next_start(file: Path) -> None:
    damage_page_of_messages(file)
    store, notice = open_store(file)
    assert notice == ""
    with pytest.raises(StorageError) as caught:
        for chat in store.chats():
            store.messages(chat.id)
    assert caught.value.code is Code.CHATS_DAMAGED
    store.close()
    again, notice = open_store(file)
    assert "could be recovered" in str(notice)
    again.close()
    last, notice = open_store(file)
    assert notice == ""
    last.close()


def test_an_empty_file_is_a_fresh_start(tmp_path: Path) -> None:
    path = tmp_path / "chats.sqlite3"
    path.touch()
    store, notice = open_store(path)
    assert (notice, store.chats()) == ("", [])
    store.close()


def test_a_newer_format_is_left_alone(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute(f"PRAGMA user_version = {version() + 1}")
    connection.close()
    before = file.read_bytes()
    with pytest.raises(StorageError, match="newer Firstlight") as caught:
        ChatStore(file)
    assert caught.value.code is Code.CHATS_NEWER
    store, notice = open_store(file)
    assert "Update Firstlight" in str(notice)
    store.create_chat(title="usable")
    store.close()
    assert file.read_bytes() == before


def test_a_place_that_cannot_be_made_leaves_the_app_usable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store, notice = open_store(tmp_path / "file" / "chats.sqlite3")
    assert "cannot be saved" in str(notice)
    assert "not kept" in str(notice)
    chat = store.create_chat(title="usable")
    store.add_message(chat.id, Role.USER, "hello")
    assert store.search("hello")
    store.close()


READER = """
import json, os, sys
from pathlib import Path
from engine.protocol.values import Role
from engine.store.chats import open_store
if os.getuid() == 0:
    os.setuid(65534)
store, notice = open_store(Path(sys.argv[1]))
titles = sorted(chat.title for chat in store.chats())
store.add_message(store.chats()[0].id, Role.USER, "usable")
print(json.dumps([str(notice), titles, len(store.search("message")), len(store.search("usable"))]))
"""


def test_chats_that_cannot_be_written_are_still_shown(file: Path) -> None:
    # Outside pytest's own folder, which only its owner may enter; root would be allowed to write anything.
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "read only" / "chats.sqlite3"
        copy.parent.mkdir()
        shutil.copy(file, copy)
        copy.chmod(0o444)
        copy.parent.chmod(0o555)
        Path(folder).chmod(0o755)
        result = subprocess.run([sys.executable, "-c", READER, str(copy)], capture_output=True, check=True, text=True)
        copy.parent.chmod(0o755)
        assert sorted(copy.parent.iterdir()) == [copy]
        assert copy.read_bytes() == file.read_bytes()
    notice, titles, n_found, n_usable = json.loads(result.stdout)
    assert "cannot be saved" in notice
    assert "not kept" in notice
    assert (titles, n_found > 0, n_usable) == (["one", "two"], True, 1)


def test_a_full_disk_is_one_sentence_and_loses_nothing(file: Path) -> None:
    store = ChatStore(file)
    chat = store.chats()[0]
    with store._db.locked() as connection:
        (n_pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {n_pages}")
    with pytest.raises(StorageError, match="disk is full") as caught:
        for _ in range(200):
            store.add_message(chat.id, Role.USER, "x" * 10_000)
    assert caught.value.code is Code.DISK_FULL
    assert caught.value.failure.advice
    assert len(store.messages(chat.id)) >= N_MESSAGES
    with store._db.locked() as connection:
        connection.execute("PRAGMA max_page_count = 1000000")
    store.add_message(chat.id, Role.USER, "room again")
    store.close()


FULL = """
import json, resource, sys
from pathlib import Path
from engine.protocol.values import Role
from engine.store.chats import open_store
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
store, notice = open_store(Path(sys.argv[1]))
titles = sorted(chat.title for chat in store.chats())
store.add_message((store.chats() or [store.create_chat(title="t")])[0].id, Role.USER, "usable")
print(json.dumps([str(notice), titles, len(store.search("usable"))]))
"""


@pytest.mark.parametrize("has_chats", [True, False])
def test_a_disk_that_is_full_at_the_start_leaves_the_app_usable(file: Path, tmp_path: Path, has_chats: bool) -> None:
    """Not one byte can be written to any file; the reply comes by a pipe."""
    path = file if has_chats else tmp_path / "new" / "chats.sqlite3"
    result = subprocess.run([sys.executable, "-c", FULL, str(path)], capture_output=True, check=True, text=True)
    notice, titles, n_usable = json.loads(result.stdout)
    assert "cannot be saved" in notice
    assert "not kept" in notice
    assert (titles, n_usable) == (["one", "two"] if has_chats else [], 1)
    store, notice = open_store(path)
    assert notice == ""
    assert sorted(chat.title for chat in store.chats()) == titles
    assert not store.search("usable")
    store.close()


def test_a_full_disk_is_named_where_sqlite_only_speaks_of_input_and_output(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = sqlite3.OperationalError("disk I/O error")
    fault.sqlite_errorcode = sqlite3.SQLITE_IOERR | 18 << 8  # Of the memory that the log needs.
    assert storage_error(fault, file).code is Code.READ_ONLY
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(24_000_000, 24_000_000, 0))
    assert storage_error(fault, file).code is Code.DISK_FULL


def test_an_answer_that_was_cut_is_over_also_where_nothing_can_be_written(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish, faults = ChatStore.finish_interrupted, [StorageError(Code.DISK_FULL, "The disk is full.")]

    def full_at_first(self: ChatStore) -> int:
        if faults:
            raise faults.pop()
        return finish(self)

    store = ChatStore(file)
    cut = store.add_message(store.chats()[0].id, Role.ASSISTANT, "half", state=MessageState.STREAMING)
    store.close()
    monkeypatch.setattr(ChatStore, "finish_interrupted", full_at_first)
    store, notice = open_store(file)
    assert "not kept" in str(notice)
    assert store.message(cut.id).state is MessageState.PARTIAL
    store.close()


def test_a_locked_file_is_one_sentence(file: Path) -> None:
    store = ChatStore(file)
    with store._db.locked() as connection:
        connection.execute("PRAGMA busy_timeout = 0")
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match="in use by another program") as caught:
        store.create_chat(title="t")
    assert caught.value.code is Code.CHATS_BUSY
    other.execute("ROLLBACK")
    other.close()
    store.create_chat(title="t")
    store.close()


WRITER = """
import sys
from pathlib import Path
from engine.protocol.values import Role
from engine.store.chats import ChatStore
from engine.store.chat_values import MessageState
store = ChatStore(Path(sys.argv[1]))
chat = store.create_chat(title="killed")
store.add_message(chat.id, Role.USER, "question")
answer = store.add_message(chat.id, Role.ASSISTANT, state=MessageState.STREAMING)
text = ""
for i in range(1_000_000):
    text += f"{i} "
    store.update_message(answer.id, content=text)
    print(i, flush=True)
"""


def test_a_killed_writer_loses_nothing_it_had_saved(tmp_path: Path) -> None:
    path = tmp_path / "chats.sqlite3"
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            if int(line) >= 30:
                writer.send_signal(signal.SIGKILL)
                break
        saved = [30, *(int(line) for line in writer.stdout)][-1]
    assert writer.returncode == -signal.SIGKILL
    store, notice = open_store(path)
    assert notice == ""
    (chat,) = store.chats()
    question, answer = store.path(chat.id)
    assert question.content == "question"
    assert answer.state is MessageState.PARTIAL
    assert answer.content.startswith(" ".join(str(i) for i in range(saved + 1)))
    assert [hit.message_id for hit in store.search("question")] == [question.id]
    store.close()


def test_many_threads_share_one_store(tmp_path: Path) -> None:
    store = ChatStore(tmp_path / "chats.sqlite3")
    chat = store.create_chat(title="t")
    failures: list[BaseException] = []

    def write(name: str) -> None:
        try:
            for i in range(25):
                store.add_message(chat.id, Role.USER, f"{name} {i}")
                store.path(chat.id)
                store.search(name)
        except StorageError as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(f"thread{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(store.path(chat.id)) == 150
    store.close()


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = ChatStore(tmp_path / "chats.sqlite3")
    store.close()
    store.close()
    with pytest.raises(StorageError, match="closed"):
        store.chats()


def damage_page_of_messages(file: Path) -> None:
    """Overwrite one leaf page in the middle of the table of messages."""
    page_size = 4096
    content = bytearray(file.read_bytes())
    pages = [n for n in range(1, len(content) // page_size) if b"one message 2" in page(content, n, page_size)]
    leaves = [n for n in pages if content[n * page_size] == 0x0D]
    middle = leaves[len(leaves) // 2]
    content[middle * page_size : (middle + 1) * page_size] = b"\xff" * page_size
    file.write_bytes(content)


def page(content: bytearray, number: int, page_size: int) -> bytearray:
    return content[number * page_size : (number + 1) * page_size]
