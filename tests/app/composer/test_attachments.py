"""Files as attachments: what is read, what is refused, and how the model gets it."""

from __future__ import annotations

from pathlib import Path

import pytest
from document_files import paragraph, pdf_bytes, write_docx

from app.chat.chat_prompt import first_words, prompt_messages, with_attachments
from app.composer.attachments import MAX_TEXT_BYTES, FileKind, kind_of, pasted, picture, read_text
from engine.errors import RequestError
from engine.protocol import Role
from engine.store.chat_values import Attachment, StoredMessage


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain", "plain"),
        ("naïve 缓存 🎈".encode(), "naïve 缓存 🎈"),
        (b"\xef\xbb\xbfwith mark", "with mark"),
        ("wide".encode("utf-16"), "wide"),
        ("wider".encode("utf-32"), "wider"),
        ("unmarked wide text".encode("utf-16-le"), "unmarked wide text"),
        ("unmarked wide text".encode("utf-16-be"), "unmarked wide text"),
        ("缓存保存每一层的键和值。".encode("gb18030"), "缓存保存每一层的键和值。"),
        ("# 注释 comment\nx = 1".encode("gbk"), "# 注释 comment\nx = 1"),
        (b"caf\xe9", "café"),
        ("Les élèves français étaient déjà prêts.".encode("latin-1"), "Les élèves français étaient déjà prêts."),
        ("“quoted” – £5".encode("cp1252"), "“quoted” – £5"),
        (b"one\r\ntwo\rthree", "one\ntwo\nthree"),
        (b"", ""),
    ],
)
def test_text_is_read_in_its_encoding(tmp_path: Path, raw: bytes, text: str) -> None:
    file = tmp_path / "notes 缓存.txt"
    file.write_bytes(raw)
    assert kind_of(file) is FileKind.TEXT
    attachment = read_text(file)
    assert (attachment.text, attachment.name, attachment.n_bytes) == (text, file.name, len(raw))


@pytest.mark.parametrize("raw", [b"\x7fELF\x02\x01\0\0", b"abc\0def", bytes(range(1, 32)) * 9])
def test_what_is_not_text_is_refused(tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "program"
    file.write_bytes(raw)
    with pytest.raises(RequestError, match="not a text file"):
        read_text(file)


@pytest.mark.parametrize(
    ("name", "raw", "kind"),
    [
        ("a.txt", pdf_bytes(["x"]), FileKind.PDF),
        ("cut.pdf", b"%PD\0\0", FileKind.PDF),
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0", FileKind.PICTURE),
        ("a.webp", b"RIFF\0\0\0\0WEBPVP8 ", FileKind.PICTURE),
        ("a.svg", b"<svg/>", FileKind.TEXT),
        ("letter.doc", bytes.fromhex("d0cf11e0a1b11ae1") + b"\0", FileKind.WORD),
        ("sheet.xlsx", b"PK\x03\x04\0\0", FileKind.TEXT),
    ],
)
def test_files_are_known_by_their_first_bytes(tmp_path: Path, name: str, raw: bytes, kind: FileKind) -> None:
    file = tmp_path / name
    file.write_bytes(raw)
    assert kind_of(file) is kind


def test_a_word_file_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    assert kind_of(write_docx(tmp_path / "letter", paragraph("Hello"))) is FileKind.WORD


def test_a_picture_is_kept_by_name_and_the_model_gets_nothing_of_it(tmp_path: Path) -> None:
    file = tmp_path / "cat.jpg"
    file.write_bytes(b"\xff\xd8\xff\xe0")
    attachment = picture(file)
    assert (attachment.mime, attachment.text, attachment.n_bytes) == ("image/jpeg", "", 4)
    assert with_attachments("Hi", (attachment,)) == "Hi"


def test_a_missing_a_huge_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    huge = tmp_path / "huge.txt"
    huge.write_bytes(b"x" * (MAX_TEXT_BYTES + 1))
    for path, words in ((tmp_path / "none", "is not a file"), (huge, "at most 4 MB"), (tmp_path, "is not a file")):
        with pytest.raises(RequestError, match=words):
            kind_of(path)
    with pytest.raises(RequestError, match="could not be read"):
        read_text(tmp_path / "none")


def test_of_a_part_the_model_is_told_which_one_it_is() -> None:
    text = "one\ntwo\nthree\nfour"
    lines = Attachment(name="a.txt", text=text, part=(4, 14))
    assert with_attachments("", (lines,)) == "a.txt (lines 2 to 3 of 4)\n```\ntwo\nthree\n```"
    end = Attachment(name="a.txt", text="one\ntwo\n", part=(4, 8), n_bytes=8)
    assert with_attachments("", (end,)) == "a.txt (lines 2 to 2 of 2)\n```\ntwo\n```"
    pages = Attachment(name="a.pdf", text=text, pages=(0, 4, 8), part=(0, 8))
    assert with_attachments("", (pages,)).startswith("a.pdf (pages 1 to 2 of 3)\n")


def test_a_fence_is_longer_than_any_in_the_file_and_found_at_once() -> None:
    run = "`" * 500_000
    given = with_attachments("", (Attachment(name="a.txt", text=f"```\n{run}", n_bytes=500_004),))
    assert given == f"a.txt\n{run}`\n```\n{run}\n{run}`"


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
    assert pasted("缓", "Pasted text").n_bytes == 3


@pytest.mark.parametrize(
    ("text", "title"),
    [("Hello", "Hello"), ("a\n b", "a b"), ("word " * 20, "word " * 8 + "word…"), ("缓" * 60, "缓" * 48 + "…")],
)
def test_first_words(text: str, title: str) -> None:
    assert first_words(text) == title
