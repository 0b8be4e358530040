"""Exporting: our own file loses nothing on its way back; Markdown and HTML read well and can do no harm."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import StorageError
from engine.metrics import Itl, RequestMetrics
from engine.protocol.values import ContextPolicy, EffectiveSettings, Role
from engine.store.chat_values import Attachment, Chat, MessageState, StoredMessage, Summary
from engine.store.chats import ChatStore
from engine.store.exchange.exporter import Format, export_chats, exported, file_name, page
from engine.store.exchange.importer import import_chats
from engine.store.exchange.own_format import ExportedChat

# SQLite keeps what UTF-8 can say: no lone surrogates.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
times = st.floats(1e9, 2e9)
finite = st.floats(0, 1e6)
itls = st.builds(Itl, mean=finite, p50=finite, p90=finite, p95=finite, p99=finite, max=finite)
readings = st.builds(
    RequestMetrics,
    ttft=st.none() | finite,
    itl=st.none() | itls,
    gap_histogram=st.dictionaries(st.integers(0, 400), st.integers(1, 1000), max_size=3),
    n_decoded=st.integers(0, 1 << 40),
    cache_miss_reason=texts,
)
attachments = st.builds(Attachment, name=texts, mime=texts, text=texts, n_bytes=st.integers(0, 1 << 40), path=texts)


@st.composite
def chats(draw: st.DrawFn) -> ExportedChat:
    n = draw(st.integers(0, 8))
    ids = [f"m{i}" for i in range(n)]
    messages = tuple(
        StoredMessage(
            id=ids[i],
            chat_id="c",
            parent_id=draw(st.sampled_from([None, *ids[:i]])),
            role=draw(st.sampled_from(Role)),
            content=draw(texts),
            reasoning=draw(texts),
            state=draw(st.sampled_from([MessageState.COMPLETE, MessageState.PARTIAL, MessageState.FAILED])),
            finish_reason=draw(st.none() | st.sampled_from(["stop", "length", "cancelled"])),
            note=draw(texts),
            metrics=draw(st.none() | readings),
            perceived_ttft=draw(st.none() | finite),
            effective=draw(st.none() | st.builds(EffectiveSettings, model_name=texts, n_ctx=st.integers(0, 1 << 20))),
            model_name=draw(texts),
            created_at=draw(times),
            reasoning_seconds=draw(st.none() | finite),
            attachments=tuple(draw(st.lists(attachments, max_size=2))),
            is_pinned=draw(st.booleans()),
        )
        for i in range(n)
    )
    created = draw(times)
    chat = Chat(
        id="c",
        title=draw(texts),
        created_at=created,
        updated_at=created + 1,
        is_pinned=draw(st.booleans()),
        is_archived=draw(st.booleans()),
        preset=draw(texts),
        system_prompt=draw(st.none() | texts),
        head_id=draw(st.sampled_from(ids)) if ids else None,
        context_policy=draw(st.none() | st.sampled_from(ContextPolicy)),
        is_math_on=draw(st.none() | st.booleans()),
        source=draw(texts),
    )
    summaries = tuple(
        Summary(id=f"s{i}", chat_id="c", text=draw(texts), covers_to=draw(st.sampled_from(ids)), created_at=created + i)
        for i in range(draw(st.integers(0, 2)) if ids else 0)
    )
    return ExportedChat(chat=chat, messages=messages, summaries=summaries)


@given(original=chats())
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_a_round_trip_loses_nothing(tmp_path: Path, original: ExportedChat) -> None:
    file = tmp_path / "chats.json"
    first, second = ChatStore(None), ChatStore(None)
    first.add_chat(original.chat, original.messages, original.summaries)
    export_chats(first, ["c"], file, Format.JSON)
    report = import_chats(second, file)
    assert (report.n_chats, report.problems) == (1, ())
    assert exported(second, "c") == exported(first, "c") == original
    first.close()
    second.close()


@pytest.fixture
def chat(store: ChatStore) -> Chat:
    """A chat with versions, reasoning, an attachment, readings, and text that would like to break out."""
    folder = store.create_folder("Work")
    chat = store.create_chat(title="<b>Rain & snow</b>", folder_id=folder.id, system_prompt="Be <i>brief</i>.")
    file = Attachment(
        name="a<b>.md", mime="text/markdown", text="```\n</code></pre><script>x()</script>\n```", n_bytes=9
    )
    question = store.add_message(chat.id, Role.USER, "Is <script>alert(1)</script> safe?", attachments=(file,))
    store.add_message(chat.id, Role.ASSISTANT, "first version")
    store.add_message(
        chat.id,
        Role.ASSISTANT,
        "**No** <img src=x onerror=alert(1)>\n\n![pic](https://example.org/p.png)\n\n[go](javascript:alert(1))\n\n|a|b|\n|-|-|\n|1|2|",
        parent_id=question.id,
        reasoning="Think <hard>.",
        model_name="SmolLM2 <135M>",
        metrics=RequestMetrics(ttft=0.5, decode_tps=42.0, n_decoded=7),
        perceived_ttft=0.25,
        note="Cut & dried.",
    )
    return store.chat(chat.id)


def test_a_page_of_html_can_do_no_harm(store: ChatStore, chat: Chat) -> None:
    html = page(store, chat.id, Format.HTML)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    for forbidden in ("<script", "<img", "<b>", "<i>", "<hard>", 'href="javascript', ' src="'):
        assert forbidden not in html
    assert set(re.findall(r'href="([^"]*)"', html)) == {"https://example.org/p.png"}
    assert "default-src 'none'" in html
    for expected in (
        "<strong>No</strong>",
        "<table>",
        "first token after 0.25 s · 42.0 tok/s · 7 tokens",
        "Cut &amp; dried.",
    ):
        assert expected in html
    assert "first version" not in html


def test_markdown_keeps_the_text_as_it_is(store: ChatStore, chat: Chat) -> None:
    text = page(store, chat.id, Format.MARKDOWN)
    assert text.startswith("# <b>Rain & snow</b>\n")
    assert "## You\n\nIs <script>alert(1)</script> safe?" in text
    assert "<details><summary>Reasoning</summary>\n\nThink <hard>.\n\n</details>" in text
    assert "````\n```\n</code>" in text
    assert "*SmolLM2 <135M> · first token after 0.25 s · 42.0 tok/s · 7 tokens*" in text


def test_many_chats_become_files_with_names_every_system_takes(store: ChatStore, tmp_path: Path) -> None:
    titles = ["a/b: c?", "A/B: C?", "con", "", "..", "聊" * 200, "x" * 300]
    ids = [store.create_chat(title=title).id for title in titles]
    seen: list[tuple[int, int]] = []
    files = export_chats(store, ids, tmp_path / "out", Format.MARKDOWN, on_exported=lambda a, b: seen.append((a, b)))
    names = [file.name for file in files]
    assert names[:5] == ["a b c.md", "A B C (2).md", "_con.md", "Chat.md", "Chat (2).md"]
    assert all(file.exists() and len(file.name.encode()) < 255 for file in files)
    assert seen == [(i + 1, 7) for i in range(7)]
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == sorted(names)


def test_folders_and_versions_come_back(store: ChatStore, chat: Chat, tmp_path: Path) -> None:
    (file,) = export_chats(store, [chat.id], tmp_path / "x.json", Format.JSON)
    other = ChatStore(None)
    import_chats(other, file)
    assert [folder.name for folder in other.folders()] == ["Work"]
    assert len(other.messages(chat.id)) == 3
    assert other.siblings(other.path(chat.id)[-1].id)[0].content == "first version"
    assert import_chats(other, file).n_duplicates == 1
    other.close()


def test_a_deleted_chat_can_be_imported_again_beside_its_remains(store: ChatStore, chat: Chat, tmp_path: Path) -> None:
    (file,) = export_chats(store, [chat.id], tmp_path / "x.json", Format.JSON)
    store.delete_chat(chat.id)
    (again,) = import_chats(store, file).chat_ids
    assert again != chat.id
    assert import_chats(store, file).n_duplicates == 1
    store.restore_chat(chat.id)
    assert len(store.chats()) == 2


def test_deleted_messages_are_not_exported(store: ChatStore, tmp_path: Path) -> None:
    chat = store.create_chat()
    made = [store.add_message(chat.id, Role.USER, text) for text in ("one", "secret", "three")]
    store.delete_message(made[1].id)
    (file,) = export_chats(store, [chat.id], tmp_path / "x.json", Format.JSON)
    assert b"secret" not in file.read_bytes()
    other = ChatStore(None)
    import_chats(other, file)
    assert [m.content for m in other.path(chat.id)] == ["one", "three"]
    other.close()


def test_a_newer_file_is_not_guessed_at(store: ChatStore, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"format": "firstlight-chats", "version": 2, "chats": [{"chat": 1}]}')
    (problem,) = import_chats(store, path).problems
    assert "newer Firstlight" in str(problem)


def test_one_bad_chat_does_not_stop_the_others(store: ChatStore, chat: Chat, tmp_path: Path) -> None:
    (file,) = export_chats(store, [chat.id], tmp_path / "x.json", Format.JSON)
    value = msgspec.json.decode(file.read_bytes())
    value["chats"] = [{"chat": {"id": "x"}, "messages": []}, *value["chats"]]
    file.write_bytes(msgspec.json.encode(value))
    other = ChatStore(None)
    report = import_chats(other, file)
    assert (report.n_chats, report.n_skipped, len(report.problems)) == (1, 1, 1)
    other.close()


@pytest.mark.parametrize("form", Format)
def test_a_cancelled_or_failed_export_leaves_no_half_file(store: ChatStore, tmp_path: Path, form: Format) -> None:
    ids = [store.create_chat(title="t").id for _ in range(2)]
    target = tmp_path / "out"
    assert export_chats(store, ids, target, form, is_cancelled=lambda: True) == []
    assert not target.exists()
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="cannot be written"):
        export_chats(store, ids, tmp_path / "file" / "out", form)
    with pytest.raises(StorageError, match="no longer exists"):
        export_chats(store, [ids[0], "gone"], target, form)
    assert [each for each in tmp_path.rglob(".*")] == []


def test_file_names() -> None:
    assert file_name("  What? <is> this:\n/it  ") == "What is this it"
    assert file_name("LPT1.txt") == "_LPT1.txt"
    assert file_name("...") == "Chat"


def test_an_export_may_be_read_by_whom_any_new_file_may(store: ChatStore, chat: Chat, tmp_path: Path) -> None:
    (tmp_path / "new").touch()
    for form in Format:
        (file,) = export_chats(store, [chat.id], tmp_path / f"x.{form.value}", form)
        made = [path for path in (file, *file.rglob("*")) if path.is_file()]
        assert [path.stat().st_mode for path in made] == [(tmp_path / "new").stat().st_mode]
