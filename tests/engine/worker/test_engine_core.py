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


def test_an_answer_streams_and_ends_once(make_room: MakeCore) -> None:
    room = make_room()
    request = room.generate("the band", max_tokens=5)
    events = room.run(request)
    # A slow machine tells in between how far it is.
    rest = [event for event in events if not isinstance(event, e.TokenDelta | e.MetricsUpdate | e.PrefillProgress)]
    assert [type(event) for event in rest] == [e.GenerationStarted, e.GenerationFinished]
    assert sum(event.n_tokens for event in events if isinstance(event, e.TokenDelta)) == 5
    metrics = room.finished(request).metrics
    assert room.finished(request).finish_reason is FinishReason.LENGTH
    assert metrics.n_decoded == 5
    assert metrics.ttft == pytest.approx(
        metrics.queued_time
        + metrics.load_time
        + metrics.template_time
        + metrics.cache_restore_time
        + metrics.prefill_time
    )


@pytest.mark.parametrize("kind", [Kind.GQA, Kind.SWA, Kind.RECURRENT, Kind.HYBRID])
def test_the_second_turn_prefills_only_what_is_new(kind: Kind, make_room: MakeCore) -> None:
    room = make_room(kind)
    first = room.generate("the band and the thing " * 12, chat_id="a", max_tokens=20)
    room.run(first)
    n_before = room.started(first).n_prompt_tokens + 20
    history = answered("the band and the thing " * 12, room.text(first))
    second = room.generate("and now", chat_id="a", history=history)
    room.run(second)
    # The last sampled token was never evaluated.
    assert room.started(second).n_cached_tokens == n_before - 1
    assert room.started(second).cache_source is CacheSource.SLOT
    assert room.started(second).cache_miss_reason == ""


@pytest.mark.parametrize("kind", [Kind.GQA, Kind.SWA, Kind.RECURRENT, Kind.HYBRID])
def test_reuse_gives_the_same_text_as_no_reuse(kind: Kind, make_room: MakeCore) -> None:
    room = make_room(kind)
    turn = "the band and the thing " * 10
    first = room.generate(turn, chat_id="a", max_tokens=30)
    room.run(first)
    again = room.generate(turn, chat_id="a", max_tokens=30)
    room.run(again)
    fresh = room.generate(turn, max_tokens=30, reuse_cache=False)
    room.run(fresh)
    assert room.started(again).n_cached_tokens == room.started(again).n_prompt_tokens - 1
    assert room.started(fresh).n_cached_tokens == 0
    assert room.text(first) == room.text(again) == room.text(fresh)


@pytest.mark.parametrize("kv_type", [KvType.F16, KvType.Q8_0, KvType.Q4_0])
def test_parallel_answers_are_those_of_single_ones(kv_type: KvType, make_room: MakeCore) -> None:
    texts = [f"the {word} and the" for word in ("tree", "door", "cloud", "thing")]
    single = make_room(type_k=kv_type, type_v=kv_type)
    expected = []
    for text in texts:
        request = single.generate(text, max_tokens=12)
        single.run(request)
        expected.append(single.text(request))
    room = make_room(type_k=kv_type, type_v=kv_type)
    requests = [room.generate(text, max_tokens=12) for text in texts]
    for request in requests:
        room.run(request)
    assert [room.text(request) for request in requests] == expected
    assert max(room.finished(request).metrics.batch_size_mean for request in requests) >= 2


def test_more_requests_than_places_wait_their_turn(make_room: MakeCore) -> None:
    room = make_room(n_parallel=2)
    requests = [room.generate(f"number {n}", priority=Priority.API) for n in range(5)]
    queued = [event for event in room.events if isinstance(event, e.Queued)]
    assert [event.n_ahead for event in queued] == [0, 1, 2]
    for request in requests:
        room.run(request)
        assert room.finished(request).finish_reason is FinishReason.LENGTH


def test_an_interactive_request_parks_a_batch_one_which_resumes_without_a_prefill(make_room: MakeCore) -> None:
    room = make_room(n_parallel=1)
    batch = room.generate("the wall", priority=Priority.BATCH, max_tokens=30)
    room.step(10)
    n_before = len([event for event in room.of(batch) if isinstance(event, e.TokenDelta)])
    urgent = room.generate("now", max_tokens=5)
    room.run(urgent)
    assert len([event for event in room.of(batch) if isinstance(event, e.TokenDelta)]) == n_before
    room.run(batch)
    alone = make_room(n_parallel=1)
    same = alone.generate("the wall", priority=Priority.BATCH, max_tokens=30)
    alone.run(same)
    assert room.text(batch) == alone.text(same)
    assert room.finished(batch).metrics.n_decoded == 30


def test_a_full_cache_sets_one_aside_and_both_finish(make_room: MakeCore) -> None:
    room = make_room(n_ctx=256, n_parallel=2)
    requests = [
        room.generate("the hall and the wall " * 6, priority=p, max_tokens=90) for p in Priority if p != "batch"
    ]
    for request in requests:
        room.run(request)
        assert room.finished(request).metrics.n_decoded == 90


def test_cancel_ends_with_what_was_said(make_room: MakeCore) -> None:
    room = make_room()
    request = room.generate("the band", max_tokens=200)
    room.step(6)
    room.room.cancel(request)
    room.collect()
    assert room.finished(request).finish_reason is FinishReason.CANCELLED
    assert room.finished(request).metrics.n_decoded > 2
    n_events = len(room.events)
    assert not room.room.cancel(request)
    room.step(3)
    assert len(room.events) == n_events


def test_cancel_while_waiting(make_room: MakeCore) -> None:
    room = make_room(n_parallel=1)
    running = room.generate("one", max_tokens=20)
    waiting = room.generate("two")
    assert room.room.cancel(waiting)
    room.run(running)
    end = room.finished(waiting)
    assert (end.finish_reason, end.metrics.ttft) == (FinishReason.CANCELLED, None)


def test_the_context_ends_an_answer(make_room: MakeCore) -> None:
    room = make_room(n_ctx=256)
    request = room.generate("go on", max_tokens=0)
    room.run(request)
    end = room.finished(request)
    assert (end.finish_reason, end.is_context_full) == (FinishReason.LENGTH, True)
    assert end.metrics.n_prompt_tokens + end.metrics.n_decoded == 256 + 1


def test_a_prompt_longer_than_the_context_is_refused_with_numbers(make_room: MakeCore) -> None:
    room = make_room(n_ctx=256)
    request = room.generate("the " * 400)
    end = room.end(request)
    assert isinstance(end, e.RequestFailed)
    assert end.failure.code is Code.CONTEXT_FULL
    assert "the context holds 256" in str(end.failure.message)


@pytest.mark.parametrize("settings", [{"n_ctx": 1}, {"n_ctx": 40}, {"n_batch": 4, "n_ubatch": 4}, {"n_batch": 1}])
def test_the_smallest_settings_answer(settings: dict[str, int], make_room: MakeCore) -> None:
    room = make_room(**settings)
    request = room.generate("the band and the wall", max_tokens=4)
    room.run(request)
    assert room.finished(request).metrics.n_decoded == 4


def test_sliding_leaves_the_oldest_turns_out_and_says_so(make_room: MakeCore) -> None:
    room = make_room(n_ctx=256)
    system = ChatMessage(role=Role.SYSTEM, content="and the")
    history = (system, *(m for n in range(6) for m in answered(f"{n} the band and the wall", "the thing " * 5)))
    request = room.generate("last", history=history, context_policy=ContextPolicy.SLIDE, chat_id="a")
    room.run(request)
    started = room.started(request)
    assert started.n_dropped_messages >= 2
    assert started.n_prompt_tokens < 256
    assert [notice.code for notice in started.notices] == ["messages_dropped"]


@pytest.mark.parametrize("text", ["", "   "])
def test_an_empty_prompt_is_refused(text: str, make_room: MakeCore) -> None:
    room = make_room()
    request = room.submit(c.Generate(request_id="empty", prompt=text.strip()))
    end = room.end(request)
    assert isinstance(end, e.RequestFailed)
    assert end.failure.code is Code.PROMPT_EMPTY


def test_a_stop_string_ends_before_it(make_room: MakeCore) -> None:
    room = make_room()
    request = room.generate("the band", max_tokens=40)
    room.run(request)
    text = room.text(request)
    stop = text[10:13]
    stopped = room.generate("the band", max_tokens=40, stop=(stop,))
    room.run(stopped)
    assert room.finished(stopped).stop_text == stop
    assert room.text(stopped) == text[: text.index(stop)]


def test_the_seed_decides_and_is_told(make_room: MakeCore) -> None:
    room = make_room()
    texts = []
    for seed in (3, 3, 4):
        request = room.generate("the band", max_tokens=20, sampling=with_seed(seed))
        room.run(request)
        assert room.started(request).seed == room.finished(request).seed == seed
        texts.append(room.text(request))
    assert texts[0] == texts[1] != texts[2]


def test_drafts_do_not_change_a_greedy_answer(make_room: MakeCore) -> None:
    room = make_room()
    text = "the hall and where and the hall and where " * 3
    plain = room.generate(text, max_tokens=60, reuse_cache=False)
    room.run(plain)
    drafted = room.generate(text, max_tokens=60, reuse_cache=False, speculative=Speculative.LOOKUP)
    room.run(drafted)
    assert room.text(plain) == room.text(drafted)
    assert room.finished(drafted).metrics.n_decoded == 60


def test_a_prompt_beside_an_answer_counts_as_interference(make_room: MakeCore) -> None:
    room = make_room()
    answer = room.generate("the band", max_tokens=60)
    room.step(10)
    other = room.generate("the wall and the thing " * 10, max_tokens=2)
    room.run(other)
    room.run(answer)
    assert room.finished(answer).metrics.n_interfering_steps > 0
    assert any(event.is_interfered for event in room.of(answer) if isinstance(event, e.TokenDelta))


def test_dropping_the_cache_forgets_a_chat(make_room: MakeCore) -> None:
    room = make_room()
    first = room.generate("the band and the wall", chat_id="a")
    room.run(first)
    room.submit(c.DropCache(request_id="drop", chat_id="a"))
    assert isinstance(room.end("drop"), e.Done)
    second = room.generate("the band and the wall", chat_id="a")
    room.run(second)
    assert room.started(second).n_cached_tokens == 0


def test_a_bad_grammar_fails_only_its_request(make_room: MakeCore) -> None:
    room = make_room()
    good = room.generate("the band", max_tokens=12)
    bad = room.generate("the wall", sampling=Sampling(grammar="root ::= ("))
    end = room.end(bad)
    assert isinstance(end, e.RequestFailed)
    room.run(good)
    assert room.finished(good).metrics.n_decoded == 12


def test_a_bug_in_one_request_ends_only_that_one(make_room: MakeCore, monkeypatch: pytest.MonkeyPatch) -> None:
    room = make_room()
    good = room.generate("the band", max_tokens=12)
    bad = room.generate("the wall", max_tokens=12)
    room.step(2)
    victim = next(work for work in room.room._scheduler.works if work.request_id == bad)
    monkeypatch.setattr(victim.sampler, "sample", lambda context, index: 1 // 0)
    room.run(bad)
    end = room.end(bad)
    assert isinstance(end, e.RequestFailed)
    assert end.failure.code is Code.INTERNAL
    assert "ZeroDivisionError" in str(end.failure.message)
    room.run(good)
    assert room.finished(good).metrics.n_decoded == 12


def test_embeddings_have_unit_length_and_tell_texts_apart(make_room: MakeCore) -> None:
    room = make_room(Kind.POOLED, embeddings=True)
    room.submit(c.Embed(request_id="e", texts=("the band", "the band", "a wall")))
    end = room.end("e")
    assert isinstance(end, e.Embedded)
    assert sum(x * x for x in end.vectors[0]) == pytest.approx(1.0, abs=1e-4)
    assert end.vectors[0] == pytest.approx(end.vectors[1], abs=1e-5)
    assert end.vectors[0] != pytest.approx(end.vectors[2], abs=1e-2)


def test_a_chat_model_does_not_embed(make_room: MakeCore) -> None:
    room = make_room()
    with pytest.raises(FirstlightError, match="loaded for chatting"):
        room.submit(c.Embed(request_id="e", texts=("a",)))


def test_continuing_an_answer_goes_on_with_its_own_tokens(make_room: MakeCore) -> None:
    room = make_room()
    whole = room.generate("the wall", chat_id="a", max_tokens=40)
    room.run(whole)
    first = room.generate("the wall", chat_id="b", max_tokens=20)
    room.run(first)
    history = answered("the wall", room.text(first))
    rest = c.Generate(
        request_id="rest", messages=history, chat_id="b", continue_answer=True, max_tokens=20, sampling=GREEDY
    )
    room.submit(rest)
    room.run("rest")
    assert room.started("rest").n_cached_tokens == room.started("rest").n_prompt_tokens - 1
    assert room.text(first) + room.text("rest") == room.text(whole)
