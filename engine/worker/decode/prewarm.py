"""Prepares a prefill while the user types: the prompt as it stands, and how much of it is certain already."""

from __future__ import annotations

from dataclasses import dataclass

from engine.protocol.commands import Generate, Prewarm
from engine.protocol.values import ChatMessage, Role
from engine.worker.cache.slots import common_prefix
from engine.worker.prompt.prompt_builder import PromptBuilder

_ENDINGS = ("a", " b", "\n\nc", "1")
"""Ways in which typing may go on: tokens that are the same under all of them stay the same."""


@dataclass(frozen=True, slots=True)
class PreparedPrewarm:
    """A prewarm with its tokens found."""

    command: Prewarm
    tokens: list[int]
    """The prompt as it stands: if Enter is pressed now, nothing is left to prefill. Without a draft, how it begins."""
    n_stable: int
    """Its first tokens, which stay the same however the typing goes on; 0 where nobody asked."""
    is_whole: bool
    """Enter may be pressed now: what follows the last token is what the answer begins with."""


def prepare(prompts: PromptBuilder, command: Prewarm, *, finds_border: bool = True) -> PreparedPrewarm:
    """Build the prompt with the draft as it stands, and find what is certain of it where that is asked for.

    The last stable token is left out when it belongs to the draft: text without spaces may still merge with what
    follows. A guess that proves wrong costs one token of prefill, nothing else.
    """
    draft = command.draft
    is_whole = bool(draft.strip())
    tokens = _tokens(prompts, command, draft) if is_whole else []
    if is_whole and not finds_border:
        return PreparedPrewarm(command, tokens, 0, is_whole)
    variants = [_tokens(prompts, command, draft + ending) for ending in _ENDINGS]
    n_stable = min(common_prefix(variants[0], other) for other in variants[1:])
    if not is_whole:
        return PreparedPrewarm(command, variants[0][:n_stable], n_stable, is_whole)
    return PreparedPrewarm(command, tokens, min(max(0, n_stable - 1), common_prefix(variants[0], tokens)), is_whole)


def serves(prewarm: Prewarm, command: Generate | Prewarm) -> bool:
    """Whether what a prewarm reads is the beginning of what another command needs: its text only went on."""
    if isinstance(command, Prewarm):
        messages, text = command.messages, command.draft
    elif command.messages and command.messages[-1].role is Role.USER:
        messages, text = command.messages[:-1], command.messages[-1].content
    else:
        return False
    return (
        messages == prewarm.messages
        and text.startswith(prewarm.draft.rstrip())
        and command.template_options == prewarm.template_options
    )


def is_replaced(prewarm: Prewarm, command: Generate | Prewarm) -> bool:
    """Whether a newer request leaves a prewarm nothing to do: another draft of its chat, or the message itself.

    A new chat has no id before its first message is sent: then the text tells.
    """
    is_same_chat = command.chat_id == prewarm.chat_id
    if isinstance(command, Prewarm):
        return is_same_chat
    return (is_same_chat and command.chat_id != "") or serves(prewarm, command)


def _tokens(prompts: PromptBuilder, command: Prewarm, text: str) -> list[int]:
    messages = (*command.messages, ChatMessage(role=Role.USER, content=text))
    return prompts.chat(messages, options=command.template_options).tokens
