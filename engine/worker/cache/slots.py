"""A slot of the KV cache: one sequence of the context, with the exact mirror of its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from engine.worker.cache.generated_token_cache import GeneratedAnswer
from engine.worker.llama.sampling import Logits

_BLOCK = 256


class Owner(Protocol):
    """A request that works in a slot."""

    slot: Slot | None

    @property
    def can_be_parked(self) -> bool:
        """The request waits, so its slot may be taken: its state is saved and restored later."""


@dataclass(slots=True)
class Checkpoint:
    """The part of a state that cannot be cut, as it was after `n_tokens`."""

    n_tokens: int
    state: bytearray


@dataclass(eq=False, slots=True)
class Slot:
    """One sequence of the context. `tokens` is exactly what is in the cache, in order, from position 0."""

    index: int
    tokens: list[int] = field(default_factory=list)
    chat_id: str = ""
    adapter: str = ""
    owner: Owner | None = None
    used_at: int = 0
    n_prepared: int = 0
    """Tokens up to which a prewarm has prefilled."""
    logits: Logits | None = None
    """What follows the last of `tokens`, kept where a prewarm has read a whole prompt: its answer begins at once."""
    checkpoints: list[Checkpoint] = field(default_factory=list)
    answers: tuple[GeneratedAnswer, ...] = ()
    n_answered: int = 0
    """Tokens that the last answer left: what a prewarm adds is a guess, and not worth the disk."""
    n_saved: int = 0
    """Tokens that a snapshot on disk holds."""

    @property
    def is_idle(self) -> bool:
        return self.owner is None

    @property
    def is_guess(self) -> bool:
        """It ends with what a prewarm has read."""
        return self.n_prepared == len(self.tokens) > 0

    def keep(self, n_tokens: int) -> None:
        """What is known of the tokens beyond these is no longer true."""
        del self.tokens[n_tokens:]
        self.checkpoints = [c for c in self.checkpoints if c.n_tokens <= n_tokens]
        self.n_prepared = min(self.n_prepared, n_tokens)
        self.n_answered = min(self.n_answered, n_tokens)
        self.n_saved = min(self.n_saved, n_tokens)
        self.logits = None


def common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    """How many leading tokens are equal."""
    n = min(len(a), len(b))
    start = 0
    while start < n and a[start : start + _BLOCK] == b[start : start + _BLOCK]:
        start += _BLOCK
    start = min(start, n)
    while start < n and a[start] == b[start]:
        start += 1
    return start
