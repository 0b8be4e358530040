"""ChatGPT's data export: conversations as trees of nodes, of which many are never shown."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from engine.protocol.values import Role
from engine.store.chat_values import Attachment, StoredMessage
from engine.store.exchange.chat_builder import made_chat, role_of, source_of
from engine.store.exchange.import_report import ChatFormat, Loss, Losses, ReadChat
from engine.store.exchange.json_fields import count, items, mapping, mappings, moment, text

# Citations stand between private-use marks, or in lenticular brackets with a dagger; plain brackets are Chinese text.
_CITATION = re.compile("\ue200[^\ue201]*\ue201|【[^】]*†[^】]*】|[\ue000-\uf8ff]")
_TOOL_KINDS = {
    "execution_output",
    "tether_quote",
    "tether_browsing_display",
    "computer_output",
    "system_error",
    "super_widget",
    "reasoning_recap",
}


def read(raw: dict[str, Any], losses: Losses, modified_at: float) -> ReadChat:
    """One conversation with all its branches."""
    nodes = {key: mapping(value) for key, value in mapping(raw.get("mapping")).items()}
    default_model = text(raw.get("default_model_slug"))
    made: dict[str, StoredMessage] = {}
    thoughts: dict[str, str] = {}
    for key, node in nodes.items():
        message = mapping(node.get("message"))
        if not message:
            continue
        if _content_kind(message) == "thoughts":
            thoughts[key] = _thoughts(message)
        elif _is_shown(message, losses):
            made[key] = _message(key, message, default_model, losses)
    # In the order of their making: siblings are shown in it.
    order = {key: i for i, key in enumerate(made)}
    linked = [
        _linked(made[key], nodes, made, thoughts)
        for key in sorted(made, key=lambda key: (made[key].created_at or _time_above(key, nodes), order[key]))
    ]
    head = text(raw.get("current_node"))
    return made_chat(
        linked,
        title=text(raw.get("title")),
        created_at=moment(raw.get("create_time")),
        updated_at=moment(raw.get("update_time")),
        source=source_of(ChatFormat.CHATGPT, raw.get("conversation_id") or raw.get("id")),
        head_id=next((each for each in _upwards(head, nodes) if each in made), None),
        fallback_at=modified_at,
        is_pinned=bool(raw.get("is_starred")),
        is_archived=bool(raw.get("is_archived")),
    )


def _content_kind(message: dict[str, Any]) -> str:
    return text(mapping(message.get("content")).get("content_type"))


def _is_shown(message: dict[str, Any], losses: Losses) -> bool:
    role = text(mapping(message.get("author")).get("role"))
    if role == "tool" or message.get("recipient") not in (None, "all") or _content_kind(message) in _TOOL_KINDS:
        losses[Loss.TOOLS] += 1
        return False
    is_hidden = mapping(message.get("metadata")).get("is_visually_hidden_from_conversation") is True
    if role == "system" or is_hidden or message.get("weight") == 0 or role_of(role) is None:
        if _plain(mapping(message.get("content"))):
            losses[Loss.HIDDEN] += 1
        return False
    return True


def _message(key: str, message: dict[str, Any], default_model: str, losses: Losses) -> StoredMessage:
    role = role_of(mapping(message.get("author")).get("role")) or Role.USER
    content, attachments = _content(mapping(message.get("content")), losses)
    model = text(mapping(message.get("metadata")).get("model_slug")) or default_model
    for file in mappings(mapping(message.get("metadata")).get("attachments")):
        if not text(file.get("mime_type")).startswith("image/"):
            attachments.append(
                Attachment(
                    name=text(file.get("name")) or "file",
                    mime=text(file.get("mime_type")),
                    n_bytes=count(file.get("size")),
                )
            )
            losses[Loss.FILES] += 1
    return StoredMessage(
        id=key,
        role=role,
        content=_CITATION.sub("", content).strip() if role is Role.ASSISTANT else content,
        model_name=model if role is Role.ASSISTANT else "",
        created_at=moment(message.get("create_time")) or 0.0,
        attachments=tuple(attachments),
    )


def _content(content: dict[str, Any], losses: Losses) -> tuple[str, list[Attachment]]:
    pieces: list[str] = []
    attachments: list[Attachment] = []
    for part in items(content.get("parts")):
        if isinstance(part, str):
            pieces.append(text(part))
        elif "asset_pointer" in mapping(part):
            losses[Loss.IMAGES] += 1
            name = text(part["asset_pointer"]).rsplit("/", 1)[-1]
            attachments.append(Attachment(name=name or "image", mime="image/*", n_bytes=count(part.get("size_bytes"))))
        elif transcript := text(mapping(part).get("text")):
            pieces.append(transcript)
        elif part:
            losses[Loss.UNKNOWN_PARTS] += 1
            pieces.append(_as_json(part))
    joined = "\n\n".join(filter(None, pieces))
    if not joined and not attachments:
        joined = _plain(content)
        if content.get("content_type") == "code" and joined:
            joined = f"```{text(content.get('language')).replace('unknown', '')}\n{joined}\n```"
    if not joined and not attachments and content.keys() - {"content_type", "parts"}:
        losses[Loss.UNKNOWN_PARTS] += 1
        joined = _as_json(content)
    return joined, attachments


def _plain(content: dict[str, Any]) -> str:
    parts = "\n\n".join(text(part) for part in items(content.get("parts")))
    return parts or text(content.get("text")) or text(content.get("result"))


def _thoughts(message: dict[str, Any]) -> str:
    found = []
    for thought in mappings(mapping(message.get("content")).get("thoughts")):
        summary, body = text(thought.get("summary")), text(thought.get("content"))
        found.append("\n".join(filter(None, (f"**{summary}**" if summary else "", body))))
    return "\n\n".join(filter(None, found))


def _linked(
    message: StoredMessage, nodes: dict[str, dict[str, Any]], made: dict[str, StoredMessage], thoughts: dict[str, str]
) -> StoredMessage:
    """The message below the nearest one that is shown, with the thinking that lay between."""
    between: list[str] = []
    parent: str | None = None
    for above in itertools.islice(_upwards(message.id, nodes), 1, None):
        if above in made:
            parent = above
            break
        between.append(thoughts.get(above, ""))
    reasoning = "\n\n".join(filter(None, reversed(between))) if message.role is Role.ASSISTANT else ""
    return msgspec.structs.replace(message, parent_id=parent, reasoning=reasoning)


def _upwards(key: object, nodes: dict[str, dict[str, Any]]) -> Iterator[str]:
    """A node and those above it; a circle is left where it closes."""
    seen: set[str] = set()
    while isinstance(key, str) and key in nodes and key not in seen:
        seen.add(key)
        yield key
        key = nodes[key].get("parent")


def _time_above(key: str, nodes: dict[str, dict[str, Any]]) -> float:
    times = (moment(mapping(nodes[each].get("message")).get("create_time")) for each in _upwards(key, nodes))
    return next(filter(None, times), 0.0)


def _as_json(value: object) -> str:
    return f"```json\n{json.dumps(value, ensure_ascii=False, indent=2)}\n```"
