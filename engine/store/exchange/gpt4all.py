"""GPT4All's chat files, versions 1 to 12: what Chat::serialize of its desktop program writes, read by its source."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import BinaryIO, NamedTuple
from urllib.parse import unquote

from engine.protocol.values import Role
from engine.store.chat_values import Attachment, MessageState, StoredMessage
from engine.store.exchange.chat_builder import made_chat, source_of
from engine.store.exchange.import_report import ChatFormat, Loss, Losses, ReadChat
from engine.store.exchange.json_elements import Unreadable
from engine.store.exchange.json_fields import moment
from engine.store.exchange.qt_stream import QtStream
from engine.translatable import phrase

MAGIC = bytes.fromhex("f5d553cc")
_NEWEST = 12
_THINKING = re.compile(r"\s*<think>(.*?)(?:</think>|\Z)\s*", re.DOTALL)


class _Part(NamedTuple):
    """A piece of an answer, since version 12."""

    kind: str
    text: str
    milliseconds: int = 0


class _Item(NamedTuple):
    kind: str
    text: str
    is_stopped: bool
    is_error: bool
    attachments: tuple[Attachment, ...]
    parts: tuple[_Part, ...]


def read(stream: BinaryIO, n_bytes: int, losses: Losses, modified_at: float) -> ReadChat:
    """The chat of a file. Raises Unreadable for damage and for versions that are not known, and OSError."""
    data = QtStream(stream, n_bytes)
    data.skip(len(MAGIC))
    version = data.integer()
    if not 1 <= version <= _NEWEST:
        raise Unreadable(phrase("it is in a version of GPT4All's format that is not known"))
    created_at = moment(data.long())
    chat_id, title, _user, model = data.text(), data.text(), data.text(), data.text()
    if version >= 3:
        data.texts()
    if version < 11:
        _skip_model_state(data, version)
    messages: list[StoredMessage] = []
    for i in range(data.integer()):
        item = _item(data, version, losses)
        if message := _message(item, str(i), messages[-1].id if messages else None, model, losses):
            messages.append(message)
    return made_chat(
        messages,
        title=title,
        created_at=created_at,
        updated_at=modified_at,
        source=source_of(ChatFormat.GPT4ALL, chat_id),
        fallback_at=modified_at,
    )


def _skip_model_state(data: QtStream, version: int) -> None:
    """What the model was left with, of no use to anyone today: a KV cache among it."""
    has_cache = data.flag() if version >= 6 else True
    if version >= 2:
        data.skip(8)
    for _ in range(2):
        data.text()
    data.integer()
    if not has_cache:
        return
    data.skip(4 * ((version < 4) + 1 + (version >= 7)))
    if version < 9:
        data.skip(4 * data.number("Q"))
    data.skip(4 * data.number("Q"))
    data.skip_blob()


def _item(data: QtStream, version: int, losses: Losses) -> _Item:
    if version < 12:
        data.integer()
    kind, text = data.text(), data.text()
    if version < 10:
        data.text()
    data.text()
    _is_current, is_stopped = data.flag(), data.flag()
    data.skip(2)
    is_error = data.flag() if version >= 11 and kind == "Response: " else False
    losses[Loss.SOURCES] += _skip_sources(data, version)
    attachments = tuple(_attachment(data, losses) for _ in range(data.long())) if version >= 10 else ()
    parts = tuple(part for _ in range(data.long()) for part in _parts(data)) if version >= 12 else ()
    return _Item(kind, text, is_stopped, is_error, attachments, parts)


def _skip_sources(data: QtStream, version: int) -> int:
    """Pass over the excerpts of documents that were given to the model; returns how many."""
    if version < 3:
        return 0
    if version < 8:
        data.text()
        return len(data.texts())
    n_sources = data.long()
    for _ in range(n_sources):
        for _ in range(7):
            data.text()
        data.skip(12)
    return n_sources


def _attachment(data: QtStream, losses: Losses) -> Attachment:
    name = PurePosixPath(unquote(data.blob().decode("utf-8", "replace"))).name or "file"
    content = data.blob()
    text = "" if name.lower().endswith(".xlsx") else content.decode("utf-8", "replace")
    losses[Loss.FILES] += not text
    return Attachment(name=name, text=text, n_bytes=len(content))


def _parts(data: QtStream) -> list[_Part]:
    """A piece of an answer and the pieces inside it."""
    kind, text = data.text(), data.text()
    milliseconds = 0
    if kind == "Think: ":
        milliseconds = data.integer()
    elif kind == "ToolCall: ":
        data.text()
        for _ in range(data.long()):
            data.text()
            data.integer()
            data.skip_variant()
        data.text()
        data.integer()
        data.text()
    inner = [part for _ in range(data.long()) for part in _parts(data)]
    return [_Part(kind, text, milliseconds), *inner]


def _message(item: _Item, key: str, parent: str | None, model: str, losses: Losses) -> StoredMessage | None:
    if item.kind not in ("Prompt: ", "Response: "):
        losses[Loss.HIDDEN] += bool(item.text)
        return None
    if item.kind == "Prompt: ":
        return StoredMessage(
            id=key, parent_id=parent, role=Role.USER, content=item.text, created_at=0.0, attachments=item.attachments
        )
    thinking, milliseconds, answer = "", 0, item.text
    if item.parts:
        losses[Loss.TOOLS] += sum(part.kind in ("ToolCall: ", "ToolResponse: ") for part in item.parts)
        thinking = "\n\n".join(part.text for part in item.parts if part.kind == "Think: ")
        milliseconds = sum(max(0, part.milliseconds) for part in item.parts)
        answer = "".join(part.text for part in item.parts if part.kind in ("Text: ", "Response: "))
    thought = _THINKING.match(answer)
    if thought and not thinking:
        thinking, answer = thought[1].strip(), answer[thought.end() :]
    state = MessageState.FAILED if item.is_error else MessageState.COMPLETE
    return StoredMessage(
        id=key,
        parent_id=parent,
        role=Role.ASSISTANT,
        content=answer,
        reasoning=thinking,
        reasoning_seconds=milliseconds / 1000 if milliseconds else None,
        state=MessageState.PARTIAL if item.is_stopped else state,
        finish_reason="cancelled" if item.is_stopped else None,
        model_name=model.removesuffix(".gguf"),
        created_at=0.0,
    )
