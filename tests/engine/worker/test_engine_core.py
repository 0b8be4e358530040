"""A loaded model at work: batching, priorities, reuse, cancelling, room."""

from __future__ import annotations

import pytest

from engine.errors import Code, FirstlightError
from engine.metrics import CacheSource, FinishReason
from engine.protocol import commands as c
from engine.protocol import events as e
from engine.protocol.values import ChatMessage, ContextPolicy, KvType, Priority, Role, Sampling, Speculative
from tests.engine.worker.conftest import MakeCore
from tests.engine.worker.core_bench import GREEDY, answered, with_seed
from tests.tiny_models import Kind

# Texts that are compared token by token begin with prompts after which the likeliest token leads the second by 0.09 or
# more throughout: rounding, which differs with the number of tokens in a step and with the processor, moves logits by
# a tenth of that.


def test_an_answer_streams_and_ends_once(make_core: MakeCore) -> None:
    bench = make_core()
    request = bench.generate("the band", max_tokens=5)
    events = bench.run(request)
    # A slow machine tells in between how far it is.
    rest = [event for event in events if not isinstance(event, e.TokenDelta | e.MetricsUpdate | e.PrefillProgress)]
    assert [type(event) for event in rest] == [e.GenerationStarted, e.GenerationFinished]
    assert sum(event.n_tokens for event in events if isinstance(event, e.TokenDelta)) == 5
    metrics = bench.finished(request).metrics
    assert bench.finished(request).finish_reason is FinishReason.LENGTH
    assert metrics.n_decoded == 5
    assert metrics.ttft == pytest.approx(
        metrics.queued_time
        + metrics.load_time
        + metrics.template_time
        + metrics.cache_restore_time
        + metrics.prefill_time
    )


@pytest.mark.parametrize("kind", [Kind.GQA, Kind.SWA, Kind.RECURRENT, Kind.HYBRID])
def test_the_second_turn_prefills_only_what_is_new(kind: Kind, make_core: MakeCore) -> None:
    bench = make_core(kind)
    first = bench.generate("the band and the thing " * 12, chat_id="a", max_tokens=20)
    bench.run(first)
    n_before = bench.started(first).n_prompt_tokens + 20
    history = answered("the band and the thing " * 12, bench.text(first))
    second = bench.generate("and now", chat_id="a", history=history)
    bench.run(second)
    # The last sampled token was never evaluated.
    assert bench.started(second).n_cached_tokens == n_before - 1
    assert bench.started(second).cache_source is CacheSource.SLOT
    assert bench.started(second).cache_miss_reason == ""


@pytest.mark.parametrize("kind", [Kind.GQA, Kind.SWA, Kind.RECURRENT, Kind.HYBRID])
def test_reuse_gives_the_same_text_as_no_reuse(kind: Kind, make_core: MakeCore) -> None:
    bench = make_core(kind)
    turn = "the band and the thing " * 10
    first = bench.generate(turn, chat_id="a", max_tokens=30)
    bench.run(first)
    again = bench.generate(turn, chat_id="a", max_tokens=30)
    bench.run(again)
    fresh = bench.generate(turn, max_tokens=30, reuse_cache=False)
    bench.run(fresh)
    assert bench.started(again).n_cached_tokens == bench.started(again).n_prompt_tokens - 1
    assert bench.started(fresh).n_cached_tokens == 0
    assert bench.text(first) == bench.text(again) == bench.text(fresh)


@pytest.mark.parametrize("kv_type", [KvType.F16, KvType.Q8_0, KvType.Q4_0])
def test_parallel_answers_are_those_of_single_ones(kv_type: KvType, make_core: MakeCore) -> None:
    texts = [f"the {word} and the" for word in ("tree", "door", "cloud", "thing")]
    single = make_core(type_k=kv_type, type_v=kv_type)
    expected = []
    for text in texts:
        request = single.generate(text, max_tokens=12)
        single.run(request)
        expected.append(single.text(request))
    bench = make_core(type_k=kv_type, type_v=kv_type)
    requests = [bench.generate(text, max_tokens=12) for text in texts]
    for request in requests:
        bench.run(request)
    assert [bench.text(request) for request in requests] == expected
    assert max(bench.finished(request).metrics.batch_size_mean for request in requests) >= 2


def test_more_requests_than_places_wait_their_turn(make_core: MakeCore) -> None:
    bench = make_core(n_parallel=2)
    requests = [bench.generate(f"number {n}", priority=Priority.API) for n in range(5)]
    queued = [event for event in bench.events if isinstance(event, e.Queued)]
    assert [event.n_ahead for event in queued] == [0, 1, 2]
    for request in requests:
        bench.run(request)
        assert bench.finished(request).finish_reason is FinishReason.LENGTH


def test_an_interactive_request_parks_a_batch_one_which_resumes_without_a_prefill(make_core: MakeCore) -> None:
    bench = make_core(n_parallel=1)
    batch = bench.generate("the wall", priority=Priority.BATCH, max_tokens=30)
    bench.step(10)
    n_before = len([event for event in bench.of(batch) if isinstance(event, e.TokenDelta)])
    urgent = bench.generate("now", max_tokens=5)
    bench.run(urgent)
    assert len([event for event in bench.of(batch) if isinstance(event, e.TokenDelta)]) == n_before
    bench.run(batch)
    alone = make_core(n_parallel=1)
    same = alone.generate("the wall", priority=Priority.BATCH, max_tokens=30)
    alone.run(same)
    assert bench.text(batch) == alone.text(same)
    assert bench.finished(batch).metrics.n_decoded == 30


def test_a_full_cache_sets_one_aside_and_both_finish(make_core: MakeCore) -> None:
    bench = make_core(n_ctx=256, n_parallel=2)
    requests = [
        bench.generate("the hall and the wall " * 6, priority=p, max_tokens=90) for p in Priority if p != "batch"
    ]
    for request in requests:
        bench.run(request)
        assert bench.finished(request).metrics.n_decoded == 90


def test_cancel_ends_with_what_was_said(make_core: MakeCore) -> None:
    bench = make_core()
    request = bench.generate("the band", max_tokens=200)
    bench.step(6)
    bench.core.cancel(request)
    bench.collect()
    assert bench.finished(request).finish_reason is FinishReason.CANCELLED
    assert bench.finished(request).metrics.n_decoded > 2
    n_events = len(bench.events)
    assert not bench.core.cancel(request)
    bench.step(3)
    assert len(bench.events) == n_events


def test_cancel_while_waiting(make_core: MakeCore) -> None:
    bench = make_core(n_parallel=1)
    running = bench.generate("one", max_tokens=20)
    waiting = bench.generate("two")
    assert bench.core.cancel(waiting)
    bench.run(running)
    end = bench.finished(waiting)
    assert (end.finish_reason, end.metrics.ttft) == (FinishReason.CANCELLED, None)


def test_the_context_ends_an_answer(make_core: MakeCore) -> None:
    bench = make_core(n_ctx=256)
    request = bench.generate("go on", max_tokens=0)
    bench.run(request)
    end = bench.finished(request)
    assert (end.finish_reason, end.is_context_full) == (FinishReason.LENGTH, True)
    assert end.metrics.n_prompt_tokens + end.metrics.n_decoded == 256 + 1


def test_a_prompt_longer_than_the_context_is_refused_with_numbers(make_core: MakeCore) -> None:
    bench = make_core(n_ctx=256)
    request = bench.generate("the " * 400)
    end = bench.end(request)
    assert isinstance(end, e.RequestFailed)
    assert end.failure.code is Code.CONTEXT_FULL
    assert "the context holds 256" in str(end.failure.message)


@pytest.mark.parametrize("settings", [{"n_ctx": 1}, {"n_ctx": 40}, {"n_batch": 4, "n_ubatch": 4}, {"n_batch": 1}])
def test_the_smallest_settings_answer(settings: dict[str, int], make_core: MakeCore) -> None:
    bench = make_core(**settings)
    request = bench.generate("the band and the wall", max_tokens=4)
    bench.run(request)
    assert bench.finished(request).metrics.n_decoded == 4


def test_sliding_leaves_the_oldest_turns_out_and_says_so(make_core: MakeCore) -> None:
    bench = make_core(n_ctx=256)
    system = ChatMessage(role=Role.SYSTEM, content="and the")
    history = (system, *(m for n in range(6) for m in answered(f"{n} the band and the wall", "the thing " * 5)))
    request = bench.generate("last", history=history, context_policy=ContextPolicy.SLIDE, chat_id="a")
    bench.run(request)
    started = bench.started(request)
    assert started.n_dropped_messages >= 2
    assert started.n_prompt_tokens < 256
    assert [notice.code for notice in started.notices] == ["messages_dropped"]


@pytest.mark.parametrize("text", ["", "   "])
def test_an_empty_prompt_is_refused(text: str, make_core: MakeCore) -> None:
    bench = make_core()
    request = bench.submit(c.Generate(request_id="empty", prompt=text.strip()))
    end = bench.end(request)
    assert isinstance(end, e.RequestFailed)
    assert end.failure.code is Code.PROMPT_EMPTY


def test_a_stop_string_ends_before_it(make_core: MakeCore) -> None:
    bench = make_core()
    request = bench.generate("the band", max_tokens=40)
    bench.run(request)
    text = bench.text(request)
    stop = text[10:13]
    stopped = bench.generate("the band", max_tokens=40, stop=(stop,))
    bench.run(stopped)
    assert bench.finished(stopped).stop_text == stop
    assert bench.text(stopped) == text[: text.index(stop)]


def test_the_seed_decides_and_is_told(make_core: MakeCore) -> None:
    bench = make_core()
    texts = []
    for seed in (3, 3, 4):
        request = bench.generate("the band", max_tokens=20, sampling=with_seed(seed))
        bench.run(request)
        assert bench.started(request).seed == bench.finished(request).seed == seed
        texts.append(bench.text(request))
    assert texts[0] == texts[1] != texts[2]


def test_drafts_do_not_change_a_greedy_answer(make_core: MakeCore) -> None:
    bench = make_core()
    text = "the hall and where and the hall and where " * 3
    plain = bench.generate(text, max_tokens=60, reuse_cache=False)
    bench.run(plain)
    drafted = bench.generate(text, max_tokens=60, reuse_cache=False, speculative=Speculative.LOOKUP)
    bench.run(drafted)
    assert bench.text(plain) == bench.text(drafted)
    assert bench.finished(drafted).metrics.n_decoded == 60


def test_a_prompt_beside_an_answer_counts_as_interference(make_core: MakeCore) -> None:
    bench = make_core()
    answer = bench.generate("the band", max_tokens=60)
    bench.step(10)
    other = bench.generate("the wall and the thing " * 10, max_tokens=2)
    bench.run(other)
    bench.run(answer)
    assert bench.finished(answer).metrics.n_interfering_steps > 0
    assert any(event.is_interfered for event in bench.of(answer) if isinstance(event, e.TokenDelta))


def test_dropping_the_cache_forgets_a_chat(make_core: MakeCore) -> None:
    bench = make_core()
    first = bench.generate("the band and the wall", chat_id="a")
    bench.run(first)
    bench.submit(c.DropCache(request_id="drop", chat_id="a"))
    assert isinstance(bench.end("drop"), e.Done)
    second = bench.generate("the band and the wall", chat_id="a")
    bench.run(second)
    assert bench.started(second).n_cached_tokens == 0


def test_a_bad_grammar_fails_only_its_request(make_core: MakeCore) -> None:
    bench = make_core()
    good = bench.generate("the band", max_tokens=12)
    bad = bench.generate("the wall", sampling=Sampling(grammar="root ::= ("))
    end = bench.end(bad)
    assert isinstance(end, e.RequestFailed)
    bench.run(good)
    assert bench.finished(good).metrics.n_decoded == 12


def test_a_bug_in_one_request_ends_only_that_one(make_core: MakeCore, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = make_core()
    good = bench.generate("the band", max_tokens=12)
    bad = bench.generate("the wall", max_tokens=12)
    bench.step(2)
    victim = next(work for work in bench.core._scheduler.requests if work.request_id == bad)
    monkeypatch.setattr(victim.sampler, "sample", lambda context, index: 1 // 0)
    bench.run(bad)
    end = bench.end(bad)
    assert isinstance(end, e.RequestFailed)
    assert end.failure.code is Code.INTERNAL
    assert "ZeroDivisionError" in str(end.failure.message)
    bench.run(good)
    assert bench.finished(good).metrics.n_decoded == 12


def test_embeddings_have_unit_length_and_tell_texts_apart(make_core: MakeCore) -> None:
    bench = make_core(Kind.POOLED, embeddings=True)
    bench.submit(c.Embed(request_id="e", texts=("the band", "the band", "a wall")))
    end = bench.end("e")
    assert isinstance(end, e.Embedded)
    assert sum(x * x for x in end.vectors[0]) == pytest.approx(1.0, abs=1e-4)
    assert end.vectors[0] == pytest.approx(end.vectors[1], abs=1e-5)
    assert end.vectors[0] != pytest.approx(end.vectors[2], abs=1e-2)


def test_a_chat_model_does_not_embed(make_core: MakeCore) -> None:
    bench = make_core()
    with pytest.raises(FirstlightError, match="loaded for chatting"):
        bench.submit(c.Embed(request_id="e", texts=("a",)))


def test_continuing_an_answer_goes_on_with_its_own_tokens(make_core: MakeCore) -> None:
    bench = make_core()
    whole = bench.generate("the wall", chat_id="a", max_tokens=40)
    bench.run(whole)
    first = bench.generate("the wall", chat_id="b", max_tokens=20)
    bench.run(first)
    history = answered("the wall", bench.text(first))
    rest = c.Generate(
        request_id="rest", messages=history, chat_id="b", continue_answer=True, max_tokens=20, sampling=GREEDY
    )
    bench.submit(rest)
    bench.run("rest")
    assert bench.started("rest").n_cached_tokens == bench.started("rest").n_prompt_tokens - 1
    assert bench.text(first) + bench.text("rest") == bench.text(whole)
