"""Jan's threads: a folder for each, with thread.json and messages.jsonl."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.protocol.values import Role
from engine.store.chat_values import Attachment, MessageState, StoredMessage
from engine.store.exchange.chat_builder import made_chat, role_of, source_of
from engine.store.exchange.import_report import ChatFormat, Loss, Losses, ReadChat
from engine.store.exchange.json_fields import mapping, mappings, moment, text

_STATES = {"error": MessageState.FAILED, "stopped": MessageState.PARTIAL}


def read(lines: Iterable[Any | None], thread: dict[str, Any], losses: Losses, modified_at: float) -> ReadChat:
    """One thread from the values of its messages.jsonl; `thread` is its thread.json, or empty."""
    messages: list[StoredMessage] = []
    thread_id = thread.get("id")
    assistant = next(iter(mappings(thread.get("assistants"))), {})
    model = text(mapping(assistant.get("model")).get("id")) or text(mapping(thread.get("model")).get("id"))
    for number, line in enumerate(lines):
        if line is None:
            losses[Loss.BROKEN_LINES] += 1
            continue
        raw = mapping(line)
        thread_id = thread_id or raw.get("thread_id")
        previous = messages[-1].id if messages else None
        messages.append(_message(raw, number, previous, model, losses))
    return made_chat(
        messages,
        title=text(thread.get("title")),
        created_at=moment(thread.get("created")),
        updated_at=moment(thread.get("updated")),
        source=source_of(ChatFormat.JAN, thread_id),
        fallback_at=modified_at,
        system_prompt=text(assistant.get("instructions")),
    )


def _message(raw: dict[str, Any], number: int, previous: str | None, model: str, losses: Losses) -> StoredMessage:
    answer: list[str] = []
    thinking: list[str] = []
    attachments: list[Attachment] = []
    for part in mappings(raw.get("content")):
        value = text(mapping(part.get("text")).get("value"))
        match part.get("type"):
            case "text":
                answer.append(value)
            case "reasoning":
                thinking.append(value)
            case "image_url":
                losses[Loss.IMAGES] += 1
                attachments.append(Attachment(name="image", mime="image/*"))
            case "tool_call":
                losses[Loss.TOOLS] += 1
            case _:
                losses[Loss.UNKNOWN_PARTS] += bool(value)
                answer.append(value)
    for file in mappings(raw.get("attachments")):
        losses[Loss.FILES] += 1
        attachments.append(Attachment(name=text(file.get("name")) or text(file.get("file_id")) or "file"))
    role = role_of(raw.get("role")) or Role.USER
    return StoredMessage(
        id=text(raw.get("id")) or str(number),
        parent_id=previous,
        role=role,
        content="\n\n".join(filter(None, answer)) or text(raw.get("content")),
        reasoning="\n\n".join(filter(None, thinking)),
        state=_STATES.get(text(raw.get("status")), MessageState.COMPLETE),
        model_name=model if role is Role.ASSISTANT else "",
        created_at=moment(raw.get("created_at")) or 0.0,
        attachments=tuple(attachments),
    )
