"""How long a prompt may be: the context without what is kept free for the answer."""

from __future__ import annotations

ANSWER_RESERVE = 512
"""Tokens kept free for an answer of unknown length, a quarter of the context at most."""


def prompt_room(n_ctx: int, max_tokens: int = 0) -> int:
    """Tokens that a prompt may have; `max_tokens` is the answer's limit, 0 for none."""
    return n_ctx - 1 - min(max_tokens or ANSWER_RESERVE, n_ctx // 4)
