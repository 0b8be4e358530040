"""Where a growing text is cut, and what that costs."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from app.markdown.blocks import Block, CodeBlock, Formula, Paragraph, block_text
from app.markdown.markdown_parser import Parser
from app.markdown.markdown_source import MarkdownSource
from app.markdown.segments import HARD_LIMIT, Segmenter


def parts(text: str) -> list[str]:
    segmenter = Segmenter()
    segmenter.feed(text)
    return segmenter.parts


def code_of(text: str, *, is_finished: bool = True) -> list[CodeBlock]:
    source = MarkdownSource()
    source.append(text)
    if is_finished:
        source.finish()
    made = [block for index in range(len(source.parts)) for block in source.parse(index)]
    return [block for block in made if isinstance(block, CodeBlock)]


def test_paragraphs_and_code_are_parts_of_their_own() -> None:
    assert parts("a\n\nb\n```py\nx\n\ny\n```\nc") == ["a\n\n", "b\n", "```py\nx\n\ny\n```\n", "c"]


def test_a_list_stays_whole_until_it_is_long() -> None:
    assert len(parts("- a\n\n- b\n\n  more\n- c\n")) == 1
    assert len(parts("- item of some length\n" * 200)) > 2


def test_numbers_go_on_in_a_list_that_was_cut() -> None:
    source = MarkdownSource()
    source.append("".join("1. a lazily numbered item of some length\n" for _ in range(100)))
    markers = [block.indents[0].marker for index in range(len(source.parts)) for block in source.parse(index)]
    assert len(source.parts) > 1
    assert markers == [f"{number}." for number in range(1, 101)]


def test_a_cut_list_stays_tight() -> None:
    source = MarkdownSource()
    source.append("- an item of some length, again and again\n" * 100)
    firsts = [source.parse(index)[0] for index in range(1, len(source.parts))]
    assert firsts
    assert all(block.is_tight for block in firsts)


@pytest.mark.parametrize("text", ["word " * 4_000, "字" * 20_000, "x" * 20_000, ("line\n" * 4_000)])
def test_an_endless_paragraph_is_bounded_and_loses_nothing(text: str) -> None:
    source = MarkdownSource()
    for at in range(0, len(text), 700):
        source.append(text[at : at + 700])
    assert "".join(source.parts) == text
    assert max(map(len, source.parts)) <= 2 * HARD_LIMIT
    assert all(block.is_joined for index in range(1, len(source.parts)) for block in source.parse(index))


def test_only_the_last_part_ever_changes() -> None:
    segmenter, text = Segmenter(), "# A\n\npara one\n\n- x\n- y\n\n```c\nint a;\n```\n\nend\n\n" * 5
    final: list[str] = []
    for character in text:
        first = segmenter.feed(character)
        assert first >= len(final) - 1
        assert segmenter.parts[: len(final) - 1] == final[:-1]
        final = list(segmenter.parts)
    assert "".join(final) == text


def test_an_unclosed_fence_is_closed_virtually_while_it_streams() -> None:
    (open_code,) = code_of("```py\nprint(1)\nprint(", is_finished=False)
    assert (open_code.text, open_code.is_closed) == ("print(1)\nprint(", False)
    (closed_code,) = code_of("```py\nprint(1)\n")
    assert (closed_code.text, closed_code.is_closed) == ("print(1)", True)


def test_a_fence_that_opens_nothing_is_not_shown() -> None:
    assert code_of("x = 1\n```") == code_of("x = 1\n```\n") == []
    assert [code.language for code in code_of("```python")] == ["python"]
    assert len(code_of("```\n```\n\nmore")) == 1
    assert len(code_of("```", is_finished=False)) == 1


def test_half_a_closing_fence_is_not_shown() -> None:
    assert code_of("```py\nx = 1\n``", is_finished=False)[0].text == "x = 1"
    assert code_of("```py\nx = 1\n```", is_finished=False)[0].is_closed


@pytest.mark.parametrize(
    "text",
    [
        "```markdown\n{}\n```\n",
        "```md\nfirst\n~~~sh\nls\n~~~\n{}\n```\n",
        "````markdown\n{}\n````\n",
        "~~~markdown\n{}\n~~~\n",
        "- item\n\n  ```markdown\n  {}\n  ```\n- next\n",
        "1. item\n   ```mdx\n   {}\n   ```\n",
        "> ```markdown\n> {}\n> ```\n",
    ],
)
@pytest.mark.parametrize(
    "quoted",
    [
        "# T\n```python\nx\n```\nend",
        "```sh\nls\n```\nand\n```js\ny\n```",
        "- list\n\n  ```py\n  x\n  ```",
        "1.  far in\n    ```py\n    x\n    ```\nend",
        "use ```x``` here",
        "~~~py\ny\n~~~",
    ],
)
def test_markdown_quoted_as_code_is_one_block_wherever_it_stands(text: str, quoted: str) -> None:
    lead = re.search(r"^(.*)\{\}", text, re.MULTILINE)
    assert lead is not None
    whole = text.replace("{}", quoted.replace("\n", "\n" + lead[1])) + "\nafter\n"
    for step in (len(whole), 3):
        source = MarkdownSource()
        for at in range(0, len(whole), step):
            source.append(whole[at : at + step])
        source.finish()
        made = blocks_of(source)
        (code,) = (block for block in made if isinstance(block, CodeBlock))
        assert code.text.removeprefix("first\n~~~sh\nls\n~~~\n") == quoted
        assert block_text(made[-1]) == "after"
        assert not made[-1].indents


def test_a_longer_fence_holds_shorter_ones() -> None:
    assert code_of("````\n```\nx\n```\n````\n")[0].text == "```\nx\n```"


def test_code_that_an_item_leaves_open_ends_with_the_item() -> None:
    assert len(parts("- item\n\n  ```py\n  x\n\n" + "A paragraph after it.\n\n" * 9)) == 10
    assert [code.text for code in code_of("- item\n\n  ```py\n  x\n\nafter\n")] == ["x\n"]


def test_backticks_inside_a_line_are_no_fence() -> None:
    text = "use ```x``` and\n**more** ```\ntext *with* marks\n"
    assert code_of(text) == []
    (paragraph,) = Parser().blocks(text)
    assert block_text(paragraph) == "use x and\nmore ```\ntext with marks"


def test_code_is_copied_byte_for_byte() -> None:
    body = "a_b_c = '*x*'  \n\n\tif <b>: &amp; $5$\n  \u00e9\U0001f600"
    assert code_of(f"```\n{body}\n```\n")[0].text == body


def test_a_fence_inside_a_list_item_belongs_to_it() -> None:
    source = MarkdownSource()
    source.append("- a\n\n  ```py\n  x\n\n  y\n  ```\n- b\n")
    made = source.parse(0)
    assert len(source.parts) == 1
    assert isinstance(made[1], CodeBlock)
    assert (made[1].text, len(made[1].indents)) == ("x\n\ny", 1)


def test_the_exact_info_string_names_the_language() -> None:
    assert code_of("```c++ title=x\n1\n```")[0].language == "c++"
    assert code_of("```Go\n1\n```")[0].language == "Go"


def test_late_link_targets_reach_earlier_parts() -> None:
    source = MarkdownSource()
    source.append("see [docs]\n\nmore\n\n")
    assert source.append("[docs]: https://d.example\n\nand so it ends") == 0
    block = source.parse(0)[0]
    assert isinstance(block, Paragraph)
    assert block.inline.spans[0].target == "https://d.example"


def test_an_unclosed_comment_does_not_swallow_the_rest() -> None:
    source = MarkdownSource()
    source.append("<!-- never closed\n\n" + "para\n\n" * 5_000)
    source.finish()
    assert len(source.parts) > 100
    assert block_text(source.parse(len(source.parts) - 1)[0]) == "para"


def blocks_of(source: MarkdownSource) -> list[Block]:
    return [block for index in range(len(source.parts)) for block in source.parse(index)]


QUOTED = {
    "lines": "".join(f"> line {n} of a quote that is long\n" for n in range(400)),
    "one line": "> " + "a sentence of some words. " * 800,
    "paragraphs": "> a paragraph of a quote\n> in two lines\n>\n" * 300,
}


@pytest.mark.parametrize("text", QUOTED.values(), ids=QUOTED)
def test_an_endless_quote_is_bounded_and_stays_one_quote(text: str) -> None:
    source = MarkdownSource()
    for at in range(0, len(text), 7):
        source.append(text[at : at + 7])
    assert "".join(source.parts) == text
    assert max(map(len, source.parts)) <= 2 * HARD_LIMIT
    first, *others = blocks_of(source)
    whole = Parser().blocks(text)
    assert all([indent.is_quote for indent in block.indents] == [True] for block in (first, *others))
    assert not any(block.indents[0].is_first for block in others)
    assert " ".join(map(block_text, (first, *others))).split() == " ".join(map(block_text, whole)).split()


@pytest.mark.parametrize(
    "line",
    ["> - item\n", "> > inner\n", "> ```\n", "> | a | b |\n", "> # head\n", ">     code\n", "> ---\n", "> 1. one\n"],
)
def test_a_quote_of_more_than_paragraphs_is_never_cut(line: str) -> None:
    assert len(parts(line + "> line of a quote that is long\n" * 200)) == 1


def test_an_open_formula_shows_its_source_and_only_the_end_of_it_changes() -> None:
    source, lines = MarkdownSource(), [f"x_{{{n}}} \\\\ *y* _z_" for n in range(100)]
    source.append("$$\n")
    seen: list[list[Block]] = []
    for line in lines:
        source.append(line + "\n")
        seen.append(source.parse(0))
    text = "$$\n" + "\n".join(lines)
    assert all(isinstance(block, Formula) and not block.latex for block in seen[-1])
    assert "\n".join(map(block_text, seen[-1])) == text
    assert all(after[: len(before) - 1] == before[:-1] for before, after in pairwise(seen))
    source.append("$$\n")
    assert source.parse(0) == [Formula(latex="\n".join(lines), source=text + "\n$$")]


def test_a_formula_that_is_too_long_is_its_source_in_pieces() -> None:
    source, text = MarkdownSource(), "$$\n" + "x_1 + y\n" * 1_000 + "$$"
    source.append(text + "\n\nafter")
    made = source.parse(0)
    assert len(made) > 100
    assert "\n".join(map(block_text, made[:-1])) == text


TABLE = "| a | b |\n|:--|--:|\n" + "".join(f"| row {n} | *{n}* |\n" for n in range(60))


@pytest.mark.parametrize("after", ["", "\n", "\nafter it\n", "# head\n", "> quote\n", "no row\n", "- item\n"])
def test_a_growing_table_is_what_it_is_at_once(after: str) -> None:
    source, text = MarkdownSource(), TABLE + after
    for at in range(0, len(text), 5):
        source.append(text[at : at + 5])
        last = len(source.parts) - 1
        assert source.parse(last) == Parser().blocks(source.parts[last])
    assert source.parse(0) == Parser().blocks(source.parts[0])


def test_rows_of_a_growing_table_are_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    source = MarkdownSource()
    source.append(TABLE)
    source.parse(0)
    asked: list[str] = []
    blocks = Parser.blocks
    monkeypatch.setattr(Parser, "blocks", lambda parser, text, *rest: asked.append(text) or blocks(parser, text, *rest))
    for piece in ("| new ", "| row |", "\n", "| one", " | more |\n"):
        source.append(piece)
        source.parse(0)
    assert max(text.count("\n") for text in asked) == 3
