"""A list item of any length is cut into parts, and looks as if it had not been."""

from __future__ import annotations

import pytest

from app.markdown.blocks import Block, block_text
from app.markdown.markdown_parser import Parser
from app.markdown.markdown_source import MarkdownSource
from app.markdown.segments import HARD_LIMIT

SENTENCE = "a sentence of some words. "
ITEMS = {
    "one line": f"- {SENTENCE * 800}\n- next\n",
    "numbered": f"1. short\n2. {SENTENCE * 800}\n3. next\n",
    "chinese": f"* {'字' * 9_000}。\n* 后\n",
    "lines": "1. begin\n" + "".join(f"   line {n} of an item that is long\n" for n in range(400)) + "2. next\n",
    "lazy lines": "- begin\n" + "".join(f"line {n} of an item that is long\n" for n in range(400)) + "- next\n",
    "paragraphs": "1. begin\n\n" + "".join(f"   paragraph {n} of a long item\n\n" for n in range(400)) + "2. next\n",
    "items": "1. begin\n" + "".join(f"   - item {n} in an item that is long\n" for n in range(400)) + "2. next\n",
    "loose items": "1. begin\n\n" + "".join(f"   - item {n} in a long item\n\n" for n in range(300)) + "2. next\n",
    "numbers": "- begin\n" + "".join(f"  {n}. item {n} in a long item\n" for n in range(1, 400)) + "- next\n",
    "deep": (
        f"1. begin\n   - inner\n\n     {SENTENCE * 400}\n\n     {SENTENCE * 300}\n     - most inner {SENTENCE * 300}\n"
        "\n   - inner again\n2. next\n\nafter it\n"
    ),
    "what looks like items": f"- {'First. 2. Second - and more. # Third > fourth. ' * 300}\n- next\n",
}


def streamed(text: str, step: int) -> MarkdownSource:
    source = MarkdownSource()
    for at in range(0, len(text), step):
        source.append(text[at : at + step])
    source.finish()
    return source


def looks(blocks: list[Block]) -> list[tuple[object, ...]]:
    """What is shown: the text between two beginnings, the marks before it, and the distance above."""
    seen: list[tuple[str, object, object]] = []
    for block in blocks:
        marks = [(indent.marker, indent.is_first) for indent in block.indents]
        if block.is_joined and seen:
            text, before, gap = seen[-1]
            assert marks == [(marker, False) for marker, _ in before]  # type: ignore[attr-defined]
            seen[-1] = (text + block_text(block), before, gap)
        else:
            seen.append((block_text(block), marks, block.is_tight))
    return [("".join(text.split()), marks, gap) for text, marks, gap in seen]


@pytest.mark.parametrize("step", [7, 1_000_000])
@pytest.mark.parametrize("text", ITEMS.values(), ids=ITEMS)
def test_an_endless_item_is_bounded_and_looks_whole(text: str, step: int) -> None:
    source = streamed(text, step)
    assert "".join(source.parts) == text
    assert max(map(len, source.parts)) <= 2 * HARD_LIMIT
    assert looks([block for n in range(len(source.parts)) for block in source.parse(n)]) == looks(Parser().blocks(text))


def test_a_cut_line_never_becomes_something_else() -> None:
    text = "It begins. " + "First. 2. Second. - Third. # Fourth. > Fifth. " * 200
    source = streamed(text + "\n\nafter", 7)
    blocks = [block for n in range(len(source.parts)) for block in source.parse(n)]
    assert len(blocks) > 5
    assert looks(blocks) == looks(Parser().blocks(text + "\n\nafter"))


@pytest.mark.parametrize("step", [7, 1_000_000])
def test_what_follows_a_long_item_stands_outside(step: int) -> None:
    text = f"- {SENTENCE * 200}\n\n# Head\n\n{SENTENCE * 200}\n\n```\ncode\n```\n"
    source = streamed(text, step)
    blocks = [block for n in range(len(source.parts)) for block in source.parse(n)]
    assert looks(blocks) == looks(Parser().blocks(text))
