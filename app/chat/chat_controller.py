"""The open chat: send, stop, regenerate, continue; answers of other chats run on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

import msgspec
from PySide6.QtCore import QObject, Signal

from app.chat.answer import Answer, streaming_item
from app.chat.chat_prompt import first_words, message_item
from app.chat.summaries import Summaries
from app.core.answer_state import AnswerState
from app.core.chat_database import ChatDatabase, Ended, report_failure
from app.core.conversation_model import ConversationModel
from app.core.host_client import HostClient
from app.core.settings_store import SettingsStore
from app.core.tasks import spawn
from app.models.model_controller import ModelController
from engine.errors import FirstlightError
from engine.protocol import (
    ChatMessage,
    ContextPolicy,
    Event,
    Generate,
    GenerationStarted,
    PrefillProgress,
    Role,
    Section,
)
from engine.store.chat_values import Attachment, Chat, MessageState, StoredMessage, Summary
from engine.store.chats import ChatStore


class ChatController(QObject):
    """Signals: chat_opened(Chat | None), chat_stored(Chat) when the new chat got its first message,
    not_stored(text, attachments) of a message, state_changed(AnswerState) of the open chat, chats_changed() when the
    list is stale, answering_changed(frozenset of chat ids), answer_started(chat id, request id), answer_finished(Chat,
    StoredMessage), failed(Failure), undo_offered(text, callable), place_wanted(message id) to be scrolled to.
    """

    chat_opened, chat_stored, chats_changed = Signal(object), Signal(object), Signal()
    not_stored, undo_offered = Signal(str, object), Signal(str, object)
    place_wanted = Signal(str)
    state_changed, answering_changed = Signal(object), Signal(object)
    answer_started, answer_finished = Signal(str, str), Signal(object, object)
    failed = Signal(object)

    def __init__(
        self, client: HostClient, database: ChatDatabase, conversation: ConversationModel,
        settings_store: SettingsStore, models: ModelController, *, parent: QObject | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._client, self._database, self._conversation = client, database, conversation
        self._settings_store, self._models = settings_store, models
        models.given_up.connect(self._give_up)
        self.summaries = Summaries(client, database, self)
        self.summaries.changed.connect(lambda _chat_id: self._mark_context())
        self._chat: Chat | None = None
        self._path: list[StoredMessage] = []
        self._answers: dict[str, Answer] = {}
        self._unpainted: dict[str, Answer] = {}
        self._asked: dict[str, Callable[[], None] | None] = {}
        """The chats whose answer has not begun, with what gives it up; an empty id while a new one is being stored."""
        self._opening: asyncio.Task[None] | None = None
        self._unsaved = Chat(id="", created_at=0.0, updated_at=0.0)

    @property
    def chat(self) -> Chat | None:
        """The open chat; None for one that is not stored yet."""
        return self._chat

    @property
    def path(self) -> Sequence[StoredMessage]:
        """The shown messages, without the text that still streams."""
        return self._path

    @property
    def state(self) -> AnswerState:
        chat_id = self.choices.id
        if (answer := self._answers.get(chat_id)) is not None:
            return AnswerState.STOPPING if answer.is_stopping else AnswerState.BUSY
        return AnswerState.BUSY if self._asked.keys() & {chat_id, ""} else AnswerState.IDLE

    @property
    def prompt(self) -> tuple[ChatMessage, ...]:
        """What the model would be given of the open chat now."""
        return self.summaries.prompt(self._path, self.system_prompt, self.policy(self._chat))

    @property
    def summary(self) -> Summary | None:
        """What stands for the beginning of the open chat; None where nothing is left out."""
        return self.summaries.current(self._path, self.policy(self._chat))

    @property
    def system_prompt(self) -> str:
        """What the open chat's model is told first."""
        chosen = self.choices.system_prompt
        return chosen if chosen is not None else self._settings_store.preset(self.preset_name).system_prompt

    @property
    def is_math_on(self) -> bool:
        """Whether formulas are drawn: as the open chat has it, else as the settings say."""
        chosen = self.choices.is_math_on
        return chosen if chosen is not None else self._settings_store.settings.general.is_math_on

    @property
    def choices(self) -> Chat:
        """What is chosen for the open chat, stored or not yet: its preset, system prompt and the like."""
        return self._chat if self._chat is not None else self._unsaved

    @property
    def answering_models(self) -> frozenset[str]:
        """The models that write answers now."""
        return frozenset(answer.model_id for answer in self._answers.values())

    def new_chat(self) -> None:
        """Show an empty chat; it is stored with its first message. The preset chosen for the last one stays."""
        self._stop_opening()
        self._chat, self._path = None, []
        self._unsaved = Chat(id="", created_at=0.0, updated_at=0.0, preset=self._unsaved.preset)
        self._conversation.set_items(())
        self._announce()

    def open_chat(self, chat_id: str, *, at: str = "") -> None:
        """Show a chat, with the message `at` in view; a version that is not shown becomes shown for it."""
        self._stop_opening()
        work = self._open_at(chat_id, at)
        self._opening = spawn(self.guarded(work), owner=self, name="open chat", inside=work)

    def send(self, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Store the message, show it, and ask for the answer."""
        asked_at = time.monotonic()
        if self.state is AnswerState.IDLE and (text.strip() or attachments):
            self.ask(self._send(self.choices, self._path, text, attachments, asked_at))

    def stop(self, chat_id: str = "") -> None:
        """End the answer of the open chat or of another, or what has to come before it; IDLE when that has ended."""
        chat_id = chat_id or self.choices.id
        if (answer := self._answers.get(chat_id)) is not None:
            answer.stop()
            self.state_changed.emit(self.state)
        elif (give_up := self._asked.get(chat_id)) is not None:
            give_up()

    def _give_up(self, model_id: str) -> None:
        """End the answers that wait for this model: its load was stopped."""
        for answer in self._answers.values():
            if answer.model_id == model_id and answer.started is None:
                answer.stop()
        self.state_changed.emit(self.state)

    def regenerate(self, message_id: str, *, preset: str = "") -> None:
        """Another version of an answer, or an answer to a user's message; by another preset where one is given."""
        asked_at = time.monotonic()
        if (question := self.question_of(message_id)) is not None:
            self.ask(self.answer(*question, asked_at, preset=preset))

    def question_of(self, message_id: str) -> tuple[Chat, str | None] | None:
        """The chat, and the message that another version would answer; None while that cannot be asked."""
        place = self.place(message_id)
        if self._chat is None or place < 0 or self.state is not AnswerState.IDLE:
            return None
        message = self._path[place]
        return self._chat, message.id if message.role is Role.USER else message.parent_id

    def continue_answer(self, message_id: str) -> None:
        """Go on where an answer was cut."""
        asked_at = time.monotonic()
        if self._chat is not None and (place := self.place(message_id)) >= 0 and self.state is AnswerState.IDLE:
            self.ask(self.go_on(self._chat, self._path[: place + 1], asked_at))

    def change_chat(self, *, ended: Ended | None = None, **changes: object) -> None:
        """Change fields of the open chat, such as its preset or system prompt; `ended` is told instead of failed."""
        if self._chat is None:
            self._unsaved = msgspec.structs.replace(self._unsaved, **changes)
            self._announce()
            if ended is not None:
                ended("")
            return
        work = self._change(self._chat.id, changes)
        spawn(
            self.guarded(work) if ended is None else report_failure(work, ended),
            owner=self,
            name="change chat",
            inside=work,
        )

    def reread(self, chat_id: str) -> None:
        """A chat was changed elsewhere: its title, or where it is listed. Only the open one matters here."""
        if self._chat is not None and self._chat.id == chat_id:
            self.change_chat()

    def first_glyph_painted(self, message_id: str) -> None:
        """The transcript has painted the first text of a message."""
        if (answer := self._unpainted.pop(message_id, None)) is None:
            return
        answer.first_glyph_painted()
        if answer.is_finished:
            self.spawn_guarded(self._keep_perceived(answer), "keep perceived TTFT")

    def ask(self, work: Coroutine[Any, Any, None], *, on_stop: Callable[[], None] | None = None) -> None:
        """Do what ends in an answer of the open chat, which is BUSY until then: a second Enter does nothing.

        `on_stop` is called when the user does not want to wait for its beginning.
        """
        chat_id = self.choices.id
        self._asked[chat_id] = on_stop
        self.state_changed.emit(self.state)

        async def asked() -> None:
            try:
                await self.guarded(work)
            finally:
                del self._asked[chat_id]
                self.state_changed.emit(self.state)

        spawn(asked(), owner=self, name="ask", inside=work)

    def spawn_guarded(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Do something beside; its failure is told."""
        spawn(self.guarded(work), owner=self, name=name, inside=work)

    async def guarded(self, work: Awaitable[None]) -> None:
        try:
            await work
        except FirstlightError as error:
            self.failed.emit(error.failure)

    async def _keep_perceived(self, answer: Answer) -> None:
        """The answer was over before its first paint."""
        if (row := self._row(answer)) is not None:
            item = self._conversation.item(row)
            self._conversation.replace_item(row, msgspec.structs.replace(item, perceived_ttft=answer.perceived_ttft))
        await self._database.call(ChatStore.update_message, answer.message.id, perceived_ttft=answer.perceived_ttft)

    def _stop_opening(self) -> None:
        """What was chosen before must not come after what is chosen now."""
        if self._opening is not None:
            self._opening.cancel()

    async def _open_at(self, chat_id: str, message_id: str) -> None:
        await self.show(chat_id)
        if message_id and self.place(message_id) < 0 and chat_id not in self._answers:
            await self._database.call(ChatStore.set_head, message_id)
            await self.show(chat_id)
        if message_id:
            self.place_wanted.emit(message_id)

    async def show(self, chat_id: str) -> None:
        chat = await self._database.call(ChatStore.chat, chat_id)
        path = await self._database.call(ChatStore.path, chat_id)
        versions = await self._database.call(ChatStore.versions, chat_id)
        await self.summaries.open(chat_id)
        self._chat, self._path = chat, path
        answer = self._answers.get(chat_id)
        self._conversation.set_items(
            streaming_item(answer, message_item(message, versions))
            if answer is not None and answer.message.id == message.id
            else message_item(message, versions)
            for message in path
        )
        self._announce()

    async def _send(
        self, chat: Chat, shown: list[StoredMessage], text: str, attachments: tuple[Attachment, ...], asked_at: float
    ) -> None:
        try:
            if not chat.id:
                chat = await self._database.create_chat(first_words(text or attachments[0].name), chat)
                if self._path is shown:  # Else another chat was opened meanwhile.
                    self._chat = chat
                    self.chat_stored.emit(chat)
            message = await self._database.call(
                ChatStore.add_message, chat.id, Role.USER, text, attachments=attachments
            )
        except FirstlightError:
            self.not_stored.emit(text, attachments)
            raise
        if self.choices.id == chat.id and self.place(message.id) < 0:
            self._append(message)
        await self.answer(chat, message.id, asked_at)
        self.chats_changed.emit()  # Not before: reading a long list of chats would hold up the answer.

    async def go_on(self, chat: Chat, path: Sequence[StoredMessage], asked_at: float, *, model_id: str = "") -> None:
        """Continue the answer at the end of `path`, whichever chat is open by now. Raises StorageError."""
        message = await self._database.call(ChatStore.message, path[-1].id)
        await self._database.call(ChatStore.update_message, message.id, state=MessageState.STREAMING, note="")
        message = msgspec.structs.replace(message, state=MessageState.STREAMING, note="")
        if (row := self._conversation.row_of(message.id)) is not None:
            item = self._conversation.item(row)
            item = msgspec.structs.replace(item, is_streaming=True, note="", note_is_warning=False)
            self._conversation.replace_item(row, item)
        self._run(chat, message, path, asked_at, continue_answer=True, model_id=model_id)

    async def _change(self, chat_id: str, changes: dict[str, object]) -> None:
        chat = await self._database.call(ChatStore.update_chat, chat_id, **changes)  # type: ignore[arg-type]
        if self._chat is not None and self._chat.id == chat_id:
            self._chat = chat
            self._announce()
        self.chats_changed.emit()

    async def answer(
        self, chat: Chat, parent_id: str | None, asked_at: float, *, model_id: str = "", preset: str = ""
    ) -> None:
        """Begin an answer to `parent_id`, whichever chat is open by now. Raises StorageError."""
        message = await self._database.call(
            ChatStore.add_message, chat.id, Role.ASSISTANT, parent_id=parent_id, state=MessageState.STREAMING
        )
        if self.choices.id != chat.id:
            before = (await self._database.call(ChatStore.path, chat.id, to=message.id))[:-1]
        elif parent_id == (self._path[-1].id if self._path else None):
            chat, before = self.choices, list(self._path)
            self._append(message)
        else:
            await self.show(chat.id)
            chat, before = self.choices, self._path[: self.place(message.id)]
        self._run(chat, message, before, asked_at, model_id=model_id, preset=preset)

    def _run(
        self, chat: Chat, message: StoredMessage, before: Sequence[StoredMessage], asked_at: float, *,
        continue_answer: bool = False, model_id: str = "", preset: str = "",
    ) -> None:  # fmt: skip
        self.summaries.cancel()
        means = self._settings_store.preset(preset or chat.preset)
        system = chat.system_prompt if chat.system_prompt is not None else means.system_prompt
        policy = chat.context_policy or means.context_policy
        command = Generate(
            model_id=model_id or self._models.model_id, chat_id=chat.id, context_policy=policy,
            messages=self.summaries.prompt(before, system, policy), sampling=means.sampling,
            max_tokens=means.max_tokens, continue_answer=continue_answer, loras=means.loras,
            template_options=means.template_options,
        )  # fmt: skip
        answer = Answer(self._client, self._database, message, command, asked_at=asked_at, parent=self)
        answer.text_arrived.connect(lambda text, section: self._on_text(answer, text, section))
        answer.event_arrived.connect(lambda event: self._on_event(answer, event))
        answer.save_failed.connect(self.failed)
        answer.finished.connect(lambda: self._on_finished(chat, answer))
        self._answers[chat.id] = self._unpainted[message.id] = answer
        self._announce_answers()
        self.answer_started.emit(chat.id, answer.request_id)
        spawn(answer.run(), owner=answer, name="answer")

    def _append(self, message: StoredMessage) -> None:
        self._path.append(message)
        self._conversation.append_item(message_item(message, {}))

    def _on_text(self, answer: Answer, text: str, section: Section) -> None:
        if (row := self._row(answer)) is not None:
            self._conversation.append_text(row, text, section, reasoning_seconds=answer.reasoning_seconds)

    def _on_event(self, answer: Answer, event: Event) -> None:
        if (row := self._row(answer)) is None:
            return
        if isinstance(event, GenerationStarted):
            self._mark_context(event.n_dropped_messages)
        elif isinstance(event, PrefillProgress):
            item = self._conversation.item(row)
            self._conversation.replace_item(row, msgspec.structs.replace(item, prefill=event))

    def _on_finished(self, chat: Chat, answer: Answer) -> None:
        self._answers.pop(chat.id, None)
        if (row := self._row(answer)) is not None:
            shown = self._conversation.item(row)
            item = message_item(answer.message, {})
            item = msgspec.structs.replace(item, version_index=shown.version_index, version_count=shown.version_count)
            self._conversation.replace_item(row, item)
            if (place := self.place(answer.message.id)) >= 0:
                self._path[place] = answer.message
            if self.policy(chat) is ContextPolicy.SUMMARISE:
                self.summaries.make(self._path, self.system_prompt)
        self._announce_answers()
        self.chats_changed.emit()
        self.answer_finished.emit(chat, answer.message)
        if answer.perceived_ttft is not None:
            self._unpainted.pop(answer.message.id, None)

    def _mark_context(self, n_dropped: int = 0) -> None:
        n_told = self.summaries.n_condensed(self._path, self.policy(self._chat))
        self._conversation.set_context_start(n_told + n_dropped, self.tr("earlier turns summarised") if n_told else "")

    def policy(self, chat: Chat | None) -> ContextPolicy:
        """What gives way when this chat outgrows the context."""
        choices = chat if chat is not None else self._unsaved
        return choices.context_policy or self._settings_store.preset(choices.preset).context_policy

    def _row(self, answer: Answer) -> int | None:
        """The row that shows this answer; None while another chat is open."""
        return self._conversation.row_of(answer.message.id)

    def place(self, message_id: str | None) -> int:
        """Where a message is in the path; -1 when it is not shown."""
        return next((place for place, each in enumerate(self._path) if each.id == message_id), -1)

    @property
    def preset_name(self) -> str:
        return self.choices.preset

    def _announce(self) -> None:
        self._mark_context()
        self.chat_opened.emit(self._chat)
        self.state_changed.emit(self.state)

    def _announce_answers(self) -> None:
        self.answering_changed.emit(frozenset(self._answers))
        self.state_changed.emit(self.state)
