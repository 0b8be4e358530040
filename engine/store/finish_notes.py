"""Why an answer ended, as the translatable sentence that is kept below it."""

from __future__ import annotations

from engine.metrics import FinishReason
from engine.protocol.events import Event, GenerationFinished, RequestFailed
from engine.translatable import Translatable, phrase, sentence


def ending(terminal: Event | None, *, has_answer: bool) -> Translatable:
    """The sentence for a request's terminal event, None where none came; empty for an answer that ended by itself.

    `has_answer` says whether anything was written besides reasoning.
    """
    if isinstance(terminal, RequestFailed):
        return terminal.failure.said
    if not isinstance(terminal, GenerationFinished):
        return phrase("Firstlight ended before this answer was complete.")
    reason = terminal.finish_reason
    if reason is FinishReason.CANCELLED:
        return phrase("Stopped by you.")
    if reason is FinishReason.LENGTH and terminal.is_context_full:
        if terminal.effective is None or not terminal.effective.n_ctx:
            return phrase("The context is full. Start a new chat, or choose in the menu ⋯ which turns give way.")
        return sentence(
            "The context of {n_ctx:,} tokens is full. Start a new chat, or choose in the menu ⋯ which turns give way.",
            n_ctx=terminal.effective.n_ctx,
        )
    if reason is FinishReason.LENGTH:
        n = terminal.metrics.n_decoded
        return sentence(
            "Stopped at the limit of one token." if n == 1 else "Stopped at the limit of {n:,} tokens.", n=n
        )
    if terminal.has_open_reasoning and not has_answer:
        return phrase("The model ended inside its reasoning.")
    return ""
