"""A chat as a page of HTML: formulas, prices, code, and text in every direction."""

from __future__ import annotations

import re
from xml.etree.ElementTree import fromstring

import pytest

from engine.protocol.values import Role
from engine.store.chats import ChatStore
from engine.store.exchange.exporter import Format, page
from engine.store.exchange.html_page import mathml


def html_of(store: ChatStore, answer: str) -> str:
    chat = store.create_chat(title="Trip")
    store.add_message(chat.id, Role.ASSISTANT, answer)
    return page(store, chat.id, Format.HTML)


def test_formulas_are_mathml(store: ChatStore) -> None:
    html = html_of(store, "So $a_1$, \\(b^2\\), and\n\n$$\\frac{1}{2}$$\n")
    assert html.count("<math ") == 3
    assert html.count('display="block"') == 1
    assert "<mfrac>" in html


def test_prices_are_no_formulas(store: ChatStore) -> None:
    assert "Only $59 (save $100) or $5." in html_of(store, "Only $59 (save $100) or $5.")


@pytest.mark.parametrize("lead", ["", "> ", "  "])
def test_markdown_quoted_as_code_is_one_block(store: ChatStore, lead: str) -> None:
    quoted = "".join(f"{lead}{line}\n" for line in ("```markdown", "```py", "x", "```", "*end*", "```"))
    html = html_of(store, f"- item\n\n{quoted}\nafter")
    assert html.count("<pre>") == 1
    assert "```py\nx\n```\n*end*" in html


@pytest.mark.parametrize("latex", ["\\begin{nothing", "{" * 50, "x" * 5000])
def test_what_cannot_be_set_stays_source(store: ChatStore, latex: str) -> None:
    assert mathml(latex, False) == "" or "<math" in mathml(latex, False)
    assert latex[:10] in html_of(store, f"$$\n{latex}\n$$")


@pytest.mark.parametrize(
    "latex",
    [
        "\\text{<meta http-equiv=refresh content=0>}",
        "\\text{&lt;meta&gt;}",
        "\\operatorname{<meta>}",
        "\\href{javascript:alert(1)}{<meta>}",
        "\\style{position:fixed}{x}",
        '\\color{red" onclick="x}{x}',
    ],
)
def test_a_formula_brings_nothing_but_mathematics(latex: str) -> None:
    made = mathml(latex, False)
    assert not {element.tag.rpartition("}")[2][0] for element in fromstring(made).iter()} - {"m"}
    assert not re.search('<meta|href|style=| onclick="', made)


def test_a_link_definition_counts_in_its_own_message_only(store: ChatStore) -> None:
    chat = store.create_chat(title="Trip")
    store.add_message(chat.id, Role.ASSISTANT, "[1]: https://a.example\n\nSee [1].")
    store.add_message(chat.id, Role.ASSISTANT, "As in [1].")
    assert page(store, chat.id, Format.HTML).count('href="https://a.example"') == 1


def test_code_has_no_empty_line_at_its_end(store: ChatStore) -> None:
    assert 'class="language-python">x = 1 &lt; 2</code></pre>' in html_of(store, "```python\nx = 1 < 2\n```\n")


def test_each_paragraph_has_its_own_direction(store: ChatStore) -> None:
    html = html_of(store, "Hello\n\nשלום\n")
    assert "unicode-bidi: plaintext" in html
    assert "<p>שלום</p>" in html
