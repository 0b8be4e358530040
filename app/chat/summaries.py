"""Summaries of a chat's oldest turns, made while the model is idle, so that a full context costs no waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.chat.answer import background_answer
from app.chat.chat_prompt import prompt_messages
from app.core.chat_database import ChatDatabase, Ended, report_failure
from app.core.host_client import HostClient
from app.core.tasks import spawn
from engine.errors import FirstlightError
from engine.protocol import (
    ChatMessage,
    ContextPolicy,
    CountTokens,
    TokensCounted,
)
from engine.protocol.summarization import split_turns, summary_request, turns_to_condense, with_summary
from engine.store.chat_values import StoredMessage, Summary
from engine.store.chats import ChatStore

_MAX_TOKENS = 400
_TEMPLATE_TOKENS = 8
"""About what a template writes around each message."""


class Summaries(QObject):
    """`changed(chat_id)` when a chat has another summary."""

    changed = Signal(str)

    def __init__(self, client: HostClient, database: ChatDatabase, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client, self._database = client, database
        self._known: dict[str, list[Summary]] = {}
        self._counts: dict[str, int] = {}
        self._running: asyncio.Task[None] | None = None

    async def open(self, chat_id: str) -> None:
        """Read what a chat has. Raises StorageError."""
        self._known[chat_id] = await self._database.call(ChatStore.summaries, chat_id)

    def current(self, path: Sequence[StoredMessage], policy: ContextPolicy = ContextPolicy.SUMMARISE) -> Summary | None:
        """The summary that stands for the beginning of these messages: the last one that ends among them."""
        if policy is not ContextPolicy.SUMMARISE:
            return None
        ids = {message.id for message in path}
        known = self._known.get(path[0].chat_id, []) if path else []
        return next((summary for summary in reversed(known) if summary.covers_to in ids), None)

    def prompt(
        self, path: Sequence[StoredMessage], system_prompt: str, policy: ContextPolicy
    ) -> tuple[ChatMessage, ...]:
        """What the model is given: the messages, under `summarise` their beginning replaced by its summary."""
        summary = self.current(path, policy)
        if summary is None:
            return prompt_messages(path, system_prompt)
        messages, ids = _placed(path, system_prompt)
        return with_summary(messages, _covered(messages, ids, summary), summary.text)

    def n_condensed(self, path: Sequence[StoredMessage], policy: ContextPolicy) -> int:
        """How many of the first messages of the path are seen only through the summary."""
        summary = self.current(path, policy)
        ids = [message.id for message in path]
        return ids.index(summary.covers_to) + 1 if summary is not None else 0

    @property
    def is_idle(self) -> bool:
        """Whether none is being made."""
        return self._running is None or self._running.done()

    def cancel(self) -> None:
        """Something more urgent is asked of the model."""
        if self._running is not None:
            self._running.cancel()
            self._running = None

    def make(self, path: Sequence[StoredMessage], system_prompt: str) -> None:
        """Condense the oldest turns in the background, if the chat is close to filling its context."""
        self.cancel()
        if path:
            self._running = spawn(self._make(tuple(path), system_prompt), owner=self, name="summary")

    def edit(self, summary: Summary, text: str, ended: Ended) -> None:
        """Take the user's own words, which are theirs until `ended` is called."""
        storing = self._edit(summary, text)
        spawn(report_failure(storing, ended), owner=self, name="edit summary", inside=storing)

    async def _edit(self, summary: Summary, text: str) -> None:
        await self._database.call(ChatStore.edit_summary, summary.id, text)
        await self.open(summary.chat_id)
        self.changed.emit(summary.chat_id)

    async def _make(self, path: tuple[StoredMessage, ...], system_prompt: str) -> None:
        chat_id = path[0].chat_id
        try:
            messages, ids = _placed(path, system_prompt)
            earlier = self.current(path)
            gone = set(_covered(messages, ids, earlier)) if earlier is not None else set()
            kept = [place for place in range(len(messages)) if place not in gone]
            counts, n_ctx = await self._count(messages, ids, earlier)
            open_messages = [messages[place] for place in kept]
            places = turns_to_condense(open_messages, [counts[place] for place in kept], n_ctx)
            if not n_ctx or not places:
                return
            text = await self._ask(summary_request(open_messages, places, earlier.text if earlier else ""))
            if text:
                await self._database.call(ChatStore.add_summary, chat_id, text, ids[kept[places[-1]]])
                await self.open(chat_id)
                self.changed.emit(chat_id)
        except FirstlightError:
            # Without a summary the oldest turns slide out: no reason to disturb anybody.
            return

    async def _count(
        self, messages: Sequence[ChatMessage], ids: Sequence[str], earlier: Summary | None
    ) -> tuple[list[int], int]:
        """Tokens of each message, and what is left of the context beside the earlier summary."""
        counts, n_ctx = [], 0
        for message, message_id in zip(messages, ids, strict=True):
            if not message_id or message_id not in self._counts:
                self._counts[message_id], n_ctx = await self._tokens(message.content)
            counts.append(self._counts[message_id] + _TEMPLATE_TOKENS)
        n_summary, n_ctx = await self._tokens(earlier.text if earlier is not None else " ")
        return counts, n_ctx - n_summary

    async def _tokens(self, text: str) -> tuple[int, int]:
        event = await self._client.request(CountTokens(prompt=text))
        return (event.n_tokens, event.n_ctx) if isinstance(event, TokensCounted) else (0, 0)

    async def _ask(self, messages: tuple[ChatMessage, ...]) -> str:
        return (await background_answer(self._client, messages, _MAX_TOKENS)).strip()


def _placed(path: Sequence[StoredMessage], system_prompt: str) -> tuple[tuple[ChatMessage, ...], list[str]]:
    """The messages of a request and the id of each; the system prompt has none."""
    head = prompt_messages((), system_prompt)
    parts = [(made, message.id) for message in path for made in prompt_messages((message,), "")]
    return (*head, *(made for made, _ in parts)), ["" for _ in head] + [message_id for _, message_id in parts]


def _covered(messages: Sequence[ChatMessage], ids: Sequence[str], summary: Summary | None) -> tuple[int, ...]:
    """Places that a summary stands for: up to where it ends, turns with a pinned message left standing."""
    if summary is None or summary.covers_to not in ids:
        return ()
    last = ids.index(summary.covers_to)
    turns = split_turns(messages, [0] * len(messages))
    return tuple(place for turn in turns if not turn.is_fixed for place in turn.indices if place <= last)
