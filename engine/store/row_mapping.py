"""How values become rows of the database, and rows become values."""

from __future__ import annotations

import sqlite3
import time
import uuid
from typing import Any

import msgspec

from engine.metrics import RequestMetrics
from engine.protocol.values import ContextPolicy, EffectiveSettings, Role
from engine.store.chat_values import Attachment, Chat, Folder, MessageState, StoredMessage, Summary
from engine.translatable import Sentence, Translatable

_encoder = msgspec.json.Encoder()
_metrics = msgspec.json.Decoder(RequestMetrics)
_effective = msgspec.json.Decoder(EffectiveSettings)
_attachments = msgspec.json.Decoder(tuple[Attachment, ...])
_sentence = msgspec.json.Decoder(Sentence)

CHAT_COLUMNS = (
    "id, title, created_at, updated_at, folder_id, is_pinned, is_archived, preset, system_prompt, head_id, "
    "context_policy, is_math_on, source, deleted_at"
)
MESSAGE_FIELDS = (
    "id",
    "chat_id",
    "parent_id",
    "role",
    "state",
    "created_at",
    "finish_reason",
    "note",
    "metrics",
    "perceived_ttft",
    "effective",
    "model_name",
    "reasoning_seconds",
    "is_pinned",
    "attachments",
    "content",
    "reasoning",
)
MESSAGE_COLUMNS = ", ".join(f"m.{field}" for field in MESSAGE_FIELDS)
INSERT_MESSAGE = (
    f"INSERT INTO messages ({', '.join(MESSAGE_FIELDS)}, last_child_id) "
    f"VALUES ({', '.join('?' * len(MESSAGE_FIELDS))}, ?)"
)


def new_id() -> str:
    """An id that no other chat, message or folder has."""
    return uuid.uuid4().hex


def now() -> float:
    """Seconds since 1970."""
    return time.time()


def chat_of(row: sqlite3.Row) -> Chat:
    """A row of CHAT_COLUMNS as a value."""
    return Chat(
        id=row["id"],
        title=row["title"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        folder_id=row["folder_id"],
        is_pinned=bool(row["is_pinned"]),
        is_archived=bool(row["is_archived"]),
        preset=row["preset"],
        system_prompt=row["system_prompt"],
        head_id=row["head_id"],
        context_policy=ContextPolicy(row["context_policy"]) if row["context_policy"] else None,
        is_math_on=None if row["is_math_on"] is None else bool(row["is_math_on"]),
        source=row["source"],
        deleted_at=row["deleted_at"],
    )


def folder_of(row: sqlite3.Row) -> Folder:
    """A row of folders as a value."""
    return Folder(id=row["id"], name=row["name"], position=row["position"], is_collapsed=bool(row["is_collapsed"]))


def summary_of(row: sqlite3.Row) -> Summary:
    """A row of summaries as a value."""
    return Summary(
        id=row["id"],
        chat_id=row["chat_id"],
        text=row["text"],
        covers_to=row["covers_to"],
        created_at=row["created_at"],
        is_edited=bool(row["is_edited"]),
    )


def message_of(row: sqlite3.Row) -> StoredMessage:
    """A row of MESSAGE_COLUMNS as a value. Readings that another version wrote in another shape become None."""
    return StoredMessage(
        id=row[0],
        chat_id=row[1],
        parent_id=row[2],
        role=Role(row[3]),
        state=MessageState(row[4]),
        created_at=row[5],
        finish_reason=row[6],
        note=_words(row[7]),
        metrics=_read(_metrics, row[8]),
        perceived_ttft=row[9],
        effective=_read(_effective, row[10]),
        model_name=row[11],
        reasoning_seconds=row[12],
        is_pinned=bool(row[13]),
        attachments=attachments_of(row[14]),
        content=row[15],
        reasoning=row[16],
    )


def attachments_of(text: str | None) -> tuple[Attachment, ...]:
    """A column of attachments as values; empty for none."""
    return _read(_attachments, text) or ()


def message_values(message: StoredMessage, last_child_id: str | None = None) -> tuple[object, ...]:
    """The values for INSERT_MESSAGE."""
    return (*(column_value(getattr(message, field)) for field in MESSAGE_FIELDS), last_child_id)


def column_value(value: object) -> object:
    """A field of a value as SQLite stores it; structures become JSON, and an empty tuple becomes NULL."""
    if isinstance(value, msgspec.Struct):
        return _encoder.encode(value).decode()
    if isinstance(value, tuple | list):
        return _encoder.encode(value).decode() if value else None
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        # A lone surrogate, which a broken input method or import can bring, is not storable.
        return str(value).encode("utf-8", "replace").decode()
    return value


def _words(text: str) -> Translatable:
    """A sentence with values was stored as JSON, any other as itself."""
    sentence: Sentence | None = _read(_sentence, text) if text.startswith('{"template"') else None
    return sentence or text


def _read(decoder: msgspec.json.Decoder[Any], text: str | None) -> Any:
    if not text:
        return None
    try:
        return decoder.decode(text)
    except msgspec.DecodeError:
        return None
