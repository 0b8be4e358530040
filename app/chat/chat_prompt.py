"""From stored messages to what the model is given, and to what the views show."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Mapping, Sequence

from app.core.conversation_model import MessageItem
from app.core.engine_texts import translated
from app.core.tool_markup import split_tool_call, without_fence
from engine.protocol.values import ChatMessage, Role
from engine.store.chat_values import Attachment, MessageState, StoredMessage


def prompt_messages(path: Iterable[StoredMessage], system_prompt: str) -> tuple[ChatMessage, ...]:
    """The messages of a request: the system prompt, then the path, without answers in which nothing arrived."""
    head = (ChatMessage(role=Role.SYSTEM, content=system_prompt),) if system_prompt.strip() else ()
    turns = tuple(
        ChatMessage(
            role=message.role,
            content=with_attachments(_given(message), message.attachments),
            reasoning=message.reasoning,
            is_pinned=message.is_pinned,
        )
        for message in path
        if message.content or message.attachments or message.role is not Role.ASSISTANT
    )
    return head + turns


def _given(message: StoredMessage) -> str:
    return without_fence(message.content) if message.role is Role.ASSISTANT else message.content


def with_attachments(text: str, attachments: Sequence[Attachment]) -> str:
    """The text with its files before it, each fenced by a line longer than any fence inside it.

    Pictures are left out, because the model gets nothing of them; of a part it is said which one it is.
    """
    parts = []
    for attachment in attachments:
        if attachment.is_picture:
            continue
        given = attachment.given
        fence = "`" * max(3, 1 + max(map(len, re.findall("`{3,}", given)), default=0))
        parts.append(f"{_label(attachment)}\n{fence}\n{given.rstrip()}\n{fence}")
    return "\n\n".join([*parts, text] if text else parts)


def _label(attachment: Attachment) -> str:
    """The file's name and, where the model does not get all of it, what it gets."""
    if attachment.part is None:
        return attachment.name
    start, end = attachment.part
    if attachment.pages:
        first, last = bisect.bisect_right(attachment.pages, start), bisect.bisect_left(attachment.pages, end)
        return f"{attachment.name} (pages {first} to {last} of {len(attachment.pages)})"
    text = attachment.text
    first, last, total = (text.count("\n", 0, place) + 1 for place in (start, end - 1, len(text) - 1))
    return f"{attachment.name} (lines {first} to {last} of {total})"


def message_item(message: StoredMessage, versions: Mapping[str, Sequence[str]]) -> MessageItem:
    """One stored message as the views show it; `versions` as ChatStore.versions() gives them."""
    siblings = versions.get(message.id, (message.id,))
    content, tool_call = split_tool_call(message.content) if message.role is Role.ASSISTANT else (message.content, "")
    return MessageItem(
        id=message.id,
        role=message.role,
        content=content,
        reasoning=message.reasoning,
        tool_call=tool_call,
        is_streaming=message.state is MessageState.STREAMING,
        note=translated(message.note),
        note_is_warning=message.state is MessageState.FAILED,
        is_cut=message.state is MessageState.PARTIAL and message.role is Role.ASSISTANT,
        metrics=message.metrics,
        perceived_ttft=message.perceived_ttft,
        effective=message.effective,
        version_index=siblings.index(message.id),
        version_count=len(siblings),
        model_name=message.model_name,
        reasoning_seconds=message.reasoning_seconds,
        attachments=message.attachments,
    )


def first_words(text: str, limit: int = 48) -> str:
    """A title from the first words of a message."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit + 1].rsplit(" ", 1)[0] if " " in line[: limit + 1] else line[:limit]
    return cut.rstrip(" ,.;:-") + "…"
