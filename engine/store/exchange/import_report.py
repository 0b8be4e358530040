"""What an import or export needs besides the data: the chat as read, the losses, progress, and the final report."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from engine.store.chat_values import Chat, StoredMessage, Summary
from engine.translatable import Translatable, phrase, sentence


class ChatFormat(enum.StrEnum):
    """Formats that can be imported."""

    FIRSTLIGHT = "firstlight"
    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    LM_STUDIO = "lm_studio"
    JAN = "jan"
    OPEN_WEBUI = "open_webui"
    SILLY_TAVERN = "silly_tavern"
    CHARACTER_CARD = "character_card"
    GPT4ALL = "gpt4all"
    OPENAI = "openai"
    SHAREGPT = "sharegpt"


class Loss(enum.StrEnum):
    """Parts of foreign chats that have no place here; the value is the sentence, with {n} for how many."""

    IMAGES = phrase("Images left out: {n:,}. The export names them, but this version keeps text.")
    FILES = phrase("Attached files that came in by name only: {n:,}. The export does not hold their text.")
    SOURCES = phrase("Excerpts of documents that the model was given, left out: {n:,}.")
    TOOLS = phrase("Tool calls and results left out: {n:,}.")
    HIDDEN = phrase("Hidden system messages left out: {n:,}.")
    EMPTY_CHATS = phrase("Chats without any message left out: {n:,}.")
    UNKNOWN_PARTS = phrase("Parts of an unknown kind kept as raw JSON: {n:,}.")
    BROKEN_LINES = phrase("Places that are not JSON, skipped: {n:,}.")
    BROKEN_LINKS = phrase("Messages that had lost their place and were put at the start of their chat: {n:,}.")


class Losses(Counter[Loss]):
    """How often each loss happened."""

    def sentences(self) -> list[Translatable]:
        return [sentence(loss.value, n=n) for loss, n in self.items() if n]


class ReadChat(msgspec.Struct, frozen=True, kw_only=True):
    """A chat as a reader found it. Ids are the foreign ones; they are replaced when it is taken in."""

    chat: Chat
    messages: Sequence[StoredMessage]
    folder: str = ""
    summaries: Sequence[Summary] = ()


class Character(msgspec.Struct, frozen=True, kw_only=True):
    """A character card, as what a preset needs."""

    name: str
    system_prompt: str
    """Everything of the card that belongs into the prompt, with its placeholders."""
    greetings: tuple[str, ...] = ()
    post_history: str = ""
    creator_notes: str = ""
    """For the reader, never for the prompt."""
    card: dict[str, Any] = {}
    """The whole card, unknown extensions included."""


class ImportProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far an import is."""

    done_bytes: int
    total_bytes: int
    n_chats: int


class ImportReport(msgspec.Struct, frozen=True, kw_only=True):
    """What came in, and what did not."""

    kinds: tuple[ChatFormat, ...] = ()
    n_chats: int = 0
    n_messages: int = 0
    n_skipped: int = 0
    """Chats that could not be read."""
    n_duplicates: int = 0
    """Chats that are here already."""
    problems: tuple[Translatable, ...] = ()
    """One sentence each: what was left out, and why."""
    chat_ids: tuple[str, ...] = ()
    """The new chats, for undoing the import."""
    characters: tuple[Character, ...] = ()
    is_cancelled: bool = False


OnProgress = Callable[[ImportProgress], None]
IsCancelled = Callable[[], bool]
