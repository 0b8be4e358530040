"""Which prewarm reads what another request needs, and which has become pointless; and what ends a step."""

from __future__ import annotations

import pytest

from engine.protocol.commands import Command, DropCache, Generate, Prewarm
from engine.protocol.values import ChatMessage, Role
from engine.worker.decode.interrupt import Interrupt
from engine.worker.decode.prewarm import is_replaced, serves
from engine.worker.llama.context import AbortFlag
from tests.engine.worker.core_bench import answered

HISTORY = answered("hi", "the thing")
TYPED = Prewarm(request_id="p", messages=HISTORY, draft="the band ", chat_id="a")


def sent(text: str, *, chat_id: str = "a", history: tuple[ChatMessage, ...] = HISTORY, **fields: object) -> Generate:
    messages = (*history, ChatMessage(role=Role.USER, content=text))
    return Generate(request_id="g", messages=messages, chat_id=chat_id, **fields)


def typed(draft: str, *, chat_id: str = "a") -> Prewarm:
    return Prewarm(request_id="q", messages=HISTORY, draft=draft, chat_id=chat_id)


CASES = [
    # What comes, whether the prewarm serves it, and whether it replaces the prewarm.
    (sent("the band and more"), True, True),
    (sent("the band"), True, True),
    (sent("the band", chat_id="fresh"), True, True),
    (sent("another"), False, True),
    (sent("another", chat_id="b"), False, False),
    (sent("the band", chat_id="b", history=()), False, False),
    (sent("the band", chat_id="b", template_options={"enable_thinking": False}), False, False),
    (typed("the band plays"), True, True),
    (typed("the wall"), False, True),
    (typed("the wall", chat_id="b"), False, False),
    (Generate(request_id="g", prompt="the band"), False, False),
]


@pytest.mark.parametrize(("command", "is_served", "replaces"), CASES)
def test_a_prewarm_serves_the_text_that_goes_on(command: Generate | Prewarm, is_served: bool, replaces: bool) -> None:
    assert serves(TYPED, command) is is_served
    assert is_replaced(TYPED, command) is replaces


def test_a_new_chat_s_draft_is_replaced_by_the_next_but_not_by_a_program_s_request() -> None:
    draft = Prewarm(request_id="p", draft="the band")
    assert is_replaced(draft, Prewarm(request_id="q", draft="wall"))
    assert not is_replaced(draft, sent("wall", chat_id="", history=()))


@pytest.mark.parametrize(
    ("command", "ends"), [(c, not served) for c, served, _ in CASES] + [(DropCache(request_id="d"), True)]
)
def test_only_what_needs_its_work_waits_for_a_prewarm_s_step(command: Command, ends: bool) -> None:
    flag = AbortFlag()
    interrupt = Interrupt(flag)
    interrupt.begin("p", TYPED)
    interrupt.yield_prewarm(command)
    assert flag.is_set() is ends
    interrupt.end()
    assert not flag.is_set()


@pytest.mark.parametrize("command", [sent("another"), DropCache(request_id="d")])
def test_what_comes_just_before_a_prewarm_s_step_does_not_wait_for_it_either(command: Command) -> None:
    """The loop has looked for commands, but has not begun the step."""
    flag = AbortFlag()
    interrupt = Interrupt(flag)
    interrupt.yield_prewarm(TYPED)
    interrupt.begin("p", TYPED)
    assert not flag.is_set()
    interrupt.end()
    interrupt.yield_prewarm(command)
    interrupt.begin("p", TYPED)
    assert flag.is_set()
    interrupt.end()
    interrupt.begin("p", TYPED)
    assert not flag.is_set()


def test_no_other_step_is_ended() -> None:
    flag = AbortFlag()
    interrupt = Interrupt(flag)
    interrupt.begin("g")
    interrupt.yield_prewarm(sent("another"))
    interrupt.cancel("p")
    assert not flag.is_set()
    interrupt.cancel("g")
    assert flag.is_set()
