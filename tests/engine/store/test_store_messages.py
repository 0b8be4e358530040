"""The tree of messages: versions, edits, deleting and undoing, as one shape and as rows."""

from __future__ import annotations

import pytest

from engine.errors import StorageError
from engine.metrics import Itl, RequestMetrics
from engine.protocol.values import EffectiveSettings, KvType, Role
from engine.store.chat_values import Attachment, MessageState, StoredMessage
from engine.store.chats import ChatStore
from engine.store.exchange.exporter import Format, page


def texts(messages: list[StoredMessage]) -> list[str]:
    return [message.content for message in messages]


def test_messages_follow_each_other(store: ChatStore) -> None:
    chat = store.create_chat()
    question = store.add_message(chat.id, Role.USER, "Why?")
    answer = store.add_message(chat.id, Role.ASSISTANT, "Because.")
    assert store.path(chat.id) == [question, answer]
    assert answer.parent_id == question.id
    assert store.chat(chat.id).head_id == answer.id
    assert store.versions(chat.id) == {}


def test_everything_about_a_message_is_kept(store: ChatStore) -> None:
    chat = store.create_chat()
    sent = store.add_message(
        chat.id,
        Role.USER,
        "See file",
        attachments=(Attachment(name="a b.py", mime="text/x-python", text="x = 1", n_bytes=5, path="/tmp/a b.py"),),
    )
    answer = store.add_message(chat.id, Role.ASSISTANT, state=MessageState.STREAMING, model_name="SmolLM2")
    itl = Itl(mean=0.02, p50=0.02, p90=0.03, p95=0.04, p99=0.05, max=0.06)
    changed = store.update_message(
        answer.id,
        content="Done.",
        reasoning="Let me look.",
        state=MessageState.COMPLETE,
        finish_reason="stop",
        note="It stopped by itself.",
        metrics=RequestMetrics(ttft=0.1, n_decoded=3, itl=itl, cache_miss_reason="new chat"),
        perceived_ttft=0.12,
        effective=EffectiveSettings(model_name="SmolLM2", type_k=KvType.Q8_0, flash_attn=True),
        reasoning_seconds=1.5,
        is_pinned=True,
    )
    assert changed
    read = store.message(answer.id)
    assert (read.content, read.reasoning, read.state, read.finish_reason) == (
        "Done.",
        "Let me look.",
        MessageState.COMPLETE,
        "stop",
    )
    assert read.metrics is not None
    assert read.metrics.itl == itl
    assert read.metrics.tpot is None
    assert read.effective is not None
    assert read.effective.type_k is KvType.Q8_0
    assert (read.perceived_ttft, read.reasoning_seconds, read.is_pinned) == (0.12, 1.5, True)
    assert read.note == "It stopped by itself."
    assert store.message(sent.id) == sent


@pytest.mark.parametrize(
    "text", ["null", '{"ttft": null}', '{"n_decoded": null}', '{"n_ctx": "x"}', "[null]", "{", "NaN", "\0"]
)
def test_readings_that_cannot_be_read_cost_nothing_else(store: ChatStore, text: str) -> None:
    """Another version, or a fault, wrote them: the chat is opened, exported and answered all the same."""
    chat = store.create_chat(title="Trip")
    store.add_message(chat.id, Role.USER, "Rain?")
    store.add_message(chat.id, Role.ASSISTANT, "Rarely.", metrics=RequestMetrics(), effective=EffectiveSettings())
    for column in ("metrics", "effective", "attachments", "note", "finish_reason"):
        store._db.write(f"UPDATE messages SET {column} = ?", text)
    assert texts(store.path(chat.id)) == texts(store.messages(chat.id)) == ["Rain?", "Rarely."]
    assert store.search("rarely")
    assert page(store, chat.id, Format.HTML).count("Rarely.") == 1
    assert page(store, store.duplicate_chat(chat.id).id, Format.MARKDOWN).count("Rarely.") == 1


def test_an_edit_is_another_version(store: ChatStore) -> None:
    chat = store.create_chat()
    question = store.add_message(chat.id, Role.USER, "A")
    store.add_message(chat.id, Role.ASSISTANT, "a")
    edited = store.edit_message(question.id, "B")
    assert texts(store.path(chat.id)) == ["B"]
    assert texts(store.siblings(edited.id)) == ["A", "B"]
    assert store.versions(chat.id) == {edited.id: (question.id, edited.id)}


def test_coming_back_to_a_version_finds_its_last_used_end(store: ChatStore) -> None:
    chat = store.create_chat()
    question = store.add_message(chat.id, Role.USER, "A")
    first = store.add_message(chat.id, Role.ASSISTANT, "a1")
    store.add_message(chat.id, Role.USER, "more")
    store.add_message(chat.id, Role.ASSISTANT, "a2", parent_id=question.id)
    other = store.edit_message(question.id, "B")
    store.add_message(chat.id, Role.ASSISTANT, "b")
    store.set_head(first.id)
    assert texts(store.path(chat.id)) == ["A", "a1", "more"]
    store.set_head(other.id)
    assert texts(store.path(chat.id)) == ["B", "b"]
    store.set_head(question.id)
    assert texts(store.path(chat.id)) == ["A", "a1", "more"]
    assert texts(store.children(question.id)) == ["a1", "a2"]


def test_what_follows_a_deleted_message_follows_its_parent(store: ChatStore) -> None:
    chat = store.create_chat()
    first = store.add_message(chat.id, Role.USER, "1")
    second = store.add_message(chat.id, Role.ASSISTANT, "2")
    third = store.add_message(chat.id, Role.USER, "3")
    deletion = store.delete_message(second.id)
    assert texts(store.path(chat.id)) == ["1", "3"]
    assert [m.parent_id for m in store.messages(chat.id)] == [None, first.id]
    store.undo(deletion)
    assert texts(store.path(chat.id)) == ["1", "2", "3"]
    assert store.message(third.id).parent_id == second.id


def test_deletes_are_undone_in_any_order(store: ChatStore) -> None:
    chat = store.create_chat()
    made = [store.add_message(chat.id, Role.USER, str(i)) for i in range(4)]
    deletions = [store.delete_message(made[i].id) for i in (1, 3, 2)]
    assert texts(store.path(chat.id)) == ["0"]
    store.undo(deletions[0])
    store.undo(deletions[2])
    store.undo(deletions[1])
    assert texts(store.path(chat.id)) == ["0", "1", "2", "3"]


def test_deleting_the_shown_version_shows_another(store: ChatStore) -> None:
    chat = store.create_chat()
    question = store.add_message(chat.id, Role.USER, "q")
    store.add_message(chat.id, Role.ASSISTANT, "one")
    two = store.add_message(chat.id, Role.ASSISTANT, "two", parent_id=question.id)
    deletion = store.delete_message(two.id)
    assert texts(store.path(chat.id)) == ["q", "one"]
    store.undo(deletion)
    assert texts(store.path(chat.id)) == ["q", "two"]


def test_a_message_goes_with_all_that_follows(store: ChatStore) -> None:
    chat = store.create_chat()
    store.add_message(chat.id, Role.USER, "1")
    second = store.add_message(chat.id, Role.ASSISTANT, "2")
    store.add_message(chat.id, Role.USER, "3")
    deletion = store.delete_message(second.id, with_replies=True)
    assert texts(store.path(chat.id)) == ["1"]
    store.undo(deletion)
    assert texts(store.path(chat.id)) == ["1", "2", "3"]


def test_an_emptied_chat_goes_on(store: ChatStore) -> None:
    chat = store.create_chat()
    only = store.add_message(chat.id, Role.USER, "1")
    store.delete_message(only.id)
    assert store.path(chat.id) == []
    assert store.chat(chat.id).head_id is None
    store.add_message(chat.id, Role.USER, "new")
    assert texts(store.path(chat.id)) == ["new"]


def test_what_is_gone_is_said(store: ChatStore) -> None:
    chat = store.create_chat()
    assert not store.update_message("nothing", content="x")
    with pytest.raises(StorageError, match="no longer exists"):
        store.message("nothing")
    with pytest.raises(StorageError, match="no longer exists"):
        store.add_message("nothing", Role.USER, "x")
    with pytest.raises(StorageError, match="no longer exists"):
        store.add_message(chat.id, Role.USER, "x", parent_id="nothing")
    with pytest.raises(StorageError, match="no longer exists"):
        store.undo("nothing")
    with pytest.raises(TypeError, match="chat_id"):
        store.update_message("nothing", chat_id="x")  # type: ignore[call-arg]


def test_a_lone_surrogate_is_stored_as_a_question_mark(store: ChatStore) -> None:
    chat = store.create_chat()
    message = store.add_message(chat.id, Role.USER, "broken \ud83d input")
    assert store.message(message.id).content == "broken ? input"


def test_an_undo_shows_what_was_written_meanwhile(store: ChatStore) -> None:
    chat = store.create_chat()
    question = store.add_message(chat.id, Role.USER, "Why?")
    deletion = store.delete_message(question.id)
    answer = store.add_message(chat.id, Role.ASSISTANT, "Because.", parent_id=question.id)
    store.undo(deletion)
    assert texts(store.path(chat.id)) == ["Why?", "Because."]
    store.delete_message(question.id)
    assert store.chat(chat.id).head_id == answer.id


def test_an_undo_shows_the_only_message_there_is(store: ChatStore) -> None:
    chat = store.create_chat()
    question = store.add_message(chat.id, Role.USER, "Why?")
    answer = store.add_message(chat.id, Role.ASSISTANT, "Because.")
    deletion = store.delete_message(question.id)
    store.delete_message(answer.id)
    store.undo(deletion)
    assert texts(store.path(chat.id)) == ["Why?"]
