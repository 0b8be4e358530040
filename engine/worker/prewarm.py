"""What is already certain of the next prompt while the user types."""

from __future__ import annotations

from dataclasses import dataclass

from engine.protocol.commands import Prewarm
from engine.protocol.values import ChatMessage, Role
from engine.worker.prompt import PromptBuilder
from engine.worker.slots import common_prefix

_ENDINGS = ("a", " b", "\n\nc", "1")
"""Ways in which typing may go on: tokens that are the same under all of them stay the same."""


@dataclass(frozen=True, slots=True)
class PreparedPrewarm:
    """A prewarm with its tokens found: those that the next prompt will surely begin with."""

    command: Prewarm
    tokens: list[int]
    """The prompt as it stands: if Enter is pressed now, nothing is left to prefill."""
    n_stable: int
    """Its first tokens, which stay the same however the typing goes on."""


def prepare(prompts: PromptBuilder, command: Prewarm) -> PreparedPrewarm:
    """Build the prompt with the draft as it stands, and find what is certain of it.

    The last stable token is left out when it belongs to the draft: text without spaces may still merge with what
    follows. A guess that proves wrong costs one token of prefill, nothing else.
    """
    draft = command.draft
    variants = [
        prompts.chat(
            (*command.messages, ChatMessage(role=Role.USER, content=draft + ending)), options=command.template_options
        ).tokens
        for ending in _ENDINGS
    ]
    n_stable = min(common_prefix(variants[0], other) for other in variants[1:])
    if not draft.strip():
        return PreparedPrewarm(command, variants[0][:n_stable], n_stable)
    whole = (*command.messages, ChatMessage(role=Role.USER, content=draft))
    tokens = prompts.chat(whole, options=command.template_options).tokens
    return PreparedPrewarm(command, tokens, min(max(0, n_stable - 1), common_prefix(variants[0], tokens)))
