"""Character cards, versions 1 to 3, from PNG, CHARX and JSON: read as what a preset needs."""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from engine.store.exchange.import_report import Character
from engine.store.exchange.json_elements import Unreadable, decode
from engine.store.exchange.json_fields import items, mapping, text
from engine.translatable import phrase

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
MAX_CHUNK_BYTES = 32 << 20
_IN_PROMPT = (
    ("description", ""),
    ("personality", "{{char}}'s personality: "),
    ("scenario", "Scenario: "),
    ("mes_example", "Examples of how {{char}} speaks:\n"),
)


def read_png(stream: BinaryIO) -> dict[str, Any]:
    """The card inside a PNG; version 3 wins over version 1 or 2. Raises Unreadable when there is none."""
    found = {key: value for key, value in _texts(stream) if key in ("chara", "ccv3")}
    raw = found.get("ccv3") or found.get("chara")
    if raw is None:
        raise Unreadable(phrase("the picture holds no character card"))
    try:
        return mapping(decode(base64.b64decode(raw)))
    except binascii.Error as error:
        raise Unreadable(phrase("the character card in the picture is damaged")) from error


def _texts(stream: BinaryIO) -> Iterator[tuple[str, bytes]]:
    """The tEXt and uncompressed or compressed zTXt chunks of a PNG, up to its end or to damage."""
    if stream.read(8) != PNG_SIGNATURE:
        raise Unreadable(phrase("the file is not a PNG picture"))
    while len(header := stream.read(8)) == 8:
        size, kind = struct.unpack(">I4s", header)
        if size > MAX_CHUNK_BYTES:
            return
        body = stream.read(size)
        stream.read(4)
        if kind == b"IEND" or len(body) < size:
            return
        key, _, value = body.partition(b"\0")
        if kind == b"tEXt":
            yield key.decode("latin-1").lower(), value
        elif kind == b"zTXt":
            unpacked = zlib.decompressobj()
            yield key.decode("latin-1").lower(), unpacked.decompress(value[1:], MAX_CHUNK_BYTES)


def read(card: dict[str, Any], user: str = "User") -> Character:
    """A card of any version. The creator's notes stay out of the prompt. Raises Unreadable when it has no name."""
    data = mapping(card.get("data")) or card
    name = text(data.get("name")).strip()
    if not name:
        raise Unreadable(phrase("the character card has no name"))
    called = text(data.get("nickname")).strip() or name

    def fill(template: object) -> str:
        filled = text(template)
        for placeholder, value in (("{{char}}", called), ("<BOT>", called), ("{{user}}", user), ("<USER>", user)):
            filled = _replace_any_case(filled, placeholder, value)
        return filled.strip()

    own = fill(data.get("system_prompt")).replace("{{original}}", "").strip()
    described = [fill(prefix + text(data.get(field))) for field, prefix in _IN_PROMPT if text(data.get(field)).strip()]
    opening = own or fill("You are {{char}}. Stay in this character and answer {{user}}.")
    greetings = [data.get("first_mes"), *items(data.get("alternate_greetings"))]
    return Character(
        name=name,
        system_prompt="\n\n".join([opening, *described]),
        greetings=tuple(filled for each in greetings if (filled := fill(each))),
        post_history=fill(data.get("post_history_instructions")),
        creator_notes=text(data.get("creator_notes")),
        card=card,
    )


def _replace_any_case(template: str, placeholder: str, value: str) -> str:
    pieces = []
    lowered, wanted = template.lower(), placeholder.lower()
    if len(lowered) != len(template):
        return template.replace(placeholder, value)
    start = 0
    while (found := lowered.find(wanted, start)) >= 0:
        pieces += [template[start:found], value]
        start = found + len(placeholder)
    return "".join([*pieces, template[start:]])
