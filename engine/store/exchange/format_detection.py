"""Tells which program's chats a file holds, by what is in it and never by its name."""

from __future__ import annotations

from typing import Any

from engine.store.exchange.import_report import ChatFormat
from engine.store.exchange.json_fields import items, mapping, mappings


def kind_of(value: object) -> ChatFormat | None:
    """The foreign format of one element: a chat of an array, a whole small file, or a line; None for no known one."""
    found = mapping(value)
    messages = mappings(found.get("messages"))
    if isinstance(found.get("mapping"), dict):
        return ChatFormat.CHATGPT
    if isinstance(found.get("chat_messages"), list):
        return ChatFormat.CLAUDE
    if any(isinstance(each.get("versions"), list) for each in messages) or "perChatPredictionConfig" in found:
        return ChatFormat.LM_STUDIO
    if _has_history(found) or _has_history(mapping(found.get("chat"))):
        return ChatFormat.OPEN_WEBUI
    if found.get("object") in ("thread.message", "thread"):
        return ChatFormat.JAN
    if str(found.get("spec", "")).startswith("chara_card") or {"name", "first_mes", "description"} <= found.keys():
        return ChatFormat.CHARACTER_CARD
    if "chat_metadata" in found or {"user_name", "character_name"} <= found.keys():
        return ChatFormat.SILLY_TAVERN
    if any("role" in each and ("content" in each or "tool_calls" in each) for each in messages):
        return ChatFormat.OPENAI
    if any("from" in each and "value" in each for each in mappings(found.get("conversations"))):
        return ChatFormat.SHAREGPT
    return None


def unwrapped(value: object) -> list[Any]:
    """The chats inside a small file: its elements where it wraps a list of chats, else itself."""
    found = mapping(value)
    if kind_of(value) is None:
        for key in ("conversations", "chats", "data", "items"):
            inner = items(found.get(key))
            if any(kind_of(each) is not None for each in inner[:5]):
                return inner
    return [value]


def _has_history(value: dict[str, Any]) -> bool:
    return isinstance(mapping(value.get("history")).get("messages"), dict)
