"""What a chat gives up when it outgrows its context: pure functions over token counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.protocol.values import ChatMessage, ContextPolicy, Role

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


@dataclass(frozen=True, slots=True)
class _Turn:
    """A user message with the answers that follow it."""

    indices: tuple[int, ...]
    n_tokens: int
    is_fixed: bool


def fit(
    messages: Sequence[ChatMessage], counts: Sequence[int], room: int, policy: ContextPolicy, n_dropped_before: int = 0
) -> Fitted:
    """Choose the messages that fit into `room` tokens, the answer's reserve already taken off.

    `counts` are the tokens of each message as the template writes it. `n_dropped_before`: what was left out of this
    chat's last prompt; as long as that still suffices the same messages are left out, so that the prefix cache holds.
    """
    everything = tuple(range(len(messages)))
    total = sum(counts)
    if policy is ContextPolicy.STOP or (total <= room and n_dropped_before == 0):
        return Fitted(everything, 0, total <= room)
    turns = _turns(messages, counts)
    droppable = [turn for turn in turns[:-1] if not turn.is_fixed]
    gone: list[_Turn] = []
    n_gone = 0
    while droppable and n_gone < n_dropped_before and total > room * SLIDE_TO:
        turn = droppable.pop(0)
        gone.append(turn)
        n_gone += len(turn.indices)
        total -= turn.n_tokens
    if total > room:
        while droppable and total > room * SLIDE_TO:
            turn = droppable.pop(0)
            gone.append(turn)
            n_gone += len(turn.indices)
            total -= turn.n_tokens
    dropped = {index for turn in gone for index in turn.indices}
    return Fitted(tuple(i for i in everything if i not in dropped), len(dropped), total <= room)


def _turns(messages: Sequence[ChatMessage], counts: Sequence[int]) -> list[_Turn]:
    """The messages as turns; the system prompt and a turn with a pinned message are fixed."""
    groups: list[list[int]] = []
    for index, message in enumerate(messages):
        if message.role in (Role.SYSTEM, Role.USER) or not groups or messages[groups[-1][0]].role is Role.SYSTEM:
            groups.append([index])
        else:
            groups[-1].append(index)
    return [
        _Turn(
            tuple(group),
            sum(counts[i] for i in group),
            any(messages[i].role is Role.SYSTEM or messages[i].is_pinned for i in group),
        )
        for group in groups
    ]
