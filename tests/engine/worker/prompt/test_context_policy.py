"""Context policy: what is left out, and that the same is left out again while it suffices."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.protocol.values import ChatMessage, ContextPolicy, Role
from engine.worker.prompt.context_policy import SLIDE_TO, fit

SYSTEM = ChatMessage(role=Role.SYSTEM, content="s")
USER = ChatMessage(role=Role.USER, content="u")
PINNED = ChatMessage(role=Role.USER, content="p", is_pinned=True)
ANSWER = ChatMessage(role=Role.ASSISTANT, content="a")
CHAT = [SYSTEM, *[USER, ANSWER] * 5, USER]
COUNTS = [10] * len(CHAT)


def test_a_chat_that_fits_is_left_whole() -> None:
    fitted = fit(CHAT, COUNTS, 120, ContextPolicy.SLIDE)
    assert fitted.kept == tuple(range(12))
    assert (fitted.n_dropped, fitted.fits) == (0, True)


def test_stop_leaves_nothing_out_and_says_that_it_does_not_fit() -> None:
    fitted = fit(CHAT, COUNTS, 100, ContextPolicy.STOP)
    assert (fitted.kept, fitted.fits) == (tuple(range(12)), False)


def test_sliding_drops_whole_oldest_turns_down_to_the_mark() -> None:
    fitted = fit(CHAT, COUNTS, 110, ContextPolicy.SLIDE)
    assert fitted.kept == (0, 7, 8, 9, 10, 11)
    assert fitted.n_dropped == 6


def test_the_same_is_left_out_until_it_no_longer_suffices() -> None:
    chat, counts, dropped, changes = list(CHAT), list(COUNTS), 0, 0
    for _ in range(20):
        fitted = fit(chat, counts, 200, ContextPolicy.SLIDE, dropped)
        assert fitted.fits
        changes += fitted.n_dropped != dropped
        dropped = fitted.n_dropped
        chat += [ANSWER, USER]
        counts += [10, 10]
    assert dropped > 0
    assert changes <= 5


def test_messages_come_back_when_there_is_room_for_all_of_them() -> None:
    assert fit(CHAT, COUNTS, 1000, ContextPolicy.SLIDE, 6).n_dropped == 0
    assert fit(CHAT, COUNTS, 150, ContextPolicy.SLIDE, 2).n_dropped == 2


def test_pinned_turns_stay() -> None:
    chat = [SYSTEM, PINNED, ANSWER, *CHAT[3:]]
    assert fit(chat, COUNTS, 100, ContextPolicy.SLIDE).kept[:3] == (0, 1, 2)


def test_what_cannot_fit_is_said() -> None:
    assert not fit([SYSTEM, USER], [50, 60], 100, ContextPolicy.SLIDE).fits
    assert not fit([PINNED, ANSWER, USER], [50, 60, 10], 100, ContextPolicy.SUMMARISE).fits


@given(
    st.lists(st.sampled_from([SYSTEM, USER, PINNED, ANSWER]), min_size=1, max_size=30),
    st.integers(10, 400),
    st.integers(0, 20),
    st.sampled_from([ContextPolicy.SLIDE, ContextPolicy.SUMMARISE]),
    st.randoms(use_true_random=False),
)
def test_rules_that_always_hold(
    chat: list[ChatMessage], bench: int, before: int, policy: ContextPolicy, numbers: object
) -> None:
    counts = [numbers.randint(1, 40) for _ in chat]  # type: ignore[attr-defined]
    fitted = fit(chat, counts, bench, policy, before)
    kept = sum(counts[index] for index in fitted.kept)
    assert fitted.fits == (kept <= bench)
    assert len(fitted.kept) + fitted.n_dropped == len(chat)
    assert {i for i, message in enumerate(chat) if message.role is Role.SYSTEM or message.is_pinned} <= {*fitted.kept}
    assert len(chat) - 1 in fitted.kept
    assert list(fitted.kept) == sorted(fitted.kept)
    if sum(counts) <= bench * SLIDE_TO:
        assert fitted.n_dropped == 0
    again = fit(chat, counts, bench, policy, fitted.n_dropped)
    assert again.kept == fitted.kept
