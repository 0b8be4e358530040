"""Claude's data export: conversations of messages in a row, newer ones with parents."""

from __future__ import annotations

from typing import Any

from engine.protocol.values import Role
from engine.store.chat_values import Attachment, StoredMessage
from engine.store.exchange.chat_builder import made_chat, role_of, source_of
from engine.store.exchange.import_report import ChatFormat, Loss, Losses, ReadChat
from engine.store.exchange.json_fields import count, mappings, moment, text

_NO_PARENT = "00000000-0000-4000-8000-000000000000"


def read(raw: dict[str, Any], losses: Losses, modified_at: float) -> ReadChat:
    """One conversation."""
    messages: list[StoredMessage] = []
    for number, each in enumerate(mappings(raw.get("chat_messages"))):
        previous = messages[-1].id if messages else None
        messages.append(_message(each, number, previous, losses))
    return made_chat(
        messages,
        title=text(raw.get("name")),
        created_at=moment(raw.get("created_at")),
        updated_at=moment(raw.get("updated_at")),
        source=source_of(ChatFormat.CLAUDE, raw.get("uuid")),
        head_id=text(raw.get("current_leaf_message_uuid")),
        fallback_at=modified_at,
    )


def _message(raw: dict[str, Any], number: int, previous: str | None, losses: Losses) -> StoredMessage:
    answer: list[str] = []
    thinking: list[str] = []
    for block in mappings(raw.get("content")):
        match block.get("type"):
            case "text":
                answer.append(text(block.get("text")))
            case "thinking":
                thinking.append(text(block.get("thinking")))
            case "tool_use" | "tool_result":
                losses[Loss.TOOLS] += 1
            case _:
                losses[Loss.UNKNOWN_PARTS] += bool(text(block.get("text")))
                answer.append(text(block.get("text")))
    attachments = [
        Attachment(
            name=text(file.get("file_name")) or "file",
            mime=text(file.get("file_type")) or "text/plain",
            text=text(file.get("extracted_content")),
            n_bytes=count(file.get("file_size")),
        )
        for file in mappings(raw.get("attachments"))
    ]
    for file in mappings(raw.get("files")):
        losses[Loss.FILES] += 1
        attachments.append(Attachment(name=text(file.get("file_name")) or "file", mime="application/octet-stream"))
    parent = raw.get("parent_message_uuid")
    if not isinstance(parent, str):
        parent = previous
    return StoredMessage(
        id=text(raw.get("uuid")) or str(number),
        parent_id=None if parent == _NO_PARENT else parent,
        role=role_of(raw.get("sender")) or Role.USER,
        content="\n\n".join(filter(None, answer)).strip() or text(raw.get("text")),
        reasoning="\n\n".join(filter(None, thinking)),
        created_at=moment(raw.get("created_at")) or 0.0,
        attachments=tuple(attachments),
    )
