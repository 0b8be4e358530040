"""Chat files of GPT4All, written by Qt's own QDataStream as its desktop program does, for every version."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QBuffer, QByteArray, QDataStream, QIODevice

CREATED = 1_750_000_000


class Item(NamedTuple):
    """A prompt or an answer; `parts` are (kind, text) of an answer's pieces."""

    name: str
    value: str
    stopped: bool = False
    error: bool = False
    attachments: tuple[tuple[str, bytes], ...] = ()
    n_sources: int = 0
    parts: tuple[tuple[str, str], ...] = ()


TALK = (
    Item(
        "Prompt: ",
        "How tall is 富士山? 🗻",
        attachments=(("file:///tmp/my%20notes.txt", "Höhe".encode()),),
        n_sources=2,
    ),
    Item("Response: ", "3,776 m.", stopped=True),
    Item("Prompt: ", "Sure?"),
    Item("Response: ", "<think>Let me see.</think>Yes."),
)


def write(path: Path, version: int, items: tuple[Item, ...] = TALK, *, cache_bytes: int = 1000) -> Path:
    """A chat file of that version; old ones hold the model's state of `cache_bytes`."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    out = QDataStream(buffer)
    out.writeUInt32(0xF5D553CC)
    out.writeInt32(version)
    out.setVersion(QDataStream.Version.Qt_6_2)
    out.writeInt64(CREATED)
    for text in (f"id-{version}", "Mountains", "me", "Meta-Llama-3-8B.gguf"):
        out.writeQString(text)
    if version >= 3:
        _texts(out, ["my papers"])
    if version < 11:
        _model_state(out, version, cache_bytes)
    out.writeInt32(len(items))
    for i, item in enumerate(items):
        _item(out, version, i, item)
    path.write_bytes(bytes(buffer.data().data()))
    return path


def _texts(out: QDataStream, texts: list[str]) -> None:
    out.writeUInt32(len(texts))
    for text in texts:
        out.writeQString(text)


def _blob(out: QDataStream, content: bytes) -> None:
    out << QByteArray(content)


def _model_state(out: QDataStream, version: int, cache_bytes: int) -> None:
    has_cache = version < 10
    if version >= 6:
        out.writeBool(has_cache)
    if version >= 2:
        out.writeInt32(2)
        out.writeInt32(0)
    out.writeQString("response")
    out.writeQString("")
    out.writeUInt32(12)
    if not has_cache:
        return
    if version < 4:
        out.writeUInt32(1)
    out.writeUInt32(12)
    if version >= 7:
        out.writeUInt32(2048)
    for _ in range(2 if version < 9 else 1):
        out.writeUInt64(3)
        for _ in range(3):
            out.writeUInt32(7)
    _blob(out, bytes(cache_bytes))


def _item(out: QDataStream, version: int, i: int, item: Item) -> None:
    if version < 12:
        out.writeInt32(i)
    out.writeQString(item.name)
    out.writeQString(item.value)
    if version < 10:
        out.writeQString("the old prompt")
    out.writeQString("")
    for flag in (False, item.stopped, False, False):
        out.writeBool(flag)
    if version >= 11 and item.name == "Response: ":
        out.writeBool(item.error)
    if version >= 8:
        out.writeInt64(item.n_sources)
        for _ in range(item.n_sources):
            for text in ("papers", "/p", "a.pdf", "A", "B", "2020", "an excerpt"):
                out.writeQString(text)
            for number in (1, -1, -1):
                out.writeInt32(number)
    elif version >= 3:
        out.writeQString("1. In a.pdf. [Context](context://1)")
        _texts(out, ["an excerpt"] * item.n_sources)
    if version >= 10:
        out.writeInt64(len(item.attachments))
        for url, content in item.attachments:
            _blob(out, url.encode())
            _blob(out, content)
    if version >= 12:
        out.writeInt64(len(item.parts))
        for kind, text in item.parts:
            _part(out, kind, text)


def _part(out: QDataStream, kind: str, text: str) -> None:
    out.writeQString(kind)
    out.writeQString(text)
    if kind == "Think: ":
        out.writeInt32(2500)
    elif kind == "ToolCall: ":
        out.writeQString("javascript_interpret")
        out.writeInt64(2)
        for value in ("1 + 1", 7):
            out.writeQString("code")
            out.writeInt32(0)
            out.writeQVariant(value)
        out.writeQString("2")
        out.writeInt32(0)
        out.writeQString("")
    out.writeInt64(0)
