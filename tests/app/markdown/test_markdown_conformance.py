"""Every example of the CommonMark and GFM specs: same text as the reference, whole or streamed in pieces."""

from __future__ import annotations

import json
import random
import re
from html import unescape
from pathlib import Path

import pytest

from app.markdown.blocks import Block, block_text
from app.markdown.markdown_source import MarkdownSource

_SPECS = Path(__file__).resolve().parents[2] / "data" / "specs"
_TAG = re.compile(
    r"<!-->|<!--->|<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|<![A-Za-z].*?>"
    r"|<[A-Za-z/][^>\"']*(?:\"[^\"]*\"[^>\"']*|'[^']*'[^>\"']*)*>",
    re.DOTALL,
)


def examples(name: str) -> list[dict[str, str]]:
    loaded: list[dict[str, str]] = json.loads((_SPECS / name).read_text(encoding="utf-8"))
    return loaded


def reference_text(html: str, markdown: str) -> str:
    """The text of the reference's HTML; raw HTML of the source counts as text, as it does here, but for `<br>`."""
    pieces, at = [], 0
    for found in _TAG.finditer(html):
        pieces.append(unescape(html[at : found.start()]))
        at = found.end()
        tag = found[0]
        if tag.startswith("<img ") and tag not in markdown:
            names = dict(re.findall(r'(alt|src)="([^"]*)"', tag))
            pieces.append(unescape(names["alt"] or names["src"]))
        elif tag in markdown and not re.fullmatch(r"<br\s*/?>", tag, re.IGNORECASE):
            pieces.append(tag)
    return "".join([*pieces, unescape(html[at:])])


def rendered(pieces: list[str]) -> list[Block]:
    source = MarkdownSource(is_math_on=False)
    for piece in pieces:
        source.append(piece)
    source.finish()
    return [block for index in range(len(source.parts)) for block in source.parse(index)]


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize(("name", "count"), [("commonmark-0.31.2.json", 652), ("gfm-0.29.json", 677)])
def test_text_equals_the_reference(name: str, count: int) -> None:
    wrong = []
    for example in examples(name):
        ours = "\n".join(map(block_text, rendered([example["markdown"]])))
        if squeezed(ours) != squeezed(reference_text(example["html"], example["markdown"])):
            wrong.append((example["example"], example["markdown"], ours))
    assert not wrong
    assert len(examples(name)) == count


@pytest.mark.parametrize("name", ["commonmark-0.31.2.json", "gfm-0.29.json"])
def test_a_stream_in_small_pieces_ends_as_the_whole(name: str) -> None:
    cutter = random.Random(7)
    wrong = []
    for example in examples(name):
        markdown, pieces, at = example["markdown"], [], 0
        while at < len(markdown):
            length = cutter.randint(1, 4)
            pieces.append(markdown[at : at + length])
            at += length
        if rendered(pieces) != rendered([markdown]):
            wrong.append((example["example"], markdown))
    assert not wrong
