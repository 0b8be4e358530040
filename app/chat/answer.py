"""One answer while it streams: collects the text, saves it at most once a second, and says how it ended."""

from __future__ import annotations

import asyncio
import contextlib
import time

import msgspec
from PySide6.QtCore import QObject, Signal

from app.core.chat_database import ChatDatabase
from app.core.conversation_model import MessageItem
from app.core.host_client import HostClient
from app.core.tasks import spawn
from app.core.tool_markup import join_tool_call, split_tool_call
from app.models.model_status import written_by
from engine.errors import StorageError
from engine.metrics import FinishReason, RequestMetrics
from engine.protocol import (
    ChatMessage,
    Event,
    Generate,
    GenerationFinished,
    GenerationStarted,
    PrefillProgress,
    Priority,
    RequestFailed,
    Sampling,
    Section,
    TokenDelta,
)
from engine.store.chat_values import MessageState, StoredMessage
from engine.store.chats import ChatStore
from engine.store.finish_notes import ending

_SAVE_INTERVAL = 1.0


class Answer(QObject):
    """Runs a Generate for the stored message `message`, which may already hold text that is continued.

    Signals: `text_arrived(text, Section)`, `event_arrived(Event)` for everything else that views care about,
    `finished()` when message is final and saved.
    """

    text_arrived = Signal(str, object)
    event_arrived = Signal(object)
    save_failed = Signal(object)
    finished = Signal()

    def __init__(
        self, client: HostClient, database: ChatDatabase, message: StoredMessage, command: Generate, *,
        asked_at: float, parent: QObject,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._database = database
        self._stream = client.stream(command)
        self.message = message
        self.asked_at = asked_at
        """time.monotonic() of the Enter key or the click."""
        self.model_id = command.model_id
        """The model that is asked."""
        self.is_stopping = False
        self.is_finished = False
        self.perceived_ttft: float | None = None
        self.started: GenerationStarted | None = None
        self.prefill: PrefillProgress | None = None
        self.failure: RequestFailed | None = None
        self._pieces: dict[Section, list[str]] = {section: [] for section in Section}
        self._before = split_tool_call(message.content)
        """Answer and tool call that the message has already."""
        self._reasoning_since: float | None = None
        self._reasoning_seconds = message.reasoning_seconds
        self._section = Section.ANSWER
        self._saved_at = time.monotonic()
        self._save: asyncio.Task[None] | None = None

    @property
    def request_id(self) -> str:
        return self._stream.request_id

    @property
    def content(self) -> str:
        """The answer so far as it is stored; tool-call markup belongs to what the model said."""
        return join_tool_call(self.said, self.tool_call)

    @property
    def said(self) -> str:
        """The answer so far without its tool call."""
        return self._before[0] + self._joined(Section.ANSWER)

    @property
    def tool_call(self) -> str:
        return self._before[1] + self._joined(Section.TOOL_CALL)

    @property
    def reasoning(self) -> str:
        return self.message.reasoning + self._joined(Section.REASONING)

    @property
    def is_in_reasoning(self) -> bool:
        return self._section is Section.REASONING

    @property
    def reasoning_seconds(self) -> float | None:
        return self._reasoning_seconds

    async def run(self) -> None:
        """Stream until the engine has ended."""
        terminal: Event | None = None
        try:
            async with contextlib.aclosing(self._stream) as events:
                async for event in events:
                    terminal = event
                    self._take(event)
        finally:
            await self._finish(terminal)

    def stop(self) -> None:
        """Ask the engine to end; the answer ends when it has."""
        if not self.is_stopping:
            self.is_stopping = True
            self._stream.cancel()

    def first_glyph_painted(self) -> None:
        """The view has painted the first text: this is what the user waited for."""
        if self.perceived_ttft is None:
            self.perceived_ttft = time.monotonic() - self.asked_at

    def _take(self, event: Event) -> None:
        if isinstance(event, TokenDelta):
            if event.text:
                self._take_text(event.text, event.section)
            return
        if isinstance(event, GenerationStarted):
            self.started = event
        elif isinstance(event, PrefillProgress):
            self.prefill = event
        elif isinstance(event, RequestFailed):
            self.failure = event
        self.event_arrived.emit(event)

    def _take_text(self, text: str, section: Section) -> None:
        now = time.monotonic()
        if section is Section.ANSWER and self._before[1]:
            section = Section.TOOL_CALL  # It goes on inside the call that was cut; the engine reads from there only.
        if section is Section.REASONING and self._reasoning_since is None:
            self._reasoning_since = now
        elif section is not Section.REASONING and self._reasoning_since is not None:
            self._reasoning_seconds = (self._reasoning_seconds or 0.0) + now - self._reasoning_since
            self._reasoning_since = None
        self._section, self.prefill = section, None
        self._pieces[section].append(text)
        self.text_arrived.emit(text, section)
        if now - self._saved_at >= _SAVE_INTERVAL and (self._save is None or self._save.done()):
            self._saved_at = now
            self._save = spawn(self._save_text(), owner=self, name="save answer")

    async def _save_text(self) -> None:
        try:
            await self._database.call(
                ChatStore.update_message, self.message.id, content=self.content, reasoning=self.reasoning
            )
        except StorageError as error:
            self.save_failed.emit(error.failure)

    async def _finish(self, terminal: Event | None) -> None:
        """Keep text and metrics together, then say that it is over."""
        if self._reasoning_since is not None:
            self._reasoning_seconds = (self._reasoning_seconds or 0.0) + time.monotonic() - self._reasoning_since
        has_text = bool(self.content or self.reasoning)
        metrics: RequestMetrics | None = None
        effective, reason, state = None, None, MessageState.PARTIAL
        if isinstance(terminal, GenerationFinished):
            metrics, effective, reason = terminal.metrics, terminal.effective, terminal.finish_reason
            if reason is FinishReason.STOP:
                state = MessageState.COMPLETE
        elif isinstance(terminal, RequestFailed):
            metrics = terminal.metrics
            state = MessageState.PARTIAL if has_text else MessageState.FAILED
        changes: dict[str, object] = {
            "content": self.content, "reasoning": self.reasoning, "state": state,
            "note": ending(terminal, has_answer=bool(self.content)), "metrics": metrics, "effective": effective,
            "finish_reason": str(reason) if reason is not None else None,
            "reasoning_seconds": self._reasoning_seconds, "perceived_ttft": self.perceived_ttft,
        }  # fmt: skip
        if effective is not None and (name := written_by(self.model_id, effective)):
            changes["model_name"] = name
        self.message = msgspec.structs.replace(self.message, **changes)
        self._before = split_tool_call(self.message.content)
        self._pieces = {section: [] for section in Section}
        try:
            await self._database.call(ChatStore.update_message, self.message.id, **changes)  # type: ignore[arg-type]
        except StorageError as error:
            self.save_failed.emit(error.failure)
        self.is_finished = True
        self.finished.emit()

    def _joined(self, section: Section) -> str:
        """The section's text; pieces are joined once, so that reading it often stays cheap."""
        pieces = self._pieces[section]
        if len(pieces) > 1:
            pieces[:] = ["".join(pieces)]
        return pieces[0] if pieces else ""


async def background_answer(client: HostClient, messages: tuple[ChatMessage, ...], max_tokens: int) -> str:
    """A short greedy answer that nobody watches, without its reasoning; empty when it failed.

    It has the lowest priority. Cancelling the task cancels it.
    """
    command = Generate(
        messages=messages,
        sampling=Sampling(temperature=0.0),
        max_tokens=max_tokens,
        priority=Priority.BATCH,
        template_options={"enable_thinking": False},
    )
    pieces: list[str] = []
    last: Event | None = None
    async for event in client.stream(command):
        last = event
        if isinstance(event, TokenDelta) and event.section is Section.ANSWER:
            pieces.append(event.text)
    return "".join(pieces) if isinstance(last, GenerationFinished) else ""


def streaming_item(answer: Answer, item: MessageItem) -> MessageItem:
    """The row of an answer that still streams, with what has arrived so far."""
    return msgspec.structs.replace(
        item,
        content=answer.said,
        reasoning=answer.reasoning,
        tool_call=answer.tool_call,
        reasoning_seconds=answer.reasoning_seconds,
        is_streaming=True,
        is_in_reasoning=answer.is_in_reasoning,
        prefill=answer.prefill,
    )
