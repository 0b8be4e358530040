"""A chat's prompt within the context: builds it, and lets the context policy leave out what does not fit."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from engine.errors import Code, RequestError
from engine.protocol.commands import Generate
from engine.protocol.prompt_budget import prompt_room
from engine.protocol.values import ContextPolicy, Notice
from engine.translatable import sentence
from engine.worker.prompt.context_policy import fit
from engine.worker.prompt.prompt_builder import Prompt, PromptBuilder

_CHATS_REMEMBERED = 1000


@dataclass(frozen=True, slots=True)
class FittedPrompt:
    """A prompt and what it leaves out."""

    prompt: Prompt
    n_dropped: int = 0
    notices: list[Notice] = field(default_factory=list)


class Fitting:
    """Remembers for each chat how much was left out, so that the same is left out again and the cache holds."""

    def __init__(self, prompts: PromptBuilder, n_ctx: int) -> None:
        self._prompts = prompts
        self._n_ctx = n_ctx
        self._dropped: OrderedDict[str, int] = OrderedDict()

    def fit(self, command: Generate) -> FittedPrompt:
        """The prompt of a request. Raises RequestError with CONTEXT_FULL when it cannot be made to fit."""
        if command.prompt is not None:
            prompt = self._prompts.raw(command.prompt)
            self._check(len(prompt.tokens))
            return FittedPrompt(prompt)
        prompt = self._chat(command, tuple(range(len(command.messages))))
        before = self._dropped.get(command.chat_id, 0) if command.chat_id else 0
        if command.context_policy is ContextPolicy.STOP:
            self._check(len(prompt.tokens))
            return FittedPrompt(prompt)
        room = prompt_room(self._n_ctx, command.max_tokens)
        if len(prompt.tokens) <= room and not before:
            return FittedPrompt(prompt)
        counts = self._counts(command, len(prompt.tokens))
        fitted = fit(command.messages, counts, room, command.context_policy, before)
        if not fitted.fits:
            self._check(max(self._n_ctx, len(prompt.tokens)))
        self._note(command.chat_id, fitted.n_dropped)
        if not fitted.n_dropped:
            return FittedPrompt(prompt)
        prompt = self._chat(command, fitted.kept)
        self._check(len(prompt.tokens))
        message = sentence(
            "The oldest message no longer fits into the context and is not seen by the model."
            if fitted.n_dropped == 1
            else "The {n} oldest messages no longer fit into the context and are not seen by the model.",
            n=fitted.n_dropped,
        )
        return FittedPrompt(prompt, fitted.n_dropped, [Notice(code="messages_dropped", message=message)])

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
