"""A slot of the KV cache: one sequence of the context, with the exact mirror of its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from engine.worker.answers import Answer

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
    checkpoints: list[Checkpoint] = field(default_factory=list)
    answers: tuple[Answer, ...] = ()
    is_saved: bool = False

    @property
    def is_idle(self) -> bool:
        return self.owner is None


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
