"""What the engine says, told in Chinese: nothing of it stays English, whatever it is put together from."""

from __future__ import annotations

import errno
import os
import re
import struct
import zipfile
from pathlib import Path

import pytest
from gguf_files import FAULTS, NOT_GGUF, gguf_bytes
from PySide6.QtWidgets import QApplication

from app.chat.chat_prompt import message_item
from app.chat_list.export_format import ExportFormat, export
from app.core.engine_texts import failure_text, translated
from app.core.i18n import install_language
from engine.errors import Code, ModelError, RequestError, StorageError
from engine.files import storage_error
from engine.gguf import check_file, read_header
from engine.metrics import FinishReason, RequestMetrics
from engine.protocol import EffectiveSettings, Event, GenerationFinished, RequestFailed
from engine.protocol.values import Role
from engine.store.chats import ChatStore
from engine.store.database import Database
from engine.store.exchange.importer import import_chats
from engine.store.finish_notes import ending
from engine.translatable import reason_of

FILES = {name: content for name, (content, _) in (FAULTS | NOT_GGUF).items()}
FULL = GenerationFinished(
    request_id="a",
    finish_reason=FinishReason.LENGTH,
    metrics=RequestMetrics(n_decoded=1234),
    is_context_full=True,
    effective=EffectiveSettings(n_ctx=8192),
)


def english(text: str) -> list[str]:
    """What is left in English: two words in a row, besides commands, and names, which are quoted."""
    return re.findall(r"\b[a-z]{2,} [a-z]{2,}", re.sub(r"'[^']*'|git lfs pull", "", text))


@pytest.mark.parametrize("name", FILES)
def test_why_a_file_is_no_model(name: str, chinese: None) -> None:
    with pytest.raises(ModelError) as caught:
        read_header(FILES[name], "model.gguf")
    text = failure_text(caught.value.failure)
    assert not english(text)
    assert not re.search("[\u4e00-\u9fff][A-Za-z0-9]|[，：。（] ", text)
    assert english(str(caught.value.failure.said))


def test_why_a_header_ends_early(chinese: None) -> None:
    content = gguf_bytes({"general.name": "Tiny", "numbers": [1, 2, 3]}, [("token_embd.weight", (32, 3), "F32")])
    end = content.index(b"token_embd.weight") + len(b"token_embd.weight") + struct.calcsize("<IqqIQ")
    for length in range(4, end):
        with pytest.raises(ModelError) as caught:
            read_header(content[:length], "model.gguf")
        assert not english(failure_text(caught.value.failure))


def test_parts_that_are_missing(tmp_path: Path, chinese: None) -> None:
    path = tmp_path / "renamed.gguf"
    metadata = {"general.architecture": "llama", "split.count": 3, "split.no": 0}
    path.write_bytes(gguf_bytes(metadata, [("token_embd.weight", (32, 3), "F32")]))
    with pytest.raises(ModelError) as caught:
        check_file(path)
    assert not english(failure_text(caught.value.failure))
    assert "-of-00003.gguf" in failure_text(caught.value.failure)


@pytest.mark.parametrize("code", [errno.EACCES, errno.ENOENT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENOTDIR])
def test_the_system_s_reasons(code: int, chinese: None) -> None:
    error = OSError(code, os.strerror(code))
    assert not re.search("[A-Za-z]", translated(reason_of(error)))
    assert not english(failure_text(storage_error(error, Path("/data")).failure).replace("FIRSTLIGHT_HOME", ""))


def test_why_chats_cannot_be_opened_or_written(tmp_path: Path, chinese: None) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("no database " * 100)
    told_of = []
    for name in ("folder", "text"):
        with pytest.raises(StorageError) as caught:
            Database(tmp_path / name)
        told_of.append(caught.value.failure)
    store = ChatStore(tmp_path / "chats.sqlite3")
    store._db._connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StorageError) as caught:
        store.create_chat()
    store.close()
    for failure in (*told_of, caught.value.failure):
        assert "（" in failure_text(failure) and english(str(failure.said))
        assert not english(failure_text(failure))


@pytest.mark.parametrize("kind", ["cut", "mixed", "unknown packing"])
def test_why_an_archive_cannot_be_imported(kind: str, tmp_path: Path, chinese: None) -> None:
    path, store = tmp_path / "export.zip", ChatStore(None)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", str(list(range(5000))))
    content = bytearray(path.read_bytes())
    if kind == "cut":
        del content[len(content) // 2 :]
    elif kind == "mixed":
        content[200:300] = bytes(100)
    else:
        content[8] = content[content.rindex(b"PK\x01\x02") + 10] = 99
    path.write_bytes(content)
    try:
        (problem,) = import_chats(store, path).problems
    except StorageError as error:
        problem = error.failure.said
    store.close()
    assert english(str(problem)) and not english(translated(problem))


@pytest.mark.parametrize(
    ("terminal", "has_answer", "in_english", "in_chinese"),
    [
        (None, True, "Firstlight ended before this answer was complete.", "Firstlight 在此回答完成之前结束了。"),
        (
            FULL,
            True,
            "The context of 8,192 tokens is full. Start a new chat, or choose in the menu ⋯ which turns give way.",
            "8,192 个 token 的上下文已满。请新建对话，或在 ⋯ 菜单的“上下文已满时”中选择处理方式。",
        ),
        (
            GenerationFinished(request_id="a", finish_reason=FinishReason.CANCELLED, metrics=RequestMetrics()),
            True,
            "Stopped by you.",
            "已由您停止。",
        ),
        (
            GenerationFinished(
                request_id="a", finish_reason=FinishReason.LENGTH, metrics=RequestMetrics(n_decoded=1234)
            ),
            True,
            "Stopped at the limit of 1,234 tokens.",
            "已达到 1,234 个 token 的上限，回答到此为止。",
        ),
        (
            GenerationFinished(
                request_id="a",
                finish_reason=FinishReason.STOP,
                metrics=RequestMetrics(),
                has_open_reasoning=True,
            ),
            False,
            "The model ended inside its reasoning.",
            "模型在思考过程中结束了。",
        ),
        (
            RequestFailed(
                request_id="a",
                failure=RequestError(Code.MODEL_NOT_FOUND, "The file {name} is not there.", name="a.gguf").failure,
            ),
            False,
            "The file a.gguf is not there.",
            "找不到文件 a.gguf。",
        ),
    ],
)
def test_a_note_is_read_in_the_language_of_the_day(
    terminal: Event | None, has_answer: bool, in_english: str, in_chinese: str, *, tmp_path: Path, qapp: QApplication
) -> None:
    store = ChatStore(tmp_path / "chats.sqlite3")
    chat = store.create_chat()
    sent = store.add_message(chat.id, Role.ASSISTANT, "So", note=ending(terminal, has_answer=has_answer))
    kept = store.message(sent.id)
    store.close()
    assert message_item(kept, {}).note == in_english
    install_language(qapp, "zh_CN")
    try:
        assert message_item(kept, {}).note == in_chinese
    finally:
        install_language(qapp, "en")


@pytest.mark.parametrize("form", [ExportFormat.MARKDOWN, ExportFormat.HTML])
def test_a_page_of_a_chat(form: ExportFormat, tmp_path: Path, chinese: None) -> None:
    store = ChatStore(tmp_path / "chats.sqlite3")
    chat = store.create_chat(system_prompt="简短")
    store.add_message(chat.id, Role.USER, "为什么")
    store.add_message(
        chat.id,
        Role.ASSISTANT,
        "因为",
        reasoning="想",
        note=ending(FULL, has_answer=True),
        metrics=RequestMetrics(ttft=0.25, n_decoded=7),
    )
    target = tmp_path / f"chat.{form}"
    export(store, [chat.id], target, form, on_exported=lambda done, total: None, is_cancelled=lambda: False)
    store.close()
    text = target.read_text(encoding="utf-8")
    said = ("您", "助手", "系统提示词", "思考过程", "上下文已满", "首个 token 用时 0.25 秒 · 7 个 token")
    assert [each for each in said if each not in text] == []
    assert not re.findall("You|Assistant|System|Reasoning|first token", text)
