"""Search: words, phrases, CJK pieces, accents, hostile input, and an index that follows every change."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.protocol.values import Role
from engine.store.chat_values import MessageState
from engine.store.chats import ChatStore
from engine.store.search_query import grams, parse, snippet


def found(store: ChatStore, text: str) -> set[str | None]:
    return {hit.message_id for hit in store.search(text)}


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("The quick brown fox", "quick"),
        ("The quick brown fox", "QUI"),
        ("The quick brown fox", "fox quick"),
        ("Plan A is good", "a"),
        ("The quick brown fox", '"quick brown"'),
        ("The quick brown fox", '"quick bro'),
        ("call my_function(x)", "my_function"),
        ("call my_function(x)", "func"),
        ("Un café à Zürich", "cafe zurich"),
        ("Un cafe", "CAFÉ"),
        ("人工智能和机器学习的区别", "学习"),
        ("人工智能和机器学习的区别", "机器学习"),
        ("人工智能和机器学习的区别", "别"),
        ("人工智能和机器学习的区别", "人"),
        ("用Python写的程序", "python"),
        ("用Python写的程序", "Python写"),
        ("東京タワーへ行きました", "タワ"),
        ("안녕하세요 세계", "하세"),
        ("an arrow → here", "→"),
        ("a party 🎉 now", "🎉"),
        ("C:\\Users\\me", "users\\me"),
        ("it's 100% 'quoted'", "'quoted'"),
    ],
)
def test_it_is_found_and_highlighted(store: ChatStore, content: str, query: str) -> None:
    chat = store.create_chat()
    store.add_message(chat.id, Role.USER, "something else entirely")
    message = store.add_message(chat.id, Role.USER, content)
    (hit,) = store.search(query)
    assert hit.message_id == message.id
    assert hit.snippet == content
    assert hit.highlights
    assert all(0 <= a < b <= len(content) for a, b in hit.highlights)


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("The quick brown fox", '"brown quick"'),
        ("The quick brown fox", '"quick bro"'),
        ("The quick brown fox", "uick"),
        ("The quick brown fox", "q"),
        ("人工智能和机器学习的区别", "习机"),
        ("人工智能", "智人"),
        ("anything", ""),
        ("anything", "   "),
    ],
)
def test_it_is_not_found(store: ChatStore, content: str, query: str) -> None:
    chat = store.create_chat()
    store.add_message(chat.id, Role.USER, content)
    assert store.search(query) == []


def test_the_highlight_covers_what_was_asked(store: ChatStore) -> None:
    chat = store.create_chat()
    store.add_message(chat.id, Role.USER, "Über " + "padding " * 40 + "the Größe\nof 模型 things " + "tail " * 60)
    (hit,) = store.search("GRÖßE")
    assert hit.snippet.startswith("…")
    assert hit.snippet.endswith("…")
    assert "\n" not in hit.snippet
    assert [hit.snippet[a:b] for a, b in hit.highlights] == ["Größe"]


def test_titles_come_first(store: ChatStore) -> None:
    chat = store.create_chat(title="Baking bread")
    message = store.add_message(chat.id, Role.USER, "How long is bread baked?")
    title, body = store.search("bread")
    assert (title.message_id, title.chat_title, title.snippet) == (None, "Baking bread", "Baking bread")
    assert (body.message_id, body.role) == (message.id, Role.USER)
    store.update_chat(chat.id, title="Backen")
    assert [hit.message_id for hit in store.search("bread")] == [message.id]
    assert [hit.message_id for hit in store.search("backen")] == [None]


def test_of_two_equal_messages_the_later_comes_first(store: ChatStore) -> None:
    chat = store.create_chat()
    old = store.add_message(chat.id, Role.USER, "same words", created_at=1_000_000_000.0)
    new = store.add_message(chat.id, Role.USER, "same words")
    assert [hit.message_id for hit in store.search("words")] == [new.id, old.id]
    assert [hit.message_id for hit in store.search("words", limit=1)] == [new.id]


def test_the_index_follows_every_change(store: ChatStore) -> None:
    chat = store.create_chat(title="t")
    message = store.add_message(chat.id, Role.ASSISTANT, state=MessageState.STREAMING)
    store.update_message(message.id, content="walrus")
    assert found(store, "walrus") == set()
    store.update_message(message.id, content="walrus and seal", state=MessageState.COMPLETE)
    assert found(store, "walrus") == found(store, "seal") == {message.id}
    store.update_message(message.id, content="penguin")
    assert (found(store, "walrus"), found(store, "penguin")) == (set(), {message.id})
    deletion = store.delete_message(message.id)
    assert found(store, "penguin") == set()
    store.undo(deletion)
    assert found(store, "penguin") == {message.id}
    store.delete_chat(chat.id)
    assert found(store, "penguin") == set()
    store.restore_chat(chat.id)
    assert found(store, "penguin") == {message.id}
    store.delete_chat(chat.id)
    store.purge(max_age_days=0)
    assert found(store, "penguin") == set()
    assert store._db.is_index_sound()


def test_a_broken_index_is_mended(store: ChatStore) -> None:
    chat = store.create_chat(title="t")
    message = store.add_message(chat.id, Role.USER, "walrus")
    store._db.write("DELETE FROM message_index_data WHERE id > 10")
    assert not store._db.is_index_sound()
    store.mend_index()
    assert store._db.is_index_sound()
    assert found(store, "walrus") == {message.id}


@given(text=st.text(max_size=80) | st.text(alphabet="\"*^-()+:{}NEAR AND OR NOT \\\0'%_学习a", max_size=40))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_no_input_is_an_error(store: ChatStore, text: str) -> None:
    store.search(text)


@given(
    text=st.text(alphabet="学习机器模型 abcé.\n", min_size=1, max_size=60),
    start=st.integers(0, 59),
    length=st.integers(1, 6),
)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_piece_of_cjk_text_is_found(store: ChatStore, text: str, start: int, length: int) -> None:
    piece = text[start : start + length]
    if not piece or any(character not in "学习机器模型" for character in piece):
        return
    chat = store.create_chat()
    message = store.add_message(chat.id, Role.USER, text)
    hits = {hit.message_id: hit for hit in store.search(f'"{piece}"', limit=1000)}
    assert message.id in hits
    assert piece in {hits[message.id].snippet[a:b] for a, b in hits[message.id].highlights}
    store.delete_chat(chat.id)


def test_pairs() -> None:
    assert grams("plain text") == "plain text"
    assert grams("学习法a").split() == ["学习", "习法", "法", "a"]


def test_a_snippet_of_a_long_line_without_spaces() -> None:
    line, highlights = snippet("字" * 5000 + "模型" + "字" * 5000, parse("模型").pattern())
    assert [line[a:b] for a, b in highlights] == ["模型"]
    assert len(line) < 200
