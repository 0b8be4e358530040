"""Every message survives the border, and what is no message is a clear error."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Code, Failure, ProtocolError
from engine.metrics import FinishReason, RequestMetrics
from engine.protocol import (
    Cancel,
    Command,
    EffectiveSettings,
    Event,
    Generate,
    GenerationFinished,
    Hello,
    LoadModel,
    ModelSettings,
    RequestFailed,
    TokenDelta,
    decode_command,
    decode_event,
    encode,
    stamp_of,
)
from engine.protocol.codec import COMMANDS, EVENTS, PROTOCOL_VERSION, check_version, request_id_of
from engine.translatable import sentence

_SAMPLES: dict[type, object] = {
    str: "text",
    int: 3,
    float: 0.5,
    bool: True,
    RequestMetrics: RequestMetrics(ttft=0.1),
    EffectiveSettings: EffectiveSettings(n_ctx=8),
    Failure: Failure(code=Code.INTERNAL, message="No."),
    FinishReason: FinishReason.STOP,
}


def sample(kind: type) -> msgspec.Struct:
    """A message with all its required fields, and with a request_id."""
    fields: dict[str, object] = {"request_id": "text"}
    for field in msgspec.structs.fields(kind):
        if field.required:
            fields[field.encode_name] = _value(field.type)
    return msgspec.convert(fields | {"type": kind.__name__}, kind)  # type: ignore[no-any-return]


def _value(annotation: object) -> object:
    if annotation in _SAMPLES:
        value = _SAMPLES[annotation]  # type: ignore[index]
        return msgspec.to_builtins(value) if isinstance(value, msgspec.Struct) else value
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return {f.encode_name: _value(f.type) for f in msgspec.structs.fields(annotation) if f.required}
    return []


@pytest.mark.parametrize("kind", COMMANDS, ids=lambda kind: kind.__name__)
def test_every_command_crosses(kind: type[Command]) -> None:
    message = sample(kind)
    assert isinstance(message, Command)
    line = encode(message)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode_command(line) == message


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_every_event_crosses(kind: type[Event]) -> None:
    message = sample(kind)
    assert isinstance(message, Event)
    assert decode_event(encode(message)) == message
    assert stamp_of(encode(message)).type == kind.__name__


@given(st.text(), st.text(min_size=1))
def test_any_text_stays_in_one_line(text: str, request_id: str) -> None:
    line = encode(TokenDelta(request_id=request_id, text=text))
    assert line.count(b"\n") == 1
    assert decode_event(line) == TokenDelta(request_id=request_id, text=text)
    assert stamp_of(line).request_id == request_id


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"nothing\n",
        b"\xff\xfe\n",
        b"[]\n",
        b"null\n",
        b'{"request_id": "a"}\n',
        b'{"type": "Riddle", "request_id": "a"}\n',
        b'{"type": "Generate"}\n',
        b'{"type": "Generate", "request_id": ""}\n',
        encode(Generate()),
        b'{"type": "TokenDelta", "request_id": "a"}\n',
        b'{"type": "Generate", "request_id": "a", "max_tokens": "many"}\n',
    ],
)
def test_what_is_no_command_is_an_error(line: bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        decode_command(line)
    assert caught.value.code is Code.PROTOCOL


def test_only_a_cancel_needs_no_id_since_nothing_answers_it() -> None:
    assert decode_command(encode(Cancel(target_id="a"))) == Cancel(target_id="a")


@given(st.binary())
def test_any_bytes_are_an_error_or_a_message(line: bytes) -> None:
    for decode in (decode_command, decode_event, stamp_of):
        try:
            decode(line)
        except ProtocolError as error:
            assert error.failure.message
    assert isinstance(request_id_of(line), str)


def test_unknown_fields_are_ignored() -> None:
    line = b'{"type": "Hello", "request_id": "a", "protocol_version": 1, "mood": {"from": ["the", "future"]}}\n'
    assert decode_command(line) == Hello(request_id="a", protocol_version=1)


def test_another_version_is_refused_with_both_numbers() -> None:
    check_version(PROTOCOL_VERSION)
    with pytest.raises(ProtocolError) as caught:
        check_version(PROTOCOL_VERSION + 1)
    assert str(PROTOCOL_VERSION) in str(caught.value.failure.message)
    assert str(PROTOCOL_VERSION + 1) in str(caught.value.failure.message)


def test_an_error_finds_its_way_back() -> None:
    assert request_id_of(b'{"type": "Riddle", "request_id": "a", "x": 1}\n') == "a"
    assert request_id_of(b"\xff") == ""


def test_defaults_are_not_sent() -> None:
    assert encode(Generate(request_id="a")) == b'{"type":"Generate","request_id":"a"}\n'
    loaded = LoadModel(request_id="a", model_id="m", settings=ModelSettings(n_ctx=8))
    assert encode(loaded) == b'{"type":"LoadModel","request_id":"a","model_id":"m","settings":{"n_ctx":8}}\n'


def test_results_and_failures_carry_their_parts() -> None:
    finished = GenerationFinished(request_id="a", finish_reason=FinishReason.LENGTH, metrics=RequestMetrics(ttft=0.5))
    failed = RequestFailed(
        request_id="a", failure=Failure(code=Code.CONTEXT_FULL, message=sentence("Full: {n:,}.", n=8000))
    )
    for event in (finished, failed):
        assert decode_event(encode(event)) == event
