"""A chat's prompt within the context: builds it, and leaves out the messages that the context policy gives up."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.errors import Code, RequestError
from engine.protocol.commands import Generate
from engine.protocol.prompt_budget import prompt_room
from engine.protocol.summarization import Turn, split_turns
from engine.protocol.values import ChatMessage, ContextPolicy, Notice
from engine.translatable import sentence
from engine.worker.prompt.prompt_builder import Prompt, PromptBuilder

SLIDE_TO = 0.6
"""When turns must go, so many go that this share of the room is filled: the next ones fit without another cut."""
_CHATS_REMEMBERED = 1000


@dataclass(frozen=True, slots=True)
class Truncation:
    """Which messages the model will see."""

    kept: tuple[int, ...]
    """Indices into the messages, in order."""
    n_dropped: int
    """Messages left out; the system prompt is never among them."""
    fits: bool
    """False: even so there is no room; the caller ends with CONTEXT_FULL."""


@dataclass(frozen=True, slots=True)
class TruncatedPrompt:
    """A prompt and what it leaves out."""

    prompt: Prompt
    n_dropped: int = 0
    notices: list[Notice] = field(default_factory=list)


class PromptTruncator:
    """Remembers for each chat how much was left out, so that the same is left out again and the cache holds."""

    def __init__(self, prompts: PromptBuilder, n_ctx: int) -> None:
        self._prompts = prompts
        self._n_ctx = n_ctx
        self._dropped: OrderedDict[str, int] = OrderedDict()

    def prompt(self, command: Generate) -> TruncatedPrompt:
        """The prompt of a request. Raises RequestError with CONTEXT_FULL when it cannot be made to fit."""
        if command.prompt is not None:
            prompt = self._prompts.raw(command.prompt)
            self._check(len(prompt.tokens))
            return TruncatedPrompt(prompt)
        prompt = self._chat(command, tuple(range(len(command.messages))))
        before = self._dropped.get(command.chat_id, 0) if command.chat_id else 0
        if command.context_policy is ContextPolicy.STOP:
            self._check(len(prompt.tokens))
            return TruncatedPrompt(prompt)
        room = prompt_room(self._n_ctx, command.max_tokens)
        if len(prompt.tokens) <= room and not before:
            return TruncatedPrompt(prompt)
        counts = self._counts(command, len(prompt.tokens))
        truncation = truncate(command.messages, counts, room, command.context_policy, before)
        if not truncation.fits:
            self._check(max(self._n_ctx, len(prompt.tokens)))
        self._note(command.chat_id, truncation.n_dropped)
        if not truncation.n_dropped:
            return TruncatedPrompt(prompt)
        prompt = self._chat(command, truncation.kept)
        self._check(len(prompt.tokens))
        message = sentence(
            "The oldest message no longer fits into the context and is not seen by the model."
            if truncation.n_dropped == 1
            else "The {n} oldest messages no longer fit into the context and are not seen by the model.",
            n=truncation.n_dropped,
        )
        return TruncatedPrompt(prompt, truncation.n_dropped, [Notice(code="messages_dropped", message=message)])

    def _chat(self, command: Generate, kept: tuple[int, ...]) -> Prompt:
        return self._prompts.chat(
            tuple(command.messages[index] for index in kept),
            continue_answer=command.continue_answer,
            options=command.template_options,
        )

    def _counts(self, command: Generate, n_total: int) -> list[int]:
        """Tokens of each message: its text's, and an equal share of what the template adds."""
        counts = [self._prompts.count(message.content) for message in command.messages]
        share = -(-max(0, n_total - sum(counts)) // max(1, len(counts)))
        return [count + share for count in counts]

    def _check(self, n_tokens: int) -> None:
        if n_tokens >= self._n_ctx:
            raise RequestError(
                Code.CONTEXT_FULL,
                "The prompt has {n_tokens:,} tokens and the context holds {n_ctx:,}.",
                "Shorten it, start a new chat, let old messages slide out, or load the model with a longer context.",
                n_tokens=n_tokens,
                n_ctx=self._n_ctx,
            )

    def _note(self, chat_id: str, n_dropped: int) -> None:
        if not chat_id:
            return
        self._dropped[chat_id] = n_dropped
        self._dropped.move_to_end(chat_id)
        if len(self._dropped) > _CHATS_REMEMBERED:
            self._dropped.popitem(last=False)


def truncate(
    messages: Sequence[ChatMessage], counts: Sequence[int], room: int, policy: ContextPolicy, n_dropped_before: int = 0
) -> Truncation:
    """Choose the messages that fit into `room` tokens, the answer's reserve already taken off.

    `counts` are the tokens of each message as the template writes it. `n_dropped_before`: messages that this chat's
    last prompt left out; as long as that suffices the same are left out again, so that the prefix cache holds. Under
    `summarise` turns slide out like this only while there is no summary for them yet.
    """
    total = sum(counts)
    gone: list[Turn] = []
    if policy is not ContextPolicy.STOP:
        droppable = [turn for turn in split_turns(messages, counts)[:-1] if not turn.is_fixed]
        same = _first_turns(droppable, n_dropped_before)
        suffices = total - sum(turn.n_tokens for turn in same) <= room
        for turn in same if suffices else droppable:
            if total <= room * SLIDE_TO:
                break
            gone.append(turn)
            total -= turn.n_tokens
    left_out = {index for turn in gone for index in turn.indices}
    kept = tuple(index for index in range(len(messages)) if index not in left_out)
    return Truncation(kept, len(left_out), total <= room)


def _first_turns(turns: Sequence[Turn], n_messages: int) -> list[Turn]:
    """The first turns that hold at least `n_messages` messages."""
    first: list[Turn] = []
    for turn in turns:
        if n_messages <= 0:
            break
        first.append(turn)
        n_messages -= len(turn.indices)
    return first
