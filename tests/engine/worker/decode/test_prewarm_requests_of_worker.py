"""What is typed is read ahead by a loaded model: what Enter finds, and what gives way."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.metrics import FinishReason
from engine.protocol import events as e
from tests.engine.worker.conftest import MakeCore
from tests.engine.worker.core_bench import CoreBench, answered, with_seed
from tests.tiny_models import Kind


def test_prewarm_leaves_only_the_last_tokens_for_enter(make_room: MakeCore) -> None:
    room = make_room()
    draft = "hearing and the thing and the wall"
    prewarm = room.prewarm(draft)
    room.run(prewarm)
    end = room.end(prewarm)
    assert isinstance(end, e.PrewarmFinished)
    assert end.is_complete
    assert end.n_prepared == end.n_prompt_tokens
    request = room.generate(f"{draft} now", chat_id="chat")
    room.run(request)
    started = room.started(request)
    # All but the end of the user's turn and the beginning of the answer's, spelled letter by letter here.
    assert started.n_cached_tokens > end.n_prepared - 16
    assert started.cache_miss_reason == ""
    assert room.finished(request).metrics.n_prepared_tokens == started.n_cached_tokens
    assert room.text(request) == room.text(room_text(room, f"{draft} now"))


def room_text(room: CoreBench, text: str) -> str:
    request = room.generate(text, reuse_cache=False)
    room.run(request)
    return request


@pytest.mark.parametrize("kind", [Kind.GQA, Kind.SWA, Kind.RECURRENT, Kind.HYBRID])
def test_after_a_prewarm_of_the_whole_text_the_first_token_needs_no_step(kind: Kind, make_room: MakeCore) -> None:
    room = make_room(kind)
    draft = "hearing and the thing and the wall"
    room.run(room.prewarm(draft))
    request = room.generate(draft, chat_id="chat")
    assert room.text(request)
    room.run(request)
    started = room.started(request)
    assert started.n_cached_tokens == started.n_prompt_tokens
    metrics = room.finished(request).metrics
    assert metrics.n_prepared_tokens == metrics.n_prompt_tokens
    assert metrics.n_decoded == 8
    assert room.text(request) == room.text(room_text(room, draft))


@pytest.mark.parametrize("kind", [Kind.GQA, Kind.SWA, Kind.RECURRENT, Kind.HYBRID])
def test_a_text_that_goes_on_comes_back_to_its_border(kind: Kind, make_room: MakeCore) -> None:
    room = make_room(kind)
    draft = "hearing and the thing and the wall and the band"
    n_words = len(draft.split())
    for n in range(4, n_words):
        room.run(room.prewarm(" ".join(draft.split()[:n])))
    request = room.generate(draft, chat_id="chat")
    room.run(request)
    started = room.started(request)
    # The last word, and the end of the user's turn with the beginning of the answer's, letter by letter here.
    assert started.n_prompt_tokens - started.n_cached_tokens < 30
    assert started.cache_miss_reason == ""
    assert room.text(request) == room.text(room_text(room, draft))


def test_the_same_draft_again_is_ready_at_once(make_room: MakeCore) -> None:
    room = make_room()
    room.run(room.prewarm("the band"))
    again = room.prewarm("the band")
    end = room.end(again)
    assert isinstance(end, e.PrewarmFinished)
    assert end.is_complete
    assert not room.room.is_busy


def test_kept_logits_serve_every_answer_to_the_text_until_one_goes_on(make_room: MakeCore) -> None:
    room = make_room()
    draft = "hearing and the thing and the wall"
    room.run(room.prewarm(draft))
    stopped = room.generate(draft, chat_id="chat", max_tokens=1)
    assert room.finished(stopped).finish_reason is FinishReason.LENGTH
    other = room.generate(draft, chat_id="other", sampling=with_seed(3))
    room.run(other)
    assert room.started(other).n_cached_tokens == room.started(other).n_prompt_tokens
    again = room.generate(draft, chat_id="other", sampling=with_seed(3))
    room.run(again)
    assert room.text(again) == room.text(other)


def test_the_first_message_of_a_new_chat_ends_its_prewarm(make_room: MakeCore) -> None:
    room = make_room(n_ubatch=16)
    draft = "the band and the thing " * 8
    prewarm = room.prewarm(draft, chat_id="")
    room.step(2)
    request = room.generate(draft + "now", chat_id="fresh")
    end = room.end(prewarm)
    assert isinstance(end, e.PrewarmFinished)
    assert 0 < end.n_prepared == room.started(request).n_cached_tokens
    room.run(request)
    assert not room.room.is_busy


def test_what_a_prewarm_adds_is_not_written_to_the_disk(make_room: MakeCore, tmp_path: Path) -> None:
    room = make_room(snapshot_dir=str(tmp_path), snapshot_disk_bytes=1 << 24)
    text = "the band and the thing " * 5
    first = room.generate(text, chat_id="chat")
    room.run(first)
    assert room.room._cache.save_idle()
    room.run(room.prewarm("and now the wall", history=answered(text, room.text(first))))
    assert not room.room.has_unsaved
    assert not room.room._cache.save_idle()


def test_a_changed_draft_replaces_the_prewarm(make_room: MakeCore) -> None:
    room = make_room(n_ubatch=16)
    first = room.prewarm("the band and the thing " * 20)
    second = room.prewarm("now another " * 3)
    assert isinstance(room.end(first), e.PrewarmFinished)
    room.run(second)
    end = room.end(second)
    assert isinstance(end, e.PrewarmFinished)
    assert end.is_complete


def test_prewarm_stands_back_behind_an_interactive_answer(make_room: MakeCore) -> None:
    room = make_room()
    answer = room.generate("the band", max_tokens=30)
    prewarm = room.prewarm("the wall " * 10)
    room.run(answer)
    assert room.end(prewarm) is None
    assert room.finished(answer).metrics.n_interfering_steps == 0
    room.run(prewarm)
