"""A chat that outgrows its context: one behaviour for every model, nothing dropped silently, nothing read twice."""

from __future__ import annotations

import itertools

import pytest

from engine.errors import Code
from engine.metrics import FinishReason
from engine.protocol import commands as c
from engine.protocol import events as e
from engine.protocol.values import ChatMessage, ContextPolicy, Role, Sampling
from tests.engine.worker.conftest import MakeCore
from tests.engine.worker.core_bench import GREEDY, CoreBench, answered
from tests.tiny_models import Kind

KINDS = [Kind.GQA, Kind.SWA, Kind.RECURRENT, Kind.HYBRID, Kind.MOE]
SYSTEM = ChatMessage(role=Role.SYSTEM, content="and the system")


def refusal(room: CoreBench, request: str) -> str:
    """What a request that was refused for its length was told."""
    end = room.end(request)
    assert isinstance(end, e.RequestFailed)
    assert end.failure.code is Code.CONTEXT_FULL
    assert end.failure.advice
    return str(end.failure.message)


@pytest.mark.parametrize("policy", ContextPolicy)
@pytest.mark.parametrize("kind", KINDS)
def test_every_model_refuses_a_message_that_cannot_fit_and_goes_on(
    kind: Kind, policy: ContextPolicy, make_room: MakeCore
) -> None:
    room = make_room(kind, n_ctx=256)
    long = "the thing " * 200
    too_long = room.generate(long, history=(SYSTEM,), context_policy=policy, chat_id="a")
    assert "the context holds 256" in refusal(room, too_long)
    raw = room.submit(c.Generate(request_id="raw", prompt=long, context_policy=policy, sampling=GREEDY))
    assert "the context holds 256" in refusal(room, raw)
    short = room.generate("now", history=(SYSTEM,), context_policy=policy, chat_id="a", max_tokens=3)
    room.run(short)
    assert room.finished(short).finish_reason is FinishReason.LENGTH


@pytest.mark.parametrize("kind", KINDS)
def test_after_the_limit_turns_are_still_read_once(kind: Kind, make_room: MakeCore) -> None:
    """Whole turns go in one go, so that the next ones find the prompt before them in the cache."""
    room = make_room(kind, n_ctx=384)
    history: tuple[ChatMessage, ...] = (SYSTEM,)
    prompts: list[tuple[int, int, int]] = []
    """Messages left out, tokens, and how many of them were cached."""
    for n in range(24):
        text = f"{n} the band and the wall"
        request = room.generate(
            text, history=history, chat_id="a", context_policy=ContextPolicy.SLIDE, max_tokens=6, sampling=GREEDY
        )
        (work,) = room.room._scheduler.works
        room.run(request)
        assert SYSTEM.content in work.prompt.text
        assert text in work.prompt.text
        started = room.started(request)
        prompts.append((started.n_dropped_messages, started.n_prompt_tokens, started.n_cached_tokens))
        assert [notice.code for notice in started.notices] == ["messages_dropped"] * bool(started.n_dropped_messages)
        history = (*history, *answered(text, room.text(request)))
    again = [(before, now) for before, now in itertools.pairwise(prompts) if before[0] == now[0]]
    assert all(n_cached >= n_before for (_, n_before, _), (_, _, n_cached) in again)
    assert prompts[-1][0] > 0
    assert len(prompts) - 1 - len(again) <= 6


@pytest.mark.parametrize("policy", [ContextPolicy.SLIDE, ContextPolicy.SUMMARISE])
def test_a_system_prompt_is_never_what_gives_way(policy: ContextPolicy, make_room: MakeCore) -> None:
    room = make_room(n_ctx=256)
    long = ChatMessage(role=Role.SYSTEM, content="and the system " * 100)
    request = room.generate("hi", history=(long, *answered("one", "two")), context_policy=policy, chat_id="a")
    assert "the context holds 256" in refusal(room, request)


@pytest.mark.parametrize("is_last", [True, False])
def test_a_result_of_a_tool_that_is_too_long_is_never_cut(is_last: bool, make_room: MakeCore) -> None:
    room = make_room(n_ctx=256)
    result = ChatMessage(role=Role.TOOL, content="the thing " * 200)
    called = (SYSTEM, *answered("look it up", "I call"), result)
    messages = called if is_last else (*called, ChatMessage(role=Role.ASSISTANT, content="found"), *answered("so", "x"))
    command = c.Generate(
        request_id="t", messages=(*messages, *(() if is_last else (ChatMessage(role=Role.USER, content="and"),))),
        context_policy=ContextPolicy.SLIDE, chat_id="a", max_tokens=3, sampling=GREEDY,
    )  # fmt: skip
    room.submit(command)
    if is_last:
        assert "the context holds 256" in refusal(room, "t")
        return
    (work,) = room.room._scheduler.works
    room.run("t")
    assert "the thing" not in work.prompt.text
    assert room.started("t").n_dropped_messages == 4


@pytest.mark.parametrize("kind", KINDS)
def test_thoughts_that_the_next_prompt_leaves_out_cost_only_themselves(kind: Kind, make_room: MakeCore) -> None:
    room = make_room(kind)
    said = Sampling(temperature=0.0, grammar='root ::= "<think>the band and the wall</think>the thing"')
    text = "the hall and the wall " * 8
    first = room.generate(text, chat_id="a", max_tokens=0, sampling=said)
    room.run(first)
    assert room.text(first) == "the band and the wallthe thing"
    second = room.generate("and now", chat_id="a", history=answered(text, "the thing"), sampling=said)
    room.run(second)
    # Where a cache cannot be cut, the last token of the prompt is read again.
    assert room.started(second).n_cached_tokens >= room.started(first).n_prompt_tokens - 1
