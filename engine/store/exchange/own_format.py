"""Firstlight's own file: JSON that holds everything about chats, so that a round trip loses nothing.

    {"format": "firstlight-chats", "version": 1, "exported_at": seconds, "folders": [names],
     "chats": [{"chat": Chat, "folder": name, "messages": [StoredMessage], "summaries": [Summary]}]}

The fields are those of engine/store/chat_values.py; a field at its default is left out, an unknown field is ignored,
times are seconds since 1970. `messages` holds all versions: each names its parent, `chat.head_id` is the shown end.
A reader may rely on "chats" being the last key, so that large files can be streamed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import msgspec

from engine.store.chat_values import Chat, StoredMessage, Summary
from engine.store.exchange.import_report import ReadChat
from engine.store.exchange.json_elements import elements

FORMAT = "firstlight-chats"
VERSION = 1
CHATS_KEY = "chats"
_HEAD = re.compile(rb'^\s*\{\s*"format"\s*:\s*"firstlight-chats"')
_VERSION = re.compile(rb'"version"\s*:\s*(\d+)')


class ExportedChat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One element of "chats"."""

    chat: Chat
    folder: str = ""
    messages: tuple[StoredMessage, ...] = ()
    summaries: tuple[Summary, ...] = ()


_encoder = msgspec.json.Encoder()


def is_own(head: bytes) -> bool:
    """Whether a file that begins like this is ours."""
    return _HEAD.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def version_of(head: bytes) -> int:
    """The version a file of ours was written in; 1 where it does not say."""
    found = _VERSION.search(head)
    return int(found.group(1)) if found else 1


def encode(chats: Iterable[ExportedChat], exported_at: float) -> Iterator[bytes]:
    """The file in pieces, one for each chat."""
    head = {"format": FORMAT, "version": VERSION, "exported_at": exported_at}
    yield _encoder.encode(head)[:-1] + b',"chats":[\n'
    separator = b""
    for chat in chats:
        yield separator + _encoder.encode(chat)
        separator = b",\n"
    yield b"\n]}\n"


def raw_chats(stream: BinaryIO) -> Iterator[bytes]:
    """The elements of "chats"; errors are those of elements()."""
    return elements(stream, key=CHATS_KEY)


def read(value: dict[str, Any]) -> ReadChat:
    """One element. Raises msgspec.ValidationError, which is a ValueError."""
    found = msgspec.convert(value, ExportedChat, str_keys=True)  # JSON has no other keys; a histogram has numbers.
    return ReadChat(chat=found.chat, messages=found.messages, folder=found.folder, summaries=found.summaries)
