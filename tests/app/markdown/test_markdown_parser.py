"""Markdown to blocks: nesting, marks, tasks, tables, raw HTML, money and mathematics."""

from __future__ import annotations

import pytest

from app.markdown.blocks import Block, CodeBlock, Formula, Heading, Inline, Mark, Paragraph, Rule, Table
from app.markdown.markdown_parser import Parser


def blocks(text: str) -> list[Block]:
    return Parser().blocks(text)


def inline(text: str) -> Inline:
    return Parser().inline(text)


def marked(text: str) -> list[tuple[str, Mark]]:
    flow = inline(text)
    return [(flow.text[span.start : span.end], span.marks) for span in flow.spans]


def formulas(text: str) -> list[str]:
    return [span.target for span in inline(text).spans if span.marks & Mark.MATH]


def test_marks_nest() -> None:
    assert marked("a **b *c*** `d` ~~e~~") == [
        ("b ", Mark.BOLD),
        ("c", Mark.BOLD | Mark.ITALIC),
        ("d", Mark.CODE),
        ("e", Mark.STRIKE),
    ]


def test_links_keep_their_target_and_bare_addresses_become_links() -> None:
    spans = inline("[site](https://a.example/x) and https://b.example").spans
    assert [(span.marks, span.target) for span in spans] == [
        (Mark.LINK, "https://a.example/x"),
        (Mark.LINK, "https://b.example"),
    ]


def test_an_image_is_its_words_and_its_address_and_nothing_is_fetched() -> None:
    flow = inline("![a cat](https://evil.example/?p=secret)")
    assert flow.text == "a cat"
    assert flow.spans[0].marks == Mark.IMAGE | Mark.LINK
    assert flow.spans[0].target == "https://evil.example/?p=secret"


def test_raw_html_is_text_and_only_br_breaks() -> None:
    assert inline("a<br>b<br/>c <b>d</b> <script>x()</script>").text == "a\nb\nc <b>d</b> <script>x()</script>"
    assert blocks("<div onclick='x()'>\n*hi*\n</div>")[0] == Paragraph(
        inline=Inline("<div onclick='x()'>\n*hi*\n</div>")
    )


def test_underscores_inside_words_and_code_are_literal() -> None:
    assert inline("a_b_c `x_y_z` snake_case_name").text == "a_b_c x_y_z snake_case_name"


def test_lists_know_depth_markers_and_tasks() -> None:
    made = blocks("- a\n  - b\n    1. c\n- [x] done\n- [ ] open\n")
    markers = [[indent.marker for indent in block.indents if indent.is_first] for block in made]
    assert markers == [["•"], ["◦"], ["1."], ["•"], ["•"]]
    assert [block.indents[-1].is_checked for block in made] == [None, None, None, True, False]
    assert [block.is_tight for block in made] == [False, True, True, True, True]


def test_a_quote_in_a_list_in_a_quote() -> None:
    block = blocks("> - a\n>   > b\n")[1]
    assert [indent.is_quote for indent in block.indents] == [True, False, True]
    assert [indent.is_first for indent in block.indents] == [False, False, True]


def test_an_empty_item_still_has_its_marker() -> None:
    assert [block.indents[0].is_first for block in blocks("-\n- b\n")] == [True, True]


def test_tables_have_rows_and_alignments() -> None:
    table = blocks("| a | b |\n|:-:|--:|\n| **x** | y |\n")[0]
    assert isinstance(table, Table)
    assert table.alignments == ("center", "right")
    assert [[cell.text for cell in row] for row in table.rows] == [["a", "b"], ["x", "y"]]


def test_headings_rules_and_code() -> None:
    made = blocks("## T\n\n---\n\n    indented\n")
    assert [type(block) for block in made] == [Heading, Rule, CodeBlock]
    assert made[2] == CodeBlock(text="indented")


@pytest.mark.parametrize(
    "text",
    [
        "Only $59(save $100)",
        "It costs $5 and then $10.",
        "between US$5 and US$6",
        "$5, $6 or $7",
        "from $1,000 to $2,000 a month",
        "run $HOME/bin with $PATH",
        "`$x$` stays code",
        r"escaped \$x\$",
        "a $ b $ c",
        "pay 10$ or 20$ now",
        "$5 or 10$ more",
        "$$ and nothing",
        "$5-$10, $1.50/$2, US$5–US$6 or A$5",
        "**$5** and **$10**, up from **$4**",
        "价格$5和$10元",
        "$5 to\n$6",
        "$1M–$2M, $5k–$10k, $5/mo",
        "$1 + $2 = $3",
        "$AAPL and $MSFT",
        "1$ = 0.9€, 2$ = 1.8€",
        "between $1_000 and $2_000",
    ],
)
def test_money_is_never_mathematics(text: str) -> None:
    assert formulas(text) == []


def test_money_in_a_table_is_money() -> None:
    table = blocks("| plan | a month |\n|--|--|\n| $5 | **$10** |\n| $5 to $6 | $7 |\n")[0]
    assert isinstance(table, Table)
    assert [cell.text for row in table.rows[1:] for cell in row] == ["$5", "$10", "$5 to $6", "$7"]
    assert not any(span.marks & Mark.MATH for row in table.rows for cell in row for span in cell.spans)


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("energy $E = mc^2$ here", "E = mc^2"),
        ("($x$)", "x"),
        ("the $n$-th", "n"),
        (r"\(a+b\) inline", "a+b"),
        (r"so $$a^2$$ it is", "a^2"),
        ("$2$ apples", "2"),
        ("$3x_1 = 4$", "3x_1 = 4"),
        (r"costs $5, but $\frac{1}{2}$ is", r"\frac{1}{2}"),
        (r"$a_b$ keeps _its_ underscores", "a_b"),
    ],
)
def test_mathematics_is_found(text: str, latex: str) -> None:
    assert formulas(text) == [latex]


def test_the_source_of_a_formula_is_its_plain_text() -> None:
    assert inline("let $x_1$ be").plain() == "let $x_1$ be"


@pytest.mark.parametrize("text", ["$$\na + b\n$$", "$$a + b$$", "\\[\na + b\n\\]", "\\[ a + b \\]"])
def test_displayed_formulas(text: str) -> None:
    made = blocks(f"before\n{text}\nafter")
    assert [type(block) for block in made] == [Paragraph, Formula, Paragraph]
    assert isinstance(made[1], Formula)
    assert (made[1].latex, made[1].source) == ("a + b", text)


def test_mathematics_can_be_switched_off() -> None:
    plain = Parser(is_math_on=False)
    assert plain.inline("$x$").spans == ()
    written = r"$$a \\ b\\,c$$ and $x_1 * y_2 * z$"
    assert plain.inline(written) == Inline(written)
    (block,) = plain.blocks("$$\na \\\\ b\n$$")
    assert block == Paragraph(inline=Inline("$$\na \\\\ b\n$$"))


@pytest.mark.parametrize("text", ["10~20 and 30~40", "about ~5 and ~6", "a ~~~b~~~ c", "~ x ~"])
def test_ranges_are_not_struck_out(text: str) -> None:
    assert marked(text) == []


def test_link_targets_defined_elsewhere_are_known() -> None:
    parser = Parser()
    assert parser.learn_references("[a]: https://a.example\n")
    assert not parser.learn_references("[a]: https://other.example\n")
    assert parser.inline("see [a]").spans[0].target == "https://a.example"
