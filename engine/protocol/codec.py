"""JSON lines: one message a line, decoded by its `type`, with errors that say what was wrong."""

from __future__ import annotations

import functools
import operator
from typing import Any, TypeVar

import msgspec

from engine.errors import ProtocolError
from engine.protocol import commands, events

PROTOCOL_VERSION = 1

_T = TypeVar("_T")


def _leaves(base: type, module: object) -> list[type]:
    return [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, base)
        and kind.__struct_config__.tag  # type: ignore[attr-defined]
        and kind not in (commands.Command, events.Event, events.Terminal)
    ]


COMMANDS = tuple(_leaves(commands.Command, commands))
EVENTS = tuple(_leaves(events.Event, events))

_encoder = msgspec.json.Encoder()
_command_decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(functools.reduce(operator.or_, COMMANDS))
_event_decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(functools.reduce(operator.or_, EVENTS))


class Stamp(msgspec.Struct, frozen=True):
    """What a forwarder needs to know of a message: enough to pass its line on unread."""

    type: str = ""
    request_id: str = ""


_stamp_decoder = msgspec.json.Decoder(Stamp)


def encode(message: commands.Command | events.Event) -> bytes:
    """One line, newline included."""
    return _encoder.encode(message) + b"\n"


def decode_command(line: bytes) -> commands.Command:
    """Raises ProtocolError for what is not a known command, or has no request_id though it is to be answered."""
    command = _decode(_command_decoder, line, commands.Command)
    if not command.request_id and not isinstance(command, commands.Cancel):
        raise ProtocolError("A message could not be read: {error}.", error="`request_id` is missing")
    return command


def decode_event(line: bytes) -> events.Event:
    """Raises ProtocolError for what is not a known event."""
    return _decode(_event_decoder, line, events.Event)


def stamp_of(line: bytes) -> Stamp:
    """Type and request_id of a line. Raises ProtocolError for what is not a message at all."""
    try:
        return _stamp_decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProtocolError("A message could not be read: {error}.", error=error) from error


def request_id_of(line: bytes) -> str:
    """The request_id of a line that could not be decoded, so that its error finds its way back; or empty."""
    try:
        return _stamp_decoder.decode(line).request_id
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""


def check_version(version: int) -> None:
    """Raises ProtocolError unless the peer speaks our version."""
    if version != PROTOCOL_VERSION:
        raise ProtocolError(
            "This part of Firstlight speaks protocol {known}, the other speaks {version}.",
            "Install both from the same release.",
            known=PROTOCOL_VERSION,
            version=version,
        )


def _decode(decoder: msgspec.json.Decoder[Any], line: bytes, kind: type[_T]) -> _T:
    try:
        message = decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProtocolError("A message could not be read: {error}.", error=error) from error
    if not isinstance(message, kind):
        raise ProtocolError("A message is not of the expected kind.")
    return message
