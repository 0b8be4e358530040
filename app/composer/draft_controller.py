"""What happens while the user types: token counts, prefill of what is already certain, and drafts that survive."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.chat.chat_prompt import with_attachments
from app.composer.prompt_size import PromptSize
from app.core.chat_database import ChatDatabase
from app.core.host_client import HostClient
from app.core.settings_store import SettingsStore
from app.core.tasks import run_blocking, spawn
from engine.errors import FirstlightError
from engine.protocol import (
    ChatMessage,
    ContextPolicy,
    CountTokens,
    Prewarm,
    PrewarmFinished,
    Role,
    Terminal,
    TokensCounted,
)
from engine.protocol.prewarm_timing import reading_delay
from engine.protocol.prompt_budget import prompt_room
from engine.settings import Preset
from engine.store.chat_values import Attachment
from engine.store.chats import ChatStore
from engine.store.drafts_and_summaries import NEW_CHAT

_SAVE_MS = 800
_SMALLEST_CONTEXT = 512
"""Taken until the model has told its own."""
_FRAME = 64
"""Tokens that a template puts around a message, at most."""


class DraftController(QObject):
    """Signals: counted(n_tokens, n_ctx, n_prepared), with None for not yet, measured(PromptSize) before it,
    attachment_counted(Attachment, n_tokens), draft_found(Draft): what was written since in the chat goes on behind it.
    """

    counted = Signal(object, int, int)
    measured = Signal(object)
    attachment_counted = Signal(object, int)
    draft_found = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        client: HostClient,
        database: ChatDatabase,
        settings_store: SettingsStore,
        *,
        history: Callable[[], tuple[ChatMessage, ...]],
        preset: Callable[[], Preset],
        policy: Callable[[], ContextPolicy],
        model_id: Callable[[], str],
        parent: QObject | None = None,
    ) -> None:
        """`history()` gives what the model would be given of the open chat, `preset()` and `policy()` what holds in it.

        `model_id()` is the model that will answer: another one may have answered last.
        """
        super().__init__(parent)
        self._client, self._database, self._settings_store = client, database, settings_store
        self._history, self._preset, self._policy, self._model_id = history, preset, policy, model_id
        self.chat_id: str | None = None
        """The chat whose draft this is: empty for a new one, None before the first."""
        self._text = ""
        self._attachments: tuple[Attachment, ...] = ()
        self._is_dirty = False
        self._is_ready = False
        self._is_closed = False
        self._is_busy = False
        self._counting: asyncio.Task[None] | None = None
        self._counted: TokensCounted | None = None
        self._n_ctx = 0
        """Of the model that counted last; zero before."""
        self._measured = ""
        """The text and the files of which the composer knows whether they fit."""
        self._basis: tuple[object, ...] = ()
        """What the count rests on beside the draft."""
        self._prewarms = PrewarmRequests(client, self)
        self._prewarms.prepared.connect(self._on_prepared)
        self._unread_since: float | None = None
        self._pause = QTimer(self, singleShot=True)
        self._pause.setTimerType(Qt.TimerType.PreciseTimer)
        self._pause.timeout.connect(self._on_pause)
        self._save = QTimer(self, singleShot=True, interval=_SAVE_MS)
        self._save.timeout.connect(self.save)

    def set_ready(self, is_ready: bool) -> None:
        """Whether a model is loaded."""
        if is_ready and not self._is_ready:
            self._pause.start(0)
            for attachment in self._attachments:
                self._count(attachment)
        elif self._is_ready and not is_ready:
            self._forget_count()
            self._n_ctx = 0
        self._is_ready = is_ready

    def set_busy(self, is_busy: bool) -> None:
        """Whether the open chat is being answered: its own request goes first."""
        if self._is_busy and not is_busy:
            self._pause.start(0)
        if is_busy and not self._is_busy:
            # What was written is sent: read ahead once more, behind the answer, it would take the answer's place.
            self._forget_count()
        self._is_busy = is_busy

    def open_chat(self, chat_id: str) -> None:
        """Another chat is open: keep the old draft, bring the new one, and prefill its history.

        Of the same chat another version may be shown, or its system prompt be another: then that is counted and read.
        """
        if chat_id == self.chat_id:
            if self._basis != self._count_basis():
                self._pause.start(0)
            return
        self.save()
        self._prewarms.stop()
        self._forget_count()
        self.chat_id = chat_id
        spawn(self._bring(chat_id), owner=self, name="draft")
        self._pause.start(0)

    def chat_was_stored(self, chat_id: str) -> None:
        """The new chat has its id now; what was written belonged to it and is sent, so the next one begins empty."""
        if self.chat_id == NEW_CHAT:
            spawn(self._keep(NEW_CHAT, "", ()), owner=self, name="forget draft")
            self._is_dirty = True
            self._save.start()
        self.chat_id = chat_id

    def set_draft(self, text: str, attachments: tuple[Attachment, ...]) -> None:
        """What is in the composer now."""
        new = [each for each in attachments if not any(each is known for known in self._attachments)]
        if self._is_closed:
            return
        self._text, self._attachments, self._is_dirty = text, attachments, True
        now = time.monotonic()
        if self._unread_since is None:
            self._unread_since = now
        self._pause.start(round(1000 * reading_delay(text, now - self._unread_since)))
        self._save.start()
        for attachment in new:
            self._count(attachment)

    def is_sure_to_fit(self, text: str, attachments: tuple[Attachment, ...]) -> bool:
        """Whether it was measured as it is, or would fit even with a token for each byte."""
        draft, messages = with_attachments(text, attachments), self._history()
        if self._counted is not None and draft == self._measured and self._basis == self._count_basis():
            return True
        is_strict = self._policy() is ContextPolicy.STOP
        stays = [each.content for each in messages if is_strict or each.role is Role.SYSTEM or each.is_pinned]
        n_ctx = self._n_ctx or _SMALLEST_CONTEXT
        return sum(len(each.encode()) + _FRAME for each in (*stays, draft)) <= self._room(n_ctx)

    async def measure(self, text: str, attachments: tuple[Attachment, ...]) -> PromptSize | None:
        """How long it would be, as soon as the model can count; None where none is loaded."""
        messages, draft = self._history(), with_attachments(text, attachments)
        counted = await self._count_tokens(messages=messages, draft=draft)
        return await self._measure(messages, draft, counted) if isinstance(counted, TokensCounted) else None

    def save(self) -> None:
        """Keep the draft."""
        self._save.stop()
        if self._is_dirty and self.chat_id is not None:
            self._is_dirty = False
            spawn(self._keep(self.chat_id, self._text, self._attachments), owner=self, name="save draft")

    def _count_basis(self) -> tuple[object, ...]:
        return self._history(), self._preset(), self._policy()

    def _forget_count(self) -> None:
        """Nothing is known of the next prompt until it is counted."""
        if self._counting is not None:
            self._counting.cancel()
        self._counted, self._basis = None, ()
        self.counted.emit(None, 0, 0)

    def _count(self, attachment: Attachment) -> None:
        spawn(self._count_attachment(attachment), owner=self, name="count attachment")

    def _on_pause(self) -> None:
        self._unread_since = None
        if not self._is_ready or self._is_busy or self._is_closed:
            return
        if self._counting is not None:
            self._counting.cancel()
        self._counting = spawn(self._prepare(), owner=self, name="prepare")

    def _on_prepared(self, n_prepared: int) -> None:
        if (counted := self._counted) is not None:
            self.counted.emit(counted.n_tokens, counted.n_ctx, min(n_prepared, counted.n_tokens))

    async def _prepare(self) -> None:
        """Count, then prefill: the count is what the user sees, the prefill what makes the answer come sooner."""
        self._basis, messages = self._count_basis(), self._history()
        draft = with_attachments(self._text, self._attachments)
        counted = await self._count_tokens(messages=messages, draft=draft)
        if not isinstance(counted, TokensCounted):
            return
        size = await self._measure(messages, draft, counted)
        self._counted, self._measured, self._n_ctx = counted, draft, counted.n_ctx
        self.measured.emit(size)
        self.counted.emit(counted.n_tokens, counted.n_ctx, 0)
        if not (messages or draft.strip()) or size.is_blocked or not await self._may_prewarm():
            self._prewarms.stop()
            return
        self._prewarms.begin(
            Prewarm(
                model_id=self._model_id(),
                messages=messages,
                draft=draft,
                chat_id=self.chat_id or "",
                template_options=self._preset().template_options,
            )
        )

    async def _count_tokens(
        self, *, messages: tuple[ChatMessage, ...] = (), draft: str = "", prompt: str | None = None
    ) -> Terminal:
        return await self._client.request(
            CountTokens(model_id=self._model_id(), messages=messages, draft=draft, prompt=prompt)
        )

    async def _measure(self, messages: tuple[ChatMessage, ...], draft: str, counted: TokensCounted) -> PromptSize:
        """How much there is, and how much of it even a chat without its earlier turns would have."""
        is_strict, room = self._policy() is ContextPolicy.STOP, self._room(counted.n_ctx)
        if counted.n_tokens <= room:
            return PromptSize(counted.n_tokens, counted.n_tokens, room, is_strict)
        fixed = tuple(each for each in messages if each.role is Role.SYSTEM or each.is_pinned)
        own = await self._count_tokens(messages=fixed, draft=draft)
        n_own = own.n_tokens if isinstance(own, TokensCounted) else counted.n_tokens
        return PromptSize(counted.n_tokens, n_own, room, is_strict)

    def _room(self, n_ctx: int) -> int:
        return n_ctx - 1 if self._policy() is ContextPolicy.STOP else prompt_room(n_ctx, self._preset().max_tokens)

    async def _may_prewarm(self) -> bool:
        performance = self._settings_store.settings.performance
        if not performance.is_prewarm_on:
            return False
        return performance.is_prewarm_on_battery or not await run_blocking(is_on_battery)

    async def _count_attachment(self, attachment: Attachment) -> None:
        if self._is_ready and attachment.given:
            event = await self._count_tokens(prompt=attachment.given)
            if isinstance(event, TokensCounted):
                self.attachment_counted.emit(attachment, event.n_tokens)

    async def _bring(self, chat_id: str) -> None:
        try:
            draft = await self._database.call(ChatStore.draft, chat_id)
        except FirstlightError as error:
            self.failed.emit(error.failure)
            return
        if chat_id == self.chat_id and (draft.text or draft.attachments):
            self.draft_found.emit(draft)

    async def close(self) -> None:
        """Keep the draft, and begin nothing more."""
        self._is_closed = True
        self._pause.stop()
        self._save.stop()
        if self._is_dirty and self.chat_id is not None:
            self._is_dirty = False
            await self._keep(self.chat_id, self._text, self._attachments)

    async def _keep(self, chat_id: str, text: str, attachments: tuple[Attachment, ...]) -> None:
        try:
            await self._database.call(ChatStore.set_draft, chat_id, text, attachments)
        except FirstlightError as error:
            self.failed.emit(error.failure)


class PrewarmRequests(QObject):
    """Has the engine read ahead what is written: one request at a time, each newer one in the place of the one before.

    Signal: prepared(n_tokens), of the newest draft that are in the cache.
    """

    prepared = Signal(int)

    def __init__(self, client: HostClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        self._running: asyncio.Task[None] | None = None

    def begin(self, command: Prewarm) -> None:
        """Read this. The engine ends the request before by itself, behind the step that both have in common."""
        self._running = spawn(self._read(command), owner=self, name="read ahead")

    def stop(self) -> None:
        """Read nothing: what was written is gone, or must not be read."""
        if self._running is not None:
            self._running.cancel()
            self._running = None

    async def _read(self, command: Prewarm) -> None:
        finished = await self._client.request(command)
        if isinstance(finished, PrewarmFinished) and self._running is asyncio.current_task():
            self.prepared.emit(finished.n_prepared)


def is_on_battery() -> bool:
    """Whether the computer runs on its battery; False where there is none or it cannot be told."""
    import psutil  # Not needed for a start.

    read = getattr(psutil, "sensors_battery", None)  # Not on every system.
    battery = read() if read is not None else None
    return battery is not None and battery.power_plugged is False
