"""SillyTavern's chats: JSON lines, the first about the chat; swipes are versions of a message."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from engine.protocol.values import Role
from engine.store.chat_values import StoredMessage
from engine.store.exchange.chat_builder import made_chat, source_of
from engine.store.exchange.import_report import ChatFormat, Loss, Losses, ReadChat
from engine.store.exchange.json_fields import count, day, items, mapping, moment, number, text


def read(lines: Iterable[Any | None], losses: Losses, modified_at: float, name: str = "") -> ReadChat:
    """One chat from the values of its file; `name` is the file's."""
    head: dict[str, Any] = {}
    messages: list[StoredMessage] = []
    parent: str | None = None
    for i, line in enumerate(lines):
        raw = mapping(line)
        if line is None:
            losses[Loss.BROKEN_LINES] += 1
        elif "mes" not in raw:
            head = head or raw
        elif raw.get("is_system") is True:
            losses[Loss.HIDDEN] += 1
        else:
            made = _versions(raw, i, parent)
            messages += made
            parent = _selected(raw, made).id
    character = text(head.get("character_name"))
    created = moment(head.get("create_date"))
    integrity = text(mapping(head.get("chat_metadata")).get("integrity"))
    if not integrity and messages:
        # No id in the file: the same name and beginning make the same chat.
        integrity = hashlib.sha256(f"{name}\n{messages[0].content}".encode()).hexdigest()[:32]
    start = created or next((each.created_at for each in messages if each.created_at), modified_at)
    return made_chat(
        messages,
        title=f"{character} {day(start)}" if character else name,
        created_at=created,
        source=source_of(ChatFormat.SILLY_TAVERN, integrity),
        head_id=parent,
        fallback_at=modified_at,
    )


def _versions(raw: dict[str, Any], i: int, parent: str | None) -> list[StoredMessage]:
    """One message for each swipe; the text that is shown is one more where no swipe equals it."""
    shown = text(raw.get("mes"))
    swipes = [text(each) for each in items(raw.get("swipes")) if isinstance(each, str)]
    details = items(raw.get("swipe_info"))
    if not swipes:
        swipes, details = [shown], [raw]
    elif _swipe_id(raw, swipes) is None and shown not in swipes:
        swipes, details = [*swipes, shown], [*details[: len(swipes)], *[{}] * (len(swipes) - len(details)), raw]
    role = Role.USER if raw.get("is_user") is True else Role.ASSISTANT
    made = []
    for j, swipe in enumerate(swipes):
        detail = mapping(details[j]) if j < len(details) else {}
        extra = mapping(detail.get("extra"))
        milliseconds = number(extra.get("reasoning_duration"))
        made.append(
            StoredMessage(
                id=f"{i}.{j}",
                parent_id=parent,
                role=role,
                content=swipe,
                reasoning=text(extra.get("reasoning")),
                reasoning_seconds=milliseconds / 1000 if milliseconds is not None else None,
                model_name=text(extra.get("model")) if role is Role.ASSISTANT else "",
                created_at=moment(detail.get("send_date")) or moment(raw.get("send_date")) or 0.0,
            )
        )
    return made


def _swipe_id(raw: dict[str, Any], swipes: list[str]) -> int | None:
    """The number of the shown swipe, where it really is the shown text."""
    i = count(raw.get("swipe_id"))
    return i if i < len(swipes) and swipes[i] == text(raw.get("mes")) else None


def _selected(raw: dict[str, Any], made: list[StoredMessage]) -> StoredMessage:
    i = count(raw.get("swipe_id"))
    shown = text(raw.get("mes"))
    if i < len(made) and made[i].content == shown:
        return made[i]
    return next((each for each in made if each.content == shown), made[-1])
