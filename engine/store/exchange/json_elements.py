"""Cutting a large JSON file into its elements without holding more than one of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from engine.translatable import phrase, sentence

CHUNK_BYTES = 1 << 20
MAX_ELEMENT_BYTES = 256 << 20
_BOM = b"\xef\xbb\xbf"
# A quote that does not close in the buffer matches alone, and asks for more.
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|["\[\]{}]', re.DOTALL)
_BETWEEN = re.compile(rb"[ \t\r\n,\x1e]*")


class Unreadable(ValueError):
    """What cannot be taken in; it is raised with a translatable reason, as the exceptions of libraries are not."""


class BrokenJson(Unreadable):
    """The file is not JSON, or ends too early; what came before is good."""


def elements(stream: BinaryIO, *, key: str = "") -> Iterator[bytes]:
    """The elements of a top-level array, or the values of a JSON-lines file, or one object, as raw JSON.

    `key` instead reads the array under that key of a top-level object. Raises BrokenJson, Unreadable when an
    element is larger than MAX_ELEMENT_BYTES, and OSError.
    """
    buffer = bytearray(stream.read(CHUNK_BYTES))
    del buffer[: len(_BOM) if buffer.startswith(_BOM) else 0]
    if key:
        found = re.search(rb'"%s"\s*:\s*\[' % re.escape(key.encode()), buffer)
        if found is None:
            raise BrokenJson(sentence("there is no array “{key}” near the start", key=key))
        del buffer[: found.end()]
        in_array = True
    else:
        _strip(buffer)
        in_array = buffer.startswith(b"[")
        del buffer[: int(in_array)]
    yield from _cut(stream, buffer, in_array)


def _cut(stream: BinaryIO, buffer: bytearray, in_array: bool) -> Iterator[bytes]:
    position = 0
    depth = 0
    while True:
        if depth == 0:
            _strip(buffer)
            position = 0
            if in_array and buffer.startswith(b"]"):
                return
        for token in _TOKEN.finditer(buffer, position):
            mark = token.group()[:1]
            if mark == b'"':
                if token.end() - token.start() == 1:
                    break
            elif mark in b"[{":
                depth += 1
            else:
                depth -= 1
            position = token.end()
            if depth <= 0:
                break
        if depth < 0 or (depth == 0 and position > 0 and buffer[0] not in b'[{"'):
            raise BrokenJson(phrase("it is not a list of objects"))
        if depth == 0 and position:
            yield bytes(memoryview(buffer)[:position])
            del buffer[:position]
            continue
        if len(buffer) > MAX_ELEMENT_BYTES:
            raise Unreadable(sentence("one of its chats is larger than {mb} MB", mb=MAX_ELEMENT_BYTES >> 20))
        # Growing steps keep one huge element from being scanned again for each small chunk.
        more = stream.read(max(CHUNK_BYTES, len(buffer)))
        if not more:
            if depth == 0 and not in_array and not buffer:
                return
            raise BrokenJson(phrase("it ends too early") if buffer or in_array else phrase("it is empty"))
        buffer += more


def _strip(buffer: bytearray) -> None:
    leading = _BETWEEN.match(buffer)
    del buffer[: leading.end() if leading else 0]


def decode(raw: bytes) -> Any:
    """One element as plain values. Raises ValueError."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # Python's own reader also takes NaN, lone surrogates and raw control characters.
        return json.loads(raw.decode("utf-8", "replace"), strict=False)


def lines(stream: BinaryIO) -> Iterator[Any | None]:
    """The values of a JSON-lines file; None for a line that is not JSON. Raises ValueError and OSError."""
    while line := stream.readline(MAX_ELEMENT_BYTES):
        stripped = line.strip().removeprefix(_BOM)
        if not stripped:
            continue
        try:
            yield decode(stripped)
        except (ValueError, RecursionError):
            yield None
