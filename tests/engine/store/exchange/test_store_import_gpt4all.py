"""Importing GPT4All's chats: every version of its file, and what is damaged."""

from __future__ import annotations

import random
from pathlib import Path

import gpt4all_files
import pytest
from gpt4all_files import CREATED, TALK, Item

from engine.protocol.values import Role
from engine.store.chat_values import MessageState
from engine.store.chats import ChatStore
from engine.store.exchange import qt_stream
from engine.store.exchange.exporter import Format, page
from engine.store.exchange.import_report import ChatFormat
from engine.store.exchange.importer import import_chats


@pytest.mark.parametrize("version", range(1, 13))
def test_every_version_is_read(store: ChatStore, tmp_path: Path, version: int) -> None:
    path = gpt4all_files.write(tmp_path / "gpt4all-x.chat", version)
    report = import_chats(store, path)
    assert (report.kinds, report.n_chats, report.n_messages, report.n_skipped) == ((ChatFormat.GPT4ALL,), 1, 4, 0)
    (chat,) = store.chats()
    assert (chat.title, chat.created_at) == ("Mountains", CREATED)
    asked, answered, doubted, confirmed = store.path(chat.id)
    assert [m.role for m in (asked, answered)] == [Role.USER, Role.ASSISTANT]
    assert (asked.content, answered.content, doubted.content) == ("How tall is 富士山? 🗻", "3,776 m.", "Sure?")
    assert (answered.state, answered.finish_reason) == (MessageState.PARTIAL, "cancelled")
    assert (confirmed.reasoning, confirmed.content) == ("Let me see.", "Yes.")
    assert confirmed.model_name == "Meta-Llama-3-8B"
    if version >= 10:
        (file,) = asked.attachments
        assert (file.name, file.text) == ("my notes.txt", "Höhe")
    if version >= 3:
        assert [*map(str, report.problems)] == ["Excerpts of documents that the model was given, left out: 2."]


def test_the_pieces_of_an_answer(store: ChatStore, tmp_path: Path) -> None:
    parts = (
        ("Think: ", "I should compute."),
        ("Text: ", "It is "),
        ("ToolCall: ", "<tool_call>1 + 1</tool_call>"),
        ("ToolResponse: ", "2"),
        ("Response: ", "two."),
    )
    talk = (Item("Prompt: ", "1 + 1?"), Item("Response: ", "", parts=parts), Item("Response: ", "No model", error=True))
    report = import_chats(store, gpt4all_files.write(tmp_path / "a.chat", 12, talk))
    _, answered, failed = store.path(store.chats()[0].id)
    assert (answered.content, answered.reasoning, answered.reasoning_seconds) == (
        "It is two.",
        "I should compute.",
        2.5,
    )
    assert failed.state is MessageState.FAILED
    assert [*map(str, report.problems)] == ["Tool calls and results left out: 2."]


def test_the_same_chat_comes_in_once(store: ChatStore, tmp_path: Path) -> None:
    gpt4all_files.write(tmp_path / "gpt4all-a.chat", 12)
    gpt4all_files.write(tmp_path / "gpt4all-b.chat", 9)
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    assert import_chats(store, tmp_path).n_chats == 2
    assert import_chats(store, tmp_path).n_duplicates == 2


@pytest.mark.parametrize("version", [1, 9, 12])
def test_a_cut_file_is_a_sentence(store: ChatStore, tmp_path: Path, version: int) -> None:
    whole = gpt4all_files.write(tmp_path / "whole.chat", version, cache_bytes=40).read_bytes()
    for length in range(8, len(whole)):
        path = tmp_path / "cut.chat"
        path.write_bytes(whole[:length])
        report = import_chats(store, path)
        assert report.n_chats == 0
        assert str(report.problems[0]) == "cut.chat could not be read (it ends too early)."


@pytest.mark.parametrize("seed", range(200))
def test_a_damaged_file_is_a_report(store: ChatStore, tmp_path: Path, seed: int) -> None:
    source = random.Random(seed)
    path = gpt4all_files.write(tmp_path / "damaged.chat", source.choice([1, 3, 8, 12]), TALK, cache_bytes=40)
    content = bytearray(path.read_bytes())
    for _ in range(source.randint(1, 4)):
        content[source.randrange(8, len(content))] = source.choice([0, 1, 0x7F, 0xFE, 0xFF])
    path.write_bytes(content)
    report = import_chats(store, path)
    assert report.n_chats or report.problems


@pytest.mark.parametrize("seconds", [1 << 62, -(1 << 62), 0])
def test_a_moment_that_cannot_be_is_the_files(store: ChatStore, tmp_path: Path, seconds: int) -> None:
    path = gpt4all_files.write(tmp_path / "a.chat", 12)
    content = path.read_bytes()
    path.write_bytes(content[:8] + seconds.to_bytes(8, "big", signed=True) + content[16:])
    import_chats(store, path)
    (chat,) = store.chats()
    assert chat.created_at == path.stat().st_mtime
    assert page(store, chat.id, Format.HTML)


def test_a_chat_that_is_too_large_is_a_sentence(
    store: ChatStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(qt_stream, "MAX_ELEMENT_BYTES", 1 << 20)
    cached = gpt4all_files.write(tmp_path / "cached.chat", 1, cache_bytes=2 << 20)
    assert import_chats(store, cached).n_chats == 1
    large = gpt4all_files.write(tmp_path / "large.chat", 12, (Item("Prompt: ", "x" * (1 << 20)),))
    (problem,) = import_chats(store, large).problems
    assert "larger than 1 MB" in str(problem)


@pytest.mark.parametrize("version", [0, 13])
def test_an_unknown_version_is_a_sentence(store: ChatStore, tmp_path: Path, version: int) -> None:
    path = gpt4all_files.write(tmp_path / "a.chat", 12)
    path.write_bytes(path.read_bytes()[:4] + version.to_bytes(4, "big") + path.read_bytes()[8:])
    (problem,) = import_chats(store, path).problems
    assert "version" in str(problem)
