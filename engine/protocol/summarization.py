"""A chat as turns, and what a summary of its oldest turns takes: which ones, how to ask for it, where it goes.

Pure functions over messages and token counts, so that the app, the host and the worker agree on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from engine.protocol.values import ChatMessage, Role

SUMMARISE_FROM = 0.75
"""Share of the room from which the oldest turns should be condensed, while there is still room to do it in."""
SUMMARISE_TO = 0.5
"""Share of the room that is left filled then, the summary not counted."""
_KEPT_TURNS = 2
"""The newest turns, which are never condensed: the talk is about them."""
_HEADING = "Summary of the earlier conversation:"
_REQUEST = (
    "Condense the conversation below into a summary that lets an assistant go on with it. Keep names, numbers, "
    "decisions, open questions and the user's wishes; leave out greetings and repetition. Write in the language of the "
    "conversation, at most {n_words} words, and nothing but the summary."
)


@dataclass(frozen=True, slots=True)
class Turn:
    """A user message with the answers that follow it, or a system message."""

    indices: tuple[int, ...]
    """Indices of its messages in the chat."""
    n_tokens: int
    is_fixed: bool
    """Never left out: the system prompt, and a turn with a pinned message."""


def split_turns(messages: Sequence[ChatMessage], counts: Sequence[int]) -> list[Turn]:
    """The chat's turns in order; `counts` are the tokens of each message."""
    groups: list[list[int]] = []
    for index, message in enumerate(messages):
        begins = message.role in (Role.SYSTEM, Role.USER)
        if begins or not groups or messages[groups[-1][0]].role is Role.SYSTEM:
            groups.append([index])
        else:
            groups[-1].append(index)
    return [
        Turn(
            tuple(group),
            sum(counts[index] for index in group),
            any(messages[index].role is Role.SYSTEM or messages[index].is_pinned for index in group),
        )
        for group in groups
    ]


def turns_to_condense(messages: Sequence[ChatMessage], counts: Sequence[int], room: int) -> tuple[int, ...]:
    """Indices of the messages that a summary should stand for now; empty while the chat has room enough.

    Whole oldest turns, so many that the rest fills half of `room` tokens.
    """
    total = sum(counts)
    if total <= room * SUMMARISE_FROM:
        return ()
    chosen: list[int] = []
    for turn in split_turns(messages, counts)[:-_KEPT_TURNS]:
        if total <= room * SUMMARISE_TO:
            break
        if not turn.is_fixed:
            chosen.extend(turn.indices)
            total -= turn.n_tokens
    return tuple(chosen)


def summary_request(
    messages: Sequence[ChatMessage], indices: Sequence[int], earlier_summary: str = "", n_words: int = 200
) -> tuple[ChatMessage, ...]:
    """The chat to send for a summary of the messages at `indices`, with the summary of what was before."""
    parts = [f"{_HEADING}\n{earlier_summary}"] if earlier_summary else []
    parts += [f"{messages[index].role.value.capitalize()}: {messages[index].content}" for index in indices]
    return (
        ChatMessage(role=Role.SYSTEM, content=_REQUEST.format(n_words=n_words)),
        ChatMessage(role=Role.USER, content="\n\n".join(parts)),
    )


def with_summary(messages: Sequence[ChatMessage], indices: Sequence[int], summary: str) -> tuple[ChatMessage, ...]:
    """The messages as the model should see them: those at `indices` left out, the summary with the system prompt.

    The front of the prompt changes only when the summary does, so that the prefix cache holds in between.
    """
    left_out = set(indices)
    rest = [message for index, message in enumerate(messages) if index not in left_out]
    if not summary:
        return tuple(rest)
    text = f"{_HEADING}\n{summary}"
    if rest and rest[0].role is Role.SYSTEM:
        rest[0] = msgspec.structs.replace(rest[0], content=f"{rest[0].content}\n\n{text}")
    else:
        rest.insert(0, ChatMessage(role=Role.SYSTEM, content=text, is_pinned=True))
    return tuple(rest)
