"""Files as attachments: what is read, what is refused, and how the model gets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.attachments import MAX_BYTES, paste_attachment, read_attachment
from app.chat_prompt import first_words, prompt_messages, with_attachments
from engine.errors import RequestError
from engine.protocol import Role
from engine.store.values import Attachment, StoredMessage


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain", "plain"),
        ("naïve 缓存 🎈".encode(), "naïve 缓存 🎈"),
        (b"\xef\xbb\xbfwith mark", "with mark"),
        ("wide".encode("utf-16"), "wide"),
        (b"caf\xe9", "café"),
        (b"", ""),
    ],
)
def test_text_is_read_in_its_encoding(tmp_path: Path, raw: bytes, text: str) -> None:
    file = tmp_path / "notes 缓存.txt"
    file.write_bytes(raw)
    attachment = read_attachment(file)
    assert (attachment.text, attachment.name, attachment.n_bytes) == (text, file.name, len(raw))


@pytest.mark.parametrize("raw", [b"\x89PNG\r\n\x1a\n\0\0", b"abc\0def"])
def test_what_is_not_text_is_refused(tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "picture.png"
    file.write_bytes(raw)
    with pytest.raises(RequestError, match="not a text file"):
        read_attachment(file)


def test_a_missing_a_huge_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    huge = tmp_path / "huge.txt"
    huge.write_bytes(b"x" * (MAX_BYTES + 1))
    for path, words in ((tmp_path / "none", "could not be read"), (huge, "at most 4 MB"), (tmp_path, "is not a file")):
        with pytest.raises(RequestError, match=words):
            read_attachment(path)


def test_a_fence_inside_a_file_gets_a_longer_one_around_it() -> None:
    made = with_attachments("Explain.", (Attachment(name="a.md", text="```\ncode\n```\n"),))
    assert made == "a.md\n````\n```\ncode\n```\n````\n\nExplain."


def test_the_prompt_is_the_system_prompt_and_the_path_without_empty_answers() -> None:
    path = [
        StoredMessage(id="1", chat_id="c", role=Role.USER, content="Hi", created_at=0),
        StoredMessage(id="2", chat_id="c", role=Role.ASSISTANT, content="", created_at=0),
        StoredMessage(id="3", chat_id="c", role=Role.ASSISTANT, content="Hello", reasoning="greet", created_at=0),
    ]
    messages = prompt_messages(path, "Be brief.")
    assert [(m.role, m.content, m.reasoning) for m in messages] == [
        (Role.SYSTEM, "Be brief.", ""), (Role.USER, "Hi", ""), (Role.ASSISTANT, "Hello", "greet"),
    ]  # fmt: skip
    assert prompt_messages(path, "  ")[0].role is Role.USER


def test_a_paste_has_a_name_and_its_size() -> None:
    assert paste_attachment("缓", "Pasted text").n_bytes == 3


@pytest.mark.parametrize(
    ("text", "title"),
    [("Hello", "Hello"), ("a\n b", "a b"), ("word " * 20, "word " * 8 + "word…"), ("缓" * 60, "缓" * 48 + "…")],
)
def test_first_words(text: str, title: str) -> None:
    assert first_words(text) == title
