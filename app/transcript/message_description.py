"""What is said about a message besides its text: who wrote it, its files, its version and its figures."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.core.conversation_model import MessageItem
from app.transcript.card_painting import attachment_text
from app.transcript.footer_figures import figures, prefill_text
from engine.protocol.values import Role

translate = QCoreApplication.translate


def author(role: Role) -> str:
    """Who wrote messages of this role, as a heading."""
    return {
        Role.USER: translate("Message", "You"),
        Role.ASSISTANT: translate("Message", "Assistant"),
        Role.SYSTEM: translate("Message", "System prompt"),
        Role.TOOL: translate("Message", "Tool result"),
    }[role]


def spoken_name(item: MessageItem, text: str) -> str:
    """The message for a screen reader: who wrote it, and what."""
    if not text.strip() and item.prefill is not None:
        text = prefill_text(item.prefill)
    return translate("Message", "{who}: {text}").format(who=author(item.role), text=text)


def spoken_facts(item: MessageItem, marker: str = "") -> str:
    """What the eye finds around the message; `marker` is the line above it."""
    facts = [marker, *map(attachment_text, item.attachments)]
    if item.version_count == 1:
        facts.append(item.model_name)  # Of several versions the figures name it.
    else:
        version = translate("Message", "version {n} of {count}")
        facts.append(version.format(n=item.version_index + 1, count=item.version_count))
    return ", ".join(filter(None, (*facts, *(figure.text for figure in figures(item)))))
