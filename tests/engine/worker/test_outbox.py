"""The outbox: order, one end a request, and a reader that is slow or gone."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator

import pytest

from engine.errors import Code, EngineError
from engine.protocol.codec import decode_event
from engine.protocol.events import Done, Event, RequestFailed, TokenDelta
from engine.worker.outbox import Outbox


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)
    os.close(writing)


def token(number: int, size: int = 1) -> TokenDelta:
    return TokenDelta(request_id="a", text=str(number).ljust(size))


def read_events(descriptor: int, count: int) -> list[Event]:
    data = b""
    while data.count(b"\n") < count:
        data += os.read(descriptor, 1 << 16)
    return [decode_event(line) for line in data.splitlines()]


def test_what_the_pipe_takes_is_there_when_put_returns(pipe: tuple[int, int]) -> None:
    outbox = Outbox(pipe[1])
    outbox.open("a")
    outbox.put(token(1))
    assert select.select([pipe[0]], [], [], 0)[0]
    assert read_events(pipe[0], 1) == [token(1)]
    outbox.close()


def test_a_reader_that_does_not_read_holds_nobody_up_and_misses_nothing(pipe: tuple[int, int]) -> None:
    outbox = Outbox(pipe[1])
    outbox.open("a")
    sent = [token(number, 700) for number in range(400)]
    for event in sent:
        outbox.put(event)
    assert read_events(pipe[0], len(sent)) == sent
    outbox.flush()
    outbox.put(token(400))
    assert read_events(pipe[0], 1) == [token(400)]
    outbox.close()


def test_a_line_that_is_longer_than_the_pipe_keeps_its_place(pipe: tuple[int, int]) -> None:
    outbox = Outbox(pipe[1])
    outbox.open("a")
    sent = [token(1), token(2, 200_000), token(3), token(4)]
    for event in sent:
        outbox.put(event)
    assert read_events(pipe[0], len(sent)) == sent
    outbox.close()


def test_a_request_has_one_end(pipe: tuple[int, int]) -> None:
    outbox = Outbox(pipe[1])
    assert outbox.open("a")
    assert not outbox.open("a")
    outbox.put(Done(request_id="a"))
    outbox.put(token(1))
    outbox.put(Done(request_id="a"))
    outbox.put(Done(request_id=""))
    assert read_events(pipe[0], 2) == [Done(request_id="a"), Done(request_id="")]
    outbox.close()
    assert not select.select([pipe[0]], [], [], 0)[0]


def test_an_end_that_cannot_be_written_is_not_the_end(pipe: tuple[int, int]) -> None:
    outbox = Outbox(pipe[1])
    outbox.open("a")
    failure = EngineError(Code.INTERNAL, "Half a letter: \ud800.").failure
    with pytest.raises(UnicodeEncodeError):
        outbox.put(RequestFailed(request_id="a", failure=failure))
    assert outbox.is_open("a")
    outbox.put(Done(request_id="a"))
    assert read_events(pipe[0], 1) == [Done(request_id="a")]
    outbox.close()


def test_a_reader_that_is_gone_is_noticed() -> None:
    reading, writing = os.pipe()
    outbox = Outbox(writing)
    os.close(reading)
    outbox.put(Done(request_id=""))
    outbox.flush()
    assert outbox.is_broken
    outbox.put(Done(request_id=""))
    outbox.close()
    os.close(writing)
