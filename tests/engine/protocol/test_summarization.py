"""Turns and summaries of a chat."""

from __future__ import annotations

from engine.protocol.summarization import split_turns, summary_request, turns_to_condense, with_summary
from engine.protocol.values import ChatMessage, Role

SYSTEM = ChatMessage(role=Role.SYSTEM, content="Be brief.")
CHAT = (
    SYSTEM,
    *(ChatMessage(role=role, content=f"{role} {n}") for n in range(4) for role in (Role.USER, Role.ASSISTANT)),
    ChatMessage(role=Role.USER, content="last"),
)
COUNTS = [10] * len(CHAT)


def test_a_turn_is_a_question_with_its_answers() -> None:
    turns = split_turns(CHAT, COUNTS)
    assert [turn.indices for turn in turns] == [(0,), (1, 2), (3, 4), (5, 6), (7, 8), (9,)]
    assert [turn.is_fixed for turn in turns] == [True, False, False, False, False, False]
    assert turns[1].n_tokens == 20
    assert [turn.indices for turn in split_turns(CHAT[2:5], COUNTS)] == [(0,), (1, 2)]


def test_the_oldest_turns_are_condensed_before_the_room_runs_out() -> None:
    assert turns_to_condense(CHAT, COUNTS, 200) == ()
    assert turns_to_condense(CHAT, COUNTS, 120) == (1, 2, 3, 4)
    pinned = (CHAT[0], ChatMessage(role=Role.USER, content="keep", is_pinned=True), *CHAT[2:])
    assert turns_to_condense(pinned, COUNTS, 120) == (3, 4, 5, 6)
    assert turns_to_condense(CHAT, COUNTS, 10) == (1, 2, 3, 4, 5, 6)


def test_a_summary_is_asked_for_with_what_was_said_before() -> None:
    system, user = summary_request(CHAT, (1, 2), "They greeted.", n_words=50)
    assert "at most 50 words" in system.content
    assert (
        user.content == "Summary of the earlier conversation:\nThey greeted.\n\nUser: user 0\n\nAssistant: assistant 0"
    )


def test_a_summary_stands_with_the_system_prompt() -> None:
    seen = with_summary(CHAT, (1, 2, 3, 4), "They talked.")
    assert seen[0].content == "Be brief.\n\nSummary of the earlier conversation:\nThey talked."
    assert seen[1:] == CHAT[5:]
    alone = with_summary(CHAT[1:], (0, 1), "They talked.")
    assert alone[0].role is Role.SYSTEM
    assert with_summary(CHAT, (), "") == CHAT
