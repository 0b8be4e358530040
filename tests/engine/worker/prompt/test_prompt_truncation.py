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


def refusal(bench: CoreBench, request: str) -> str:
    """What a request that was refused for its length was told."""
    end = bench.end(request)
    assert isinstance(end, e.RequestFailed)
    assert end.failure.code is Code.CONTEXT_FULL
    assert end.failure.advice
    return str(end.failure.message)


@pytest.mark.parametrize("policy", ContextPolicy)
@pytest.mark.parametrize("kind", KINDS)
def test_every_model_refuses_a_message_that_cannot_fit_and_goes_on(
    kind: Kind, policy: ContextPolicy, make_core: MakeCore
) -> None:
    bench = make_core(kind, n_ctx=256)
    long = "the thing " * 200
    too_long = bench.generate(long, history=(SYSTEM,), context_policy=policy, chat_id="a")
    assert "the context holds 256" in refusal(bench, too_long)
    raw = bench.submit(c.Generate(request_id="raw", prompt=long, context_policy=policy, sampling=GREEDY))
    assert "the context holds 256" in refusal(bench, raw)
    short = bench.generate("now", history=(SYSTEM,), context_policy=policy, chat_id="a", max_tokens=3)
    bench.run(short)
    assert bench.finished(short).finish_reason is FinishReason.LENGTH


@pytest.mark.parametrize("kind", KINDS)
def test_after_the_limit_turns_are_still_read_once(kind: Kind, make_core: MakeCore) -> None:
    """Whole turns go in one go, so that the next ones find the prompt before them in the cache."""
    bench = make_core(kind, n_ctx=384)
    history: tuple[ChatMessage, ...] = (SYSTEM,)
    prompts: list[tuple[int, int, int]] = []
    """Messages left out, tokens, and how many of them were cached."""
    for n in range(24):
        text = f"{n} the band and the wall"
        request = bench.generate(
            text, history=history, chat_id="a", context_policy=ContextPolicy.SLIDE, max_tokens=6, sampling=GREEDY
        )
        (work,) = bench.core._scheduler.requests
        bench.run(request)
        assert SYSTEM.content in work.prompt.text
        assert text in work.prompt.text
        started = bench.started(request)
        prompts.append((started.n_dropped_messages, started.n_prompt_tokens, started.n_cached_tokens))
        assert [notice.code for notice in started.notices] == ["messages_dropped"] * bool(started.n_dropped_messages)
        history = (*history, *answered(text, bench.text(request)))
    again = [(before, now) for before, now in itertools.pairwise(prompts) if before[0] == now[0]]
    assert all(n_cached >= n_before for (_, n_before, _), (_, _, n_cached) in again)
    assert prompts[-1][0] > 0
    assert len(prompts) - 1 - len(again) <= 6


@pytest.mark.parametrize("policy", [ContextPolicy.SLIDE, ContextPolicy.SUMMARISE])
def test_a_system_prompt_is_never_what_gives_way(policy: ContextPolicy, make_core: MakeCore) -> None:
    bench = make_core(n_ctx=256)
    long = ChatMessage(role=Role.SYSTEM, content="and the system " * 100)
    request = bench.generate("hi", history=(long, *answered("one", "two")), context_policy=policy, chat_id="a")
    assert "the context holds 256" in refusal(bench, request)


@pytest.mark.parametrize("is_last", [True, False])
def test_a_result_of_a_tool_that_is_too_long_is_never_cut(is_last: bool, make_core: MakeCore) -> None:
    bench = make_core(n_ctx=256)
    result = ChatMessage(role=Role.TOOL, content="the thing " * 200)
    called = (SYSTEM, *answered("look it up", "I call"), result)
    messages = called if is_last else (*called, ChatMessage(role=Role.ASSISTANT, content="found"), *answered("so", "x"))
    command = c.Generate(
        request_id="t", messages=(*messages, *(() if is_last else (ChatMessage(role=Role.USER, content="and"),))),
        context_policy=ContextPolicy.SLIDE, chat_id="a", max_tokens=3, sampling=GREEDY,
    )  # fmt: skip
    bench.submit(command)
    if is_last:
        assert "the context holds 256" in refusal(bench, "t")
        return
    (work,) = bench.core._scheduler.requests
    bench.run("t")
    assert "the thing" not in work.prompt.text
    assert bench.started("t").n_dropped_messages == 4


@pytest.mark.parametrize("kind", KINDS)
def test_thoughts_that_the_next_prompt_leaves_out_cost_only_themselves(kind: Kind, make_core: MakeCore) -> None:
    bench = make_core(kind)
    said = Sampling(temperature=0.0, grammar='root ::= "<think>the band and the wall</think>the thing"')
    text = "the hall and the wall " * 8
    first = bench.generate(text, chat_id="a", max_tokens=0, sampling=said)
    bench.run(first)
    assert bench.text(first) == "the band and the wallthe thing"
    second = bench.generate("and now", chat_id="a", history=answered(text, "the thing"), sampling=said)
    bench.run(second)
    # Where a cache cannot be cut, the last token of the prompt is read again.
    assert bench.started(second).n_cached_tokens >= bench.started(first).n_prompt_tokens - 1
