"""A chat as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from engine.protocol.values import Role
from engine.store.values import Attachment, Chat, StoredMessage

SPEAKERS = {Role.USER: "You", Role.ASSISTANT: "Assistant", Role.SYSTEM: "System", Role.TOOL: "Tool"}


def markdown_of(chat: Chat, messages: Iterable[StoredMessage]) -> str:
    """The shown messages of a chat with their readings; reasoning and attachments are folded."""
    parts = [f"# {_one_line(chat.title) or 'Chat'}", f"*{written(chat.created_at)}*"]
    if chat.system_prompt:
        parts += ["## System prompt", chat.system_prompt]
    for message in messages:
        parts += _message(message)
    return "\n\n".join(parts) + "\n"


def readings(message: StoredMessage) -> str:
    """The figures of an answer in one line, those that were measured; empty for none."""
    metrics = message.metrics
    ttft = message.perceived_ttft if message.perceived_ttft is not None else metrics and metrics.ttft
    found = [message.model_name] if message.model_name else []
    if ttft is not None:
        found.append(f"first token after {ttft:.2f} s")
    if metrics and metrics.decode_tps:
        found.append(f"{metrics.decode_tps:.1f} tokens/s")
    if metrics and metrics.n_decoded:
        found.append(f"{metrics.n_decoded} tokens")
    return " · ".join(found)


def written(seconds: float) -> str:
    """A moment in the user's time zone, to the minute."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")


def _message(message: StoredMessage) -> list[str]:
    parts = [f"## {SPEAKERS[message.role]}"]
    if message.reasoning:
        parts.append(_folded("Reasoning", message.reasoning))
    if message.content:
        parts.append(message.content)
    parts += [_attachment(each) for each in message.attachments]
    if message.note:
        parts.append(f"*{message.note}*")
    if line := readings(message):
        parts.append(f"*{line}*")
    return parts


def _attachment(attachment: Attachment) -> str:
    name = _one_line(attachment.name)
    if not attachment.given:
        return f"*Attached: {name}*"
    # A fence longer than any in the text cannot be closed by it.
    longest = max((len(run) for run in re.findall("`+", attachment.given)), default=0)
    fence = "`" * max(3, longest + 1)
    return _folded(f"Attached: {name}", f"{fence}\n{attachment.given}\n{fence}")


def _folded(title: str, body: str) -> str:
    safe = title.replace("&", "&amp;").replace("<", "&lt;")
    return f"<details><summary>{safe}</summary>\n\n{body}\n\n</details>"


def _one_line(text: str) -> str:
    return " ".join(text.split())
