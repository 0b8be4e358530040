"""What a chat gives up when it outgrows its context: a pure function over token counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.protocol.summarization import Turn, split_turns
from engine.protocol.values import ChatMessage, ContextPolicy

SLIDE_TO = 0.6
"""When turns must go, so many go that this share of the room is filled: the next ones fit without another cut."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """Which messages the model will see."""

    kept: tuple[int, ...]
    """Indices into the messages, in order."""
    n_dropped: int
    """Messages left out; the system prompt is never among them."""
    fits: bool
    """False: even so there is no room; the caller ends with CONTEXT_FULL."""


def fit(
    messages: Sequence[ChatMessage], counts: Sequence[int], room: int, policy: ContextPolicy, n_dropped_before: int = 0
) -> Fitted:
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
    return Fitted(kept, len(left_out), total <= room)


def _first_turns(turns: Sequence[Turn], n_messages: int) -> list[Turn]:
    """The first turns that hold at least `n_messages` messages."""
    first: list[Turn] = []
    for turn in turns:
        if n_messages <= 0:
            break
        first.append(turn)
        n_messages -= len(turn.indices)
    return first
