"""Requests end once, and wait in the right order."""

from __future__ import annotations

import time

import pytest

from engine.errors import Code, Failure
from engine.host.requests import HostRequest, RequestQueue
from engine.metrics import FinishReason
from engine.protocol import (
    CountTokens,
    Done,
    Event,
    Generate,
    GenerationFinished,
    LoadModel,
    Prewarm,
    PrewarmFinished,
    Priority,
    RequestFailed,
    TokenDelta,
    encode,
)


def _request(command, events: list[Event], lines: list[bytes] | None = None) -> HostRequest:  # type: ignore[no-untyped-def]
    return HostRequest(command, events.append, lines.append if lines is not None else None, lambda *_: None)


def _generate(name: str, priority: Priority = Priority.INTERACTIVE) -> HostRequest:
    return _request(Generate(request_id=name, priority=priority), [])


def test_nothing_follows_the_terminal_event() -> None:
    events: list[Event] = []
    lines: list[bytes] = []
    request = _request(Generate(request_id="a"), events, lines)
    request.forward(b"one\n")
    request.fail(Failure(code=Code.INTERNAL, message="No."))
    request.send(Done(request_id="a"))
    request.end_cancelled()
    request.forward(b"two\n")
    assert [type(event) for event in events] == [RequestFailed]
    assert lines == [b"one\n"]


def test_lines_are_decoded_only_for_those_who_want_events() -> None:
    events: list[Event] = []
    delta = TokenDelta(request_id="a", text="Hi")
    _request(Generate(request_id="a"), events).forward(encode(delta))
    assert events == [delta]


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        (Generate(request_id="a"), GenerationFinished),
        (Prewarm(request_id="a"), PrewarmFinished),
        (LoadModel(request_id="a", model_id="m"), RequestFailed),
    ],
)
def test_each_kind_has_its_own_cancelled_end(command, kind: type[Event]) -> None:  # type: ignore[no-untyped-def]
    events: list[Event] = []
    _request(command, events).end_cancelled()
    (event,) = events
    assert isinstance(event, kind)
    if isinstance(event, GenerationFinished):
        assert event.finish_reason is FinishReason.CANCELLED
    if isinstance(event, RequestFailed):
        assert event.failure.code is Code.CANCELLED


def test_waiting_is_split_into_loading_and_queueing() -> None:
    began = time.monotonic()
    request = _generate("a")
    request.accepted -= 10
    request.load_wait = 4
    metrics = request.waiting_metrics()
    assert metrics.load_time == 4
    assert 6 <= metrics.queued_time <= 6 + time.monotonic() - began


def test_priorities_go_first_and_equals_in_order_of_arrival() -> None:
    queue = RequestQueue()
    batch = _generate("batch", Priority.BATCH)
    api = _generate("api", Priority.API)
    first = _generate("first")
    second = _generate("second")
    prewarm = _request(Prewarm(request_id="prewarm"), [])
    count = _request(CountTokens(request_id="count"), [])
    for request in (prewarm, second, batch, api, first, count):
        queue.push(request)
    assert [request.request_id for request in queue] == ["first", "second", "count", "api", "batch", "prewarm"]
    assert queue.push(_generate("third")) == 3
    assert queue.remove(first)
    assert not queue.remove(first)
    assert len(queue.take_all()) == 6
    assert len(queue) == 0
