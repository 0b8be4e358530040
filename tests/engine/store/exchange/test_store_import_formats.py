"""Importing each foreign format: what of a chat comes in, and what is said about the rest."""

from __future__ import annotations

from pathlib import Path

import chat_samples as samples
import msgspec
import pytest

from engine.protocol.values import Role
from engine.store.chat_values import Chat, MessageState
from engine.store.chats import ChatStore
from engine.store.exchange.import_report import ChatFormat, ImportReport
from engine.store.exchange.importer import import_chats


def only_chat(store: ChatStore, report: ImportReport) -> Chat:
    assert report.n_chats == 1, report
    (chat,) = store.chats()
    return chat


def lines(store: ChatStore, chat: Chat) -> list[tuple[Role, str]]:
    return [(message.role, message.content) for message in store.path(chat.id)]


def test_chatgpt(store: ChatStore, tmp_path: Path) -> None:
    report = import_chats(store, samples.write_json(tmp_path / "conversations.json", [samples.CHATGPT]))
    chat = only_chat(store, report)
    assert report.kinds == (ChatFormat.CHATGPT,)
    assert (chat.title, chat.is_archived, chat.source) == ("Rain in Lisbon", True, "chatgpt:conv-1")
    assert (chat.created_at, chat.updated_at) == (samples.AT, samples.AT + 90)
    assert lines(store, chat) == [(Role.USER, "Does it rain?"), (Role.ASSISTANT, "Rarely in July. 【好】")]
    answer = store.path(chat.id)[1]
    assert (answer.reasoning, answer.model_name) == ("**Weather**\nCheck it.", "gpt-4o")
    first, second = store.siblings(answer.id)
    assert (first.content, first.model_name, second.id) == ("Sometimes.", "gpt-4", answer.id)
    odd, picture = store.children(first.id)
    assert '"new_thing"' in odd.content
    assert (picture.content, picture.attachments[0].name) == ("What is this?", "file-X")
    assert any(str(problem).startswith("Images left out: 1.") for problem in report.problems)
    assert "Tool calls and results left out: 2." in map(str, report.problems)


def test_chatgpt_split_archive_in_a_folder(store: ChatStore, tmp_path: Path) -> None:
    second = {**samples.CHATGPT, "conversation_id": "conv-2", "title": None}
    archive = samples.write_zip(
        tmp_path / "export.zip",
        {
            "export/conversations-000.json": [samples.CHATGPT],
            "export/conversations-001.json": [second],
            "__MACOSX/export/._conversations-000.json": b"\x00\x05\x16\x07",
            "export/user.json": {"id": "u"},
            "export/message_feedback.json": [],
            "export/chat.html": "<html></html>",
        },
    )
    report = import_chats(store, archive)
    assert (report.n_chats, report.n_messages, report.n_skipped) == (2, 10, 0)
    assert {chat.title for chat in store.chats()} == {"Rain in Lisbon", "Does it rain?"}
    assert not any("could not be read" in str(problem) for problem in report.problems)


@pytest.mark.parametrize(
    "broken",
    [
        {"mapping": {"a": None, "b": {"message": {"content": None, "author": None}}}},
        {"mapping": {"a": {"message": samples.said("user", "hi", at=None), "parent": "a"}}, "current_node": "a"},
        {"mapping": {"a": {"message": samples.said("user", None, 7, "x"), "parent": "gone"}}, "current_node": 9},
        {"mapping": {}},
    ],
)
def test_chatgpt_with_missing_pieces(store: ChatStore, tmp_path: Path, broken: dict[str, object]) -> None:
    path = samples.write_json(tmp_path / "conversations.json", [broken, samples.CHATGPT])
    report = import_chats(store, path)
    assert report.n_skipped == 0
    assert "Rain in Lisbon" in {chat.title for chat in store.chats()}


def test_claude(store: ChatStore, tmp_path: Path) -> None:
    archive = samples.write_zip(tmp_path / "claude.zip", {"conversations.json": [samples.CLAUDE], "users.json": [{}]})
    report = import_chats(store, archive)
    chat = only_chat(store, report)
    assert (chat.title, chat.source) == ("Summarise this file, please", "claude:c-1")
    question, answer = store.path(chat.id)
    assert (question.attachments[0].text, question.attachments[1].name) == ("hello notes", "photo.png")
    assert (answer.content, answer.reasoning) == ("It says hello.", "It is short.")
    assert "Tool calls and results left out: 2." in map(str, report.problems)


def test_claude_branches(store: ChatStore, tmp_path: Path) -> None:
    first, second = samples.CLAUDE["chat_messages"]
    root = "00000000-0000-4000-8000-000000000000"
    again = {**second, "uuid": "m3", "parent_message_uuid": "m1", "content": [], "text": "Another answer."}
    chat = {
        **samples.CLAUDE,
        "chat_messages": [{**first, "parent_message_uuid": root}, {**second, "parent_message_uuid": "m1"}, again],
    }
    made = only_chat(store, import_chats(store, samples.write_json(tmp_path / "c.json", [chat])))
    head = store.path(made.id)[-1]
    assert [m.content for m in store.siblings(head.id)] == ["It says hello.", "Another answer."]


def test_lm_studio(store: ChatStore, tmp_path: Path) -> None:
    samples.write_json(tmp_path / "conversations" / "Fun" / "1750.conversation.json", samples.LM_STUDIO)
    report = import_chats(store, tmp_path / "conversations")
    chat = only_chat(store, report)
    assert (chat.title, chat.is_pinned, chat.system_prompt) == ("Poems", True, "You are a poet.")
    assert [folder.name for folder in store.folders()] == ["Fun"]
    assert chat.folder_id == store.folders()[0].id
    assert [text for _, text in lines(store, chat)] == ["A poem", "Roses are red", "Thanks"]
    answer = store.path(chat.id)[1]
    assert (answer.reasoning, answer.model_name, answer.finish_reason) == ("Rhyme.", "qwen3-4b", "length")
    assert answer.metrics is not None
    assert (answer.metrics.ttft, answer.metrics.decode_tps, answer.metrics.n_decoded) == (0.25, 50.0, 30)
    assert [m.content for m in store.siblings(answer.id)] == ["First try", "Roses are red"]


def test_jan(store: ChatStore, tmp_path: Path) -> None:
    folder = tmp_path / "threads" / "jan-1"
    samples.write_json(folder / "thread.json", samples.JAN_THREAD)
    samples.write_lines(folder / "messages.jsonl", samples.JAN_MESSAGES, extra='{"cut off')
    report = import_chats(store, tmp_path / "threads")
    chat = only_chat(store, report)
    assert (chat.title, chat.system_prompt, chat.source) == ("Jan chat", "Be kind.", "jan:jan-1")
    assert lines(store, chat) == [(Role.USER, "Hi Jan"), (Role.ASSISTANT, "Hello!")]
    answer = store.path(chat.id)[1]
    assert (answer.reasoning, answer.state, answer.model_name) == ("Greet.", MessageState.PARTIAL, "gemma-3")
    assert answer.created_at == samples.AT + 2
    assert "Places that are not JSON, skipped: 1." in map(str, report.problems)


@pytest.mark.parametrize("shape", ["rows", "one chat"])
def test_open_webui(store: ChatStore, tmp_path: Path, shape: str) -> None:
    value = [samples.OPEN_WEBUI] if shape == "rows" else samples.OPEN_WEBUI["chat"]
    report = import_chats(store, samples.write_json(tmp_path / "chats.json", value))
    chat = only_chat(store, report)
    assert report.kinds == (ChatFormat.OPEN_WEBUI,)
    assert (chat.title, chat.is_pinned, chat.system_prompt) == ("Colours", shape == "rows", "Name colours.")
    assert lines(store, chat) == [(Role.USER, "A colour?"), (Role.ASSISTANT, "Green")]
    question, answer = store.path(chat.id)
    assert question.attachments[0].text == "red"
    assert (answer.reasoning, answer.reasoning_seconds, answer.model_name) == ("Pick one.", 4.0, "Llama 3")
    assert [m.content for m in store.siblings(answer.id)] == ["Blue", "Green"]


def test_silly_tavern(store: ChatStore, tmp_path: Path) -> None:
    path = samples.write_lines(tmp_path / "Ada.jsonl", samples.SILLY_TAVERN, extra="not json\n")
    report = import_chats(store, path)
    chat = only_chat(store, report)
    assert (chat.title, chat.source) == ("Ada 2025-06-15", "silly_tavern:st-1")
    assert [text for _, text in lines(store, chat)] == ["Hello, I am Ada.", "Tell me more", "Edited by hand", "Good"]
    answer = store.path(chat.id)[2]
    versions = store.siblings(answer.id)
    assert [(m.content, m.model_name) for m in versions] == [("One", "m1"), ("Two", "m2"), ("Edited by hand", "m3")]
    assert (answer.reasoning, answer.reasoning_seconds) == ("Hm", 1.5)
    assert "Hidden system messages left out: 1." in map(str, report.problems)


@pytest.mark.parametrize("shape", ["object", "bare list", "lines", "array"])
def test_openai_messages(store: ChatStore, tmp_path: Path, shape: str) -> None:
    path = tmp_path / ("m.jsonl" if shape == "lines" else "m.json")
    if shape == "lines":
        samples.write_lines(path, [samples.OPENAI], extra="broken\n")
    else:
        values = {"object": samples.OPENAI, "bare list": samples.OPENAI["messages"], "array": [samples.OPENAI]}
        samples.write_json(path, values[shape])
    report = import_chats(store, path)
    chat = only_chat(store, report)
    assert chat.system_prompt == "Be brief."
    assert lines(store, chat) == [(Role.USER, "Look"), (Role.ASSISTANT, "It is 42.")]
    assert "Tool calls and results left out: 2." in map(str, report.problems)
    assert any("not JSON" in str(problem) for problem in report.problems) == (shape == "lines")


@pytest.mark.parametrize("shape", ["object", "bare list", "lines"])
def test_sharegpt(store: ChatStore, tmp_path: Path, shape: str) -> None:
    path = tmp_path / ("m.jsonl" if shape == "lines" else "m.json")
    if shape == "lines":
        samples.write_lines(path, [samples.SHAREGPT])
    else:
        samples.write_json(path, samples.SHAREGPT if shape == "object" else samples.SHAREGPT["conversations"])
    chat = only_chat(store, import_chats(store, path))
    assert lines(store, chat) == [(Role.USER, "Hi"), (Role.ASSISTANT, "Hello")]


@pytest.mark.parametrize("shape", ["png", "png with both", "json", "charx", "version 1"])
def test_character_cards(store: ChatStore, tmp_path: Path, shape: str) -> None:
    version_3 = {**samples.CARD_V2, "spec": "chara_card_v3", "spec_version": "3.0"}
    path = tmp_path / "card"
    if shape.startswith("png"):
        cards: dict[str, object] = {"chara": samples.CARD_V2}
        if shape == "png with both":
            cards = {"chara": {"name": "Old"}, "ccv3": version_3}
        path.with_suffix(".png").write_bytes(samples.png_with(cards))
        path = path.with_suffix(".png")
    elif shape == "charx":
        path = samples.write_zip(path.with_suffix(".charx"), {"card.json": version_3, "assets/x.png": b""})
    else:
        path = samples.write_json(
            path.with_suffix(".json"), samples.CARD_V2["data"] if "1" in shape else samples.CARD_V2
        )
    report = import_chats(store, path)
    assert (report.n_chats, report.problems) == (0, ())
    (character,) = report.characters
    assert character.name == "Ada"
    assert character.greetings == ("Hello, User.", "Good day.")
    assert "Ada likes engines." in character.system_prompt
    assert "User visits." in character.system_prompt
    assert "Ada: Indeed." in character.system_prompt
    assert "{{" not in character.system_prompt
    assert "Never for the model" not in character.system_prompt
    assert (character.post_history, character.creator_notes) == ("Stay Ada.", "Never for the model.")
    assert "other/tool" in msgspec.json.encode(character.card).decode()


def test_a_picture_without_a_card(store: ChatStore, tmp_path: Path) -> None:
    path = tmp_path / "holiday.png"
    path.write_bytes(samples.png_with({}))
    (problem,) = import_chats(store, path).problems
    assert "no character card" in str(problem)
