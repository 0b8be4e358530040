"""Open WebUI's export: rows that hold a chat, or the chat itself, with a tree of messages."""

from __future__ import annotations

import html
import re
from typing import Any

from engine.protocol.values import Role
from engine.store.chat_values import Attachment, StoredMessage
from engine.store.exchange.chat_builder import made_chat, role_of, source_of
from engine.store.exchange.import_report import ChatFormat, Loss, Losses, ReadChat
from engine.store.exchange.json_fields import count, items, mapping, mappings, moment, number, text

_DETAILS = re.compile(
    r'<details type="(reasoning|tool_calls|code_interpreter)"([^>]*)>\s*(.*?)\s*</details>\n?', re.DOTALL
)
_SUMMARY = re.compile(r"^<summary>.*?</summary>\s*", re.DOTALL)
_QUOTE = re.compile(r"^> ?", re.MULTILINE)
_DURATION = re.compile(r'duration="(\d+(?:\.\d+)?)"')


def read(row: dict[str, Any], losses: Losses, modified_at: float) -> ReadChat:
    """One chat with all its branches."""
    chat = mapping(row.get("chat")) or row
    history = mapping(chat.get("history"))
    raw = {key: mapping(value) for key, value in mapping(history.get("messages")).items()}
    messages = [_message(key, each, losses) for key, each in raw.items()]
    return made_chat(
        messages,
        title=text(row.get("title")) or text(chat.get("title")),
        created_at=moment(row.get("created_at")) or moment(chat.get("timestamp")),
        updated_at=moment(row.get("updated_at")),
        source=source_of(ChatFormat.OPEN_WEBUI, row.get("id") or chat.get("id")),
        head_id=_head(text(history.get("currentId")) or text(row.get("current_message_id")), raw),
        fallback_at=modified_at,
        system_prompt=text(mapping(chat.get("params")).get("system")) or text(chat.get("system")),
        is_pinned=bool(row.get("pinned")),
        is_archived=bool(row.get("archived")),
    )


def _head(current: str, raw: dict[str, dict[str, Any]]) -> str | None:
    """The current message; where it is missing, the end reached by always taking the last child that exists."""
    if current in raw:
        return current
    at = next((key for key, each in raw.items() if each.get("parentId") not in raw), None)
    seen: set[str] = set()
    while at is not None and at not in seen:
        seen.add(at)
        children = [each for each in items(raw[at].get("childrenIds")) if isinstance(each, str) and each in raw]
        if not children:
            return at
        at = children[-1]
    return at


def _message(key: str, raw: dict[str, Any], losses: Losses) -> StoredMessage:
    role = role_of(raw.get("role")) or Role.USER
    content = text(raw.get("content"))
    thinking: list[str] = []
    seconds: float | None = None
    if role is Role.ASSISTANT:
        for kind, attributes, body in _DETAILS.findall(content):
            if kind != "reasoning":
                losses[Loss.TOOLS] += 1
                continue
            thinking.append(_QUOTE.sub("", html.unescape(_SUMMARY.sub("", body))))
            duration = _DURATION.search(attributes)
            seconds = (seconds or 0.0) + float(duration.group(1)) if duration else seconds
        content = _DETAILS.sub("", content).strip()
    parent = raw.get("parentId")
    return StoredMessage(
        id=key,
        parent_id=parent if isinstance(parent, str) else None,
        role=role,
        content=content,
        reasoning="\n\n".join(thinking),
        reasoning_seconds=number(seconds),
        model_name=(text(raw.get("modelName")) or text(raw.get("model"))) if role is Role.ASSISTANT else "",
        created_at=moment(raw.get("timestamp")) or 0.0,
        attachments=tuple(_attachments(raw, losses)),
    )


def _attachments(raw: dict[str, Any], losses: Losses) -> list[Attachment]:
    found: list[Attachment] = []
    for file in mappings(raw.get("files")):
        if file.get("type") == "image":
            losses[Loss.IMAGES] += 1
            found.append(Attachment(name=text(file.get("name")) or "image", mime="image/*"))
            continue
        inner = mapping(file.get("file"))
        body = text(mapping(inner.get("data")).get("content"))
        losses[Loss.FILES] += not body
        found.append(
            Attachment(
                name=text(file.get("name")) or text(inner.get("filename")) or "file",
                mime=text(mapping(inner.get("meta")).get("content_type")) or "text/plain",
                text=body,
                n_bytes=count(file.get("size")) or len(body.encode()),
            )
        )
    return found
