"""Addresses amid text."""

from __future__ import annotations

from app.markdown import markdown_parser
from app.markdown.markdown_parser import Parser


def test_the_first_addresses_in_a_text_compile_no_pattern() -> None:
    known = dict(markdown_parser._LINKS.re)
    inline = Parser().inline("See http://first.example, //second.example and mailto:third@example.com for more.")
    assert [span.target for span in inline.spans] == [
        "http://first.example",
        "//second.example",
        "mailto:third@example.com",
    ]
    assert markdown_parser._LINKS.re == known
