"""Plain lists of messages, as OpenAI's API takes them and as ShareGPT data sets hold them."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from engine.protocol.values import Role
from engine.store.chat_values import Attachment, StoredMessage
from engine.store.exchange.chat_builder import made_chat, role_of, source_of
from engine.store.exchange.import_report import ChatFormat, Loss, Losses, ReadChat
from engine.store.exchange.json_fields import items, mapping, mappings, moment, text


class _Shape(NamedTuple):
    kind: ChatFormat
    list_key: str
    role_key: str
    content_key: str


_OPENAI = _Shape(ChatFormat.OPENAI, "messages", "role", "content")
_SHAREGPT = _Shape(ChatFormat.SHAREGPT, "conversations", "from", "value")


def read_openai(raw: dict[str, Any], losses: Losses, modified_at: float) -> ReadChat:
    """A request, or a line of fine-tuning data: an object with `messages`."""
    return _read(raw, _OPENAI, losses, modified_at)


def read_sharegpt(raw: dict[str, Any], losses: Losses, modified_at: float) -> ReadChat:
    """An object with `conversations` of `from` and `value`."""
    return _read(raw, _SHAREGPT, losses, modified_at)


def _read(raw: dict[str, Any], shape: _Shape, losses: Losses, modified_at: float) -> ReadChat:
    system = [text(raw.get("system"))]
    messages: list[StoredMessage] = []
    fingerprint = hashlib.sha256()
    for i, turn in enumerate(mappings(raw.get(shape.list_key))):
        role = role_of(turn.get(shape.role_key))
        content, attachments = _content(turn.get(shape.content_key), losses)
        fingerprint.update(f"{role}\0{content}\0".encode())
        losses[Loss.TOOLS] += len(items(turn.get("tool_calls"))) + (role is Role.TOOL)
        if role is Role.TOOL or not (content or attachments or text(turn.get("reasoning_content"))):
            continue
        if role is Role.SYSTEM and not messages:
            system.append(content)
            continue
        messages.append(
            StoredMessage(
                id=str(i),
                parent_id=messages[-1].id if messages else None,
                role=role or Role.USER,
                content=content,
                reasoning=text(turn.get("reasoning_content")) or text(turn.get("reasoning")),
                model_name=text(raw.get("model")) if role is Role.ASSISTANT else "",
                created_at=moment(turn.get("created_at")) or moment(turn.get("timestamp")) or 0.0,
                attachments=attachments,
            )
        )
    return made_chat(
        messages,
        title=text(raw.get("title")),
        created_at=moment(raw.get("created_at")) or moment(raw.get("created")),
        # The lists have no id that lasts: the same messages make the same chat.
        source=source_of(shape.kind, fingerprint.hexdigest()[:32]),
        fallback_at=modified_at,
        system_prompt="\n\n".join(filter(None, system)),
    )


def _content(value: object, losses: Losses) -> tuple[str, tuple[Attachment, ...]]:
    if isinstance(value, str):
        return text(value), ()
    pieces: list[str] = []
    attachments: list[Attachment] = []
    for part in items(value):
        found = mapping(part)
        if isinstance(part, str):
            pieces.append(text(part))
        elif "image" in text(found.get("type")):
            losses[Loss.IMAGES] += 1
            attachments.append(Attachment(name="image", mime="image/*"))
        elif text(found.get("text")):
            pieces.append(text(found["text"]))
        elif found.get("type") in ("file", "input_file", "input_audio"):
            losses[Loss.FILES] += 1
            name = text(mapping(found.get("file")).get("filename")) or text(found.get("filename")) or "file"
            attachments.append(Attachment(name=name, mime="application/octet-stream"))
    return "\n\n".join(filter(None, pieces)), tuple(attachments)
