"""Values of the chat store: chats, messages, folders, attachments, summaries, drafts and search hits."""

from __future__ import annotations

import enum

import msgspec

from engine.metrics import RequestMetrics
from engine.protocol.values import ContextPolicy, EffectiveSettings, Role
from engine.translatable import Translatable


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of what is stored; unknown fields are ignored when read. Times are seconds since 1970, UTC."""


class MessageState(enum.StrEnum):
    """How far a message is."""

    STREAMING = "streaming"
    """Text still arrives. Found at a start, it means that the app died: it is then made PARTIAL."""
    COMPLETE = "complete"
    PARTIAL = "partial"
    """Ended early, by the user or by a fault; what had arrived is kept."""
    FAILED = "failed"
    """Nothing arrived."""


class Attachment(Record, frozen=True, kw_only=True):
    """A file that was sent with a message."""

    name: str
    mime: str = "text/plain"
    text: str = ""
    """All of it that can be read; empty for pictures, and for what is known by its name only."""
    n_bytes: int = 0
    """Size of the original file."""
    path: str = ""
    """Where the original lies; empty when it is not kept."""
    pages: tuple[int, ...] = ()
    """Where each page begins in the text, in characters; empty for a text without pages."""
    part: tuple[int, int] | None = None
    """What the user chose of the text, as characters from and to; None for all of it."""
    n_tokens: int = 0
    """Of what the model is given, as the model counted that it was sent to; 0 while unknown."""

    @property
    def given(self) -> str:
        """What the model is given of the text."""
        return self.text if self.part is None else self.text[slice(*self.part)]

    @property
    def is_picture(self) -> bool:
        return self.mime.startswith("image/") and not self.text


class Folder(Record, frozen=True, kw_only=True):
    """A folder of chats in the sidebar."""

    id: str
    name: str
    position: int = 0
    is_collapsed: bool = False


class Chat(Record, frozen=True, kw_only=True):
    """A chat without its messages."""

    id: str
    title: str = ""
    """Empty until the user or the automatic title sets one."""
    created_at: float
    updated_at: float
    """When the last message came; organising a chat does not change it."""
    folder_id: str | None = None
    is_pinned: bool = False
    is_archived: bool = False
    preset: str = ""
    """Name of a preset; empty follows the default one."""
    system_prompt: str | None = None
    """None follows the preset."""
    head_id: str | None = None
    """The last message of the version that is shown; None for an empty chat."""
    context_policy: ContextPolicy | None = None
    """None follows the preset."""
    is_math_on: bool | None = None
    """Whether formulas are drawn; None follows the settings."""
    source: str = ""
    """Where an imported chat came from, as kind:id; recognises a second import. Empty for our own."""
    deleted_at: float | None = None


class StoredMessage(Record, frozen=True, kw_only=True):
    """One message: a node of its chat's tree."""

    id: str
    chat_id: str = ""
    """Empty until an imported one is taken in."""
    parent_id: str | None = None
    """None for a first message."""
    role: Role
    content: str = ""
    reasoning: str = ""
    state: MessageState = MessageState.COMPLETE
    finish_reason: str | None = None
    note: Translatable = ""
    """Why it ended as it did, in one sentence; empty when there is nothing to say. Older ones are plain text."""
    metrics: RequestMetrics | None = None
    perceived_ttft: float | None = None
    """Seconds from Enter to the first painted glyph."""
    effective: EffectiveSettings | None = None
    model_name: str = ""
    created_at: float
    reasoning_seconds: float | None = None
    attachments: tuple[Attachment, ...] = ()
    is_pinned: bool = False
    """Never dropped by the context policy."""


class Summary(Record, frozen=True, kw_only=True):
    """A text that stands for the beginning of a chat, for the summarise policy."""

    id: str
    chat_id: str
    text: str
    covers_to: str
    """Id of the last message that the text stands for."""
    created_at: float
    is_edited: bool = False


class Draft(Record, frozen=True, kw_only=True):
    """What is written in the composer and not yet sent."""

    text: str = ""
    attachments: tuple[Attachment, ...] = ()


class SearchHit(Record, frozen=True, kw_only=True):
    """One place where a search was found."""

    chat_id: str
    chat_title: str
    message_id: str | None = None
    """None when the title was hit."""
    role: Role | None = None
    created_at: float
    is_archived: bool = False
    snippet: str
    """A piece of the text around the first hit, on one line."""
    highlights: tuple[tuple[int, int], ...] = ()
    """Ranges of the snippet to highlight: start, end, in characters."""
