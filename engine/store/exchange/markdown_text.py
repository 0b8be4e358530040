"""A chat as Markdown.

What stands there besides the chat is said through `tell`, which knows the reader's language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime

from engine.protocol.values import Role
from engine.store.chat_values import Attachment, Chat, StoredMessage
from engine.translatable import Translatable, phrase, sentence

Tell = Callable[[Translatable], str]
"""Says something in the reader's language; str says it in English."""

SPEAKERS = {
    Role.USER: phrase("You"),
    Role.ASSISTANT: phrase("Assistant"),
    Role.SYSTEM: phrase("System"),
    Role.TOOL: phrase("Tool"),
}
UNTITLED = phrase("Chat")
SYSTEM_PROMPT = phrase("System prompt")
REASONING = phrase("Reasoning")


def markdown_of(chat: Chat, messages: Iterable[StoredMessage], tell: Tell = str) -> str:
    """The shown messages of a chat with their readings; reasoning and attachments are folded."""
    parts = [f"# {_one_line(chat.title) or tell(UNTITLED)}", f"*{written(chat.created_at)}*"]
    if chat.system_prompt:
        parts += [f"## {tell(SYSTEM_PROMPT)}", chat.system_prompt]
    for message in messages:
        parts += _message(message, tell)
    return "\n\n".join(parts) + "\n"


def readings(message: StoredMessage, tell: Tell) -> str:
    """The figures of an answer in one line, those that were measured; empty for none."""
    metrics = message.metrics
    ttft = message.perceived_ttft if message.perceived_ttft is not None else metrics and metrics.ttft
    found = [message.model_name] if message.model_name else []
    if ttft is not None:
        found.append(tell(sentence("first token after {seconds:.2f} s", seconds=ttft)))
    if metrics and metrics.decode_tps:
        found.append(tell(sentence("{rate:.1f} tok/s", rate=metrics.decode_tps)))
    if metrics and metrics.n_decoded:
        found.append(tell(sentence("1 token" if metrics.n_decoded == 1 else "{n:,} tokens", n=metrics.n_decoded)))
    return " · ".join(found)


def attached(attachment: Attachment) -> Translatable:
    """What stands over a file."""
    return sentence("Attached: {name}", name=_one_line(attachment.name))


def written(seconds: float) -> str:
    """A moment in the user's time zone, to the minute."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")


def _message(message: StoredMessage, tell: Tell) -> list[str]:
    parts = [f"## {tell(SPEAKERS[message.role])}"]
    if message.reasoning:
        parts.append(_folded(tell(REASONING), message.reasoning))
    if message.content:
        parts.append(message.content)
    parts += [_attachment(each, tell) for each in message.attachments]
    if message.note:
        parts.append(f"*{tell(message.note)}*")
    if line := readings(message, tell):
        parts.append(f"*{line}*")
    return parts


def _attachment(attachment: Attachment, tell: Tell) -> str:
    if not attachment.given:
        return f"*{tell(attached(attachment))}*"
    # A fence longer than any in the text cannot be closed by it.
    longest = max((len(run) for run in re.findall("`+", attachment.given)), default=0)
    fence = "`" * max(3, longest + 1)
    return _folded(tell(attached(attachment)), f"{fence}\n{attachment.given}\n{fence}")


def _folded(title: str, body: str) -> str:
    safe = title.replace("&", "&amp;").replace("<", "&lt;")
    return f"<details><summary>{safe}</summary>\n\n{body}\n\n</details>"


def _one_line(text: str) -> str:
    return " ".join(text.split())
