"""What is typed is read ahead by a loaded model: what Enter finds, and what gives way."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.metrics import FinishReason
from engine.protocol import events as e
from tests.engine.worker.conftest import MakeCore
from tests.engine.worker.core_bench import CoreBench, answered, with_seed
from tests.tiny_models import Kind


def test_prewarm_leaves_only_the_last_tokens_for_enter(make_core: MakeCore) -> None:
    bench = make_core()
    draft = "hearing and the thing and the wall"
    prewarm = bench.prewarm(draft)
    bench.run(prewarm)
    end = bench.end(prewarm)
    assert isinstance(end, e.PrewarmFinished)
    assert end.is_complete
    assert end.n_prepared == end.n_prompt_tokens
    request = bench.generate(f"{draft} now", chat_id="chat")
    bench.run(request)
    started = bench.started(request)
    # All but the end of the user's turn and the beginning of the answer's, spelled letter by letter here.
    assert started.n_cached_tokens > end.n_prepared - 16
    assert started.cache_miss_reason == ""
    assert bench.finished(request).metrics.n_prepared_tokens == started.n_cached_tokens
    assert bench.text(request) == bench.text(plain_text(bench, f"{draft} now"))


def plain_text(bench: CoreBench, text: str) -> str:
    request = bench.generate(text, reuse_cache=False)
    bench.run(request)
    return request


@pytest.mark.parametrize("kind", [Kind.GQA, Kind.SWA, Kind.RECURRENT, Kind.HYBRID])
def test_after_a_prewarm_of_the_whole_text_the_first_token_needs_no_step(kind: Kind, make_core: MakeCore) -> None:
    bench = make_core(kind)
    draft = "hearing and the thing and the wall"
    bench.run(bench.prewarm(draft))
    request = bench.generate(draft, chat_id="chat")
    assert bench.text(request)
    bench.run(request)
    started = bench.started(request)
    assert started.n_cached_tokens == started.n_prompt_tokens
    metrics = bench.finished(request).metrics
    assert metrics.n_prepared_tokens == metrics.n_prompt_tokens
    assert metrics.n_decoded == 8
    assert bench.text(request) == bench.text(plain_text(bench, draft))


@pytest.mark.parametrize("kind", [Kind.GQA, Kind.SWA, Kind.RECURRENT, Kind.HYBRID])
def test_a_text_that_goes_on_comes_back_to_its_border(kind: Kind, make_core: MakeCore) -> None:
    bench = make_core(kind)
    draft = "hearing and the thing and the wall and the band"
    n_words = len(draft.split())
    for n in range(4, n_words):
        bench.run(bench.prewarm(" ".join(draft.split()[:n])))
    request = bench.generate(draft, chat_id="chat")
    bench.run(request)
    started = bench.started(request)
    # The last word, and the end of the user's turn with the beginning of the answer's, letter by letter here.
    assert started.n_prompt_tokens - started.n_cached_tokens < 30
    assert started.cache_miss_reason == ""
    assert bench.text(request) == bench.text(plain_text(bench, draft))


def test_the_same_draft_again_is_ready_at_once(make_core: MakeCore) -> None:
    bench = make_core()
    bench.run(bench.prewarm("the band"))
    again = bench.prewarm("the band")
    end = bench.end(again)
    assert isinstance(end, e.PrewarmFinished)
    assert end.is_complete
    assert not bench.core.is_busy


def test_kept_logits_serve_every_answer_to_the_text_until_one_goes_on(make_core: MakeCore) -> None:
    bench = make_core()
    draft = "hearing and the thing and the wall"
    bench.run(bench.prewarm(draft))
    stopped = bench.generate(draft, chat_id="chat", max_tokens=1)
    assert bench.finished(stopped).finish_reason is FinishReason.LENGTH
    other = bench.generate(draft, chat_id="other", sampling=with_seed(3))
    bench.run(other)
    assert bench.started(other).n_cached_tokens == bench.started(other).n_prompt_tokens
    again = bench.generate(draft, chat_id="other", sampling=with_seed(3))
    bench.run(again)
    assert bench.text(again) == bench.text(other)


def test_the_first_message_of_a_new_chat_ends_its_prewarm(make_core: MakeCore) -> None:
    bench = make_core(n_ubatch=16)
    draft = "the band and the thing " * 8
    prewarm = bench.prewarm(draft, chat_id="")
    bench.step(2)
    request = bench.generate(draft + "now", chat_id="fresh")
    end = bench.end(prewarm)
    assert isinstance(end, e.PrewarmFinished)
    assert 0 < end.n_prepared == bench.started(request).n_cached_tokens
    bench.run(request)
    assert not bench.core.is_busy


def test_what_a_prewarm_adds_is_not_written_to_the_disk(make_core: MakeCore, tmp_path: Path) -> None:
    bench = make_core(snapshot_dir=str(tmp_path), snapshot_disk_bytes=1 << 24)
    text = "the band and the thing " * 5
    first = bench.generate(text, chat_id="chat")
    bench.run(first)
    assert bench.core._cache.save_idle()
    bench.run(bench.prewarm("and now the wall", history=answered(text, bench.text(first))))
    assert not bench.core.has_unsaved
    assert not bench.core._cache.save_idle()


def test_a_changed_draft_replaces_the_prewarm(make_core: MakeCore) -> None:
    bench = make_core(n_ubatch=16)
    first = bench.prewarm("the band and the thing " * 20)
    second = bench.prewarm("now another " * 3)
    assert isinstance(bench.end(first), e.PrewarmFinished)
    bench.run(second)
    end = bench.end(second)
    assert isinstance(end, e.PrewarmFinished)
    assert end.is_complete


def test_prewarm_stands_back_behind_an_interactive_answer(make_core: MakeCore) -> None:
    bench = make_core()
    answer = bench.generate("the band", max_tokens=30)
    prewarm = bench.prewarm("the wall " * 10)
    bench.run(answer)
    assert bench.end(prewarm) is None
    assert bench.finished(answer).metrics.n_interfering_steps == 0
    bench.run(prewarm)
