"""Chats, folders, drafts and summaries: made, changed, deleted, brought back and purged."""

from __future__ import annotations

import pytest

from engine.errors import Code, StorageError
from engine.protocol.values import ContextPolicy, Role
from engine.store.chat_values import Attachment, Draft, MessageState
from engine.store.chats import ChatStore


def titles(store: ChatStore) -> list[str]:
    return [chat.title for chat in store.chats()]


def test_chats_are_listed_latest_first(store: ChatStore) -> None:
    first = store.create_chat(title="first")
    store.create_chat(title="second")
    assert titles(store) == ["second", "first"]
    store.add_message(first.id, Role.USER, "again")
    assert titles(store) == ["first", "second"]


def test_a_chat_keeps_its_settings(store: ChatStore) -> None:
    chat = store.create_chat(title="t", preset="Coder", system_prompt="Be brief.", context_policy=ContextPolicy.STOP)
    assert store.chat(chat.id) == chat
    changed = store.update_chat(chat.id, is_pinned=True, is_archived=True, system_prompt=None, context_policy=None)
    assert (changed.is_pinned, changed.is_archived, changed.system_prompt, changed.context_policy) == (
        True,
        True,
        None,
        None,
    )
    assert changed.updated_at == chat.updated_at
    with pytest.raises(TypeError, match="head_id"):
        store.update_chat(chat.id, head_id="x")  # type: ignore[call-arg]


def test_a_deleted_chat_comes_back(store: ChatStore) -> None:
    chat = store.create_chat(title="t")
    store.add_message(chat.id, Role.USER, "hello")
    store.delete_chat(chat.id)
    assert store.chats() == []
    assert store.chat(chat.id).deleted_at is not None
    assert store.restore_chat(chat.id).deleted_at is None
    assert titles(store) == ["t"]
    assert len(store.path(chat.id)) == 1


def test_purge_takes_only_what_is_old_enough(store: ChatStore) -> None:
    kept = store.create_chat(title="kept")
    made = [store.add_message(kept.id, Role.USER, text) for text in "abcd"]
    gone = store.create_chat(title="gone")
    store.add_message(gone.id, Role.USER, "secret")
    store.set_draft(gone.id, "unsent")
    store.delete_chat(gone.id)
    deletion = store.delete_message(made[1].id)
    store.delete_message(made[2].id)
    assert store.purge() == 0
    assert store.purge(max_age_days=0) == 1
    with pytest.raises(StorageError, match="no longer exists"):
        store.chat(gone.id)
    with pytest.raises(StorageError, match="no longer exists"):
        store.undo(deletion)
    assert store.drafts() == {}
    assert [m.content for m in store.path(kept.id)] == ["a", "d"]
    assert store.messages(kept.id)[1].parent_id == made[0].id


def test_deleted_text_is_not_left_in_the_file(store: ChatStore) -> None:
    chat = store.create_chat(title="t")
    store.add_message(chat.id, Role.USER, "the-secret-passphrase " * 50)
    store.delete_chat(chat.id)
    store.purge(max_age_days=0)
    store.close()
    assert store.file is not None
    assert b"the-secret-passphrase" not in store.file.read_bytes()


def test_a_chat_is_duplicated_from_a_point(store: ChatStore) -> None:
    chat = store.create_chat(title="t", system_prompt="s")
    question = store.add_message(chat.id, Role.USER, "q", attachments=(Attachment(name="a.txt", text="x", n_bytes=1),))
    answer = store.add_message(chat.id, Role.ASSISTANT, "a", reasoning="r", model_name="m")
    store.add_message(chat.id, Role.USER, "later")
    copy = store.duplicate_chat(chat.id, up_to=answer.id, title="copy")
    path = store.path(copy.id)
    assert [(m.content, m.reasoning, m.model_name) for m in path] == [("q", "", ""), ("a", "r", "m")]
    assert path[0].attachments == question.attachments
    assert path[0].id != question.id
    assert (copy.title, copy.system_prompt, copy.head_id) == ("copy", "s", path[1].id)
    store.add_message(copy.id, Role.USER, "other way")
    assert [m.content for m in store.path(chat.id)] == ["q", "a", "later"]


def test_folders_hold_chats_and_never_take_them_along(store: ChatStore) -> None:
    work = store.create_folder("Work")
    store.create_folder("家")
    chat = store.create_chat(folder_id=work.id)
    assert [f.name for f in store.folders()] == ["Work", "家"]
    work = store.update_folder(work.id, name="Job", is_collapsed=True)
    assert (work.name, work.is_collapsed, work.position) == ("Job", True, 0)
    inside = store.delete_folder(work.id)
    assert inside == [chat.id]
    assert store.chat(chat.id).folder_id is None
    store.restore_folder(work, inside)
    assert store.chat(chat.id).folder_id == work.id
    with pytest.raises(StorageError) as caught:
        store.update_chat(chat.id, folder_id="nothing")
    assert caught.value.code is Code.BAD_REQUEST
    with pytest.raises(StorageError, match="no longer exists"):
        store.update_folder("nothing", name="x")


def test_drafts_survive_a_restart(store: ChatStore) -> None:
    chat = store.create_chat()
    file = Attachment(name="a.txt", text="x", n_bytes=1)
    store.set_draft("", "for a new chat")
    store.set_draft(chat.id, "for this chat", (file,))
    store.close()
    assert store.file is not None
    again = ChatStore(store.file)
    assert again.draft() == Draft(text="for a new chat")
    assert again.draft(chat.id) == Draft(text="for this chat", attachments=(file,))
    again.set_draft(chat.id, "")
    assert set(again.drafts()) == {""}
    again.close()


def test_a_summary_can_be_edited_and_made_anew(store: ChatStore) -> None:
    chat = store.create_chat()
    first = store.add_message(chat.id, Role.USER, "long story")
    made = store.add_summary(chat.id, "They told a story.", first.id)
    assert store.summaries(chat.id) == [made]
    edited = store.edit_summary(made.id, "A story was told.")
    assert (edited.text, edited.is_edited) == ("A story was told.", True)
    renewed = store.add_summary(chat.id, "Story.", first.id)
    assert store.summaries(chat.id) == [renewed]
    with pytest.raises(StorageError, match="no longer exists"):
        store.edit_summary(made.id, "x")


def test_interrupted_answers_are_closed(store: ChatStore) -> None:
    chat = store.create_chat()
    some = store.add_message(chat.id, Role.ASSISTANT, "Half an ans", state=MessageState.STREAMING)
    none = store.add_message(chat.id, Role.ASSISTANT, state=MessageState.STREAMING)
    assert store.finish_interrupted() == 2
    assert store.message(some.id).state is MessageState.PARTIAL
    assert store.message(none.id).state is MessageState.FAILED
    assert "before this answer was complete" in store.message(some.id).note
