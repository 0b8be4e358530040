"""How values become rows of the database, and rows become values."""

from __future__ import annotations

import sqlite3
import time
import uuid
from typing import Any, TypeVar

import msgspec

from engine.metrics import RequestMetrics
from engine.protocol.values import EffectiveSettings, Role
from engine.store.chat_values import Attachment, MessageState, Record, StoredMessage
from engine.translatable import Sentence, Translatable

_R = TypeVar("_R", bound=Record)

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


def record_of(row: sqlite3.Row, kind: type[_R]) -> _R:
    """A row of chats, folders or summaries as a value of that kind: the columns are its fields."""
    return msgspec.convert(dict(row), kind, strict=False)  # SQLite has no bool.


def message_of(row: sqlite3.Row) -> StoredMessage:
    """A row of MESSAGE_COLUMNS as a value. Readings that another version wrote in another shape become None."""
    values = dict(zip(MESSAGE_FIELDS, row, strict=True))
    values |= {
        "role": Role(values["role"]),
        "state": MessageState(values["state"]),
        "note": _note(values["note"]),
        "metrics": _read(_metrics, values["metrics"]),
        "effective": _read(_effective, values["effective"]),
        "is_pinned": bool(values["is_pinned"]),
        "attachments": attachments_of(values["attachments"]),
    }
    return StoredMessage(**values)


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


def _note(text: str) -> Translatable:
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
