"""Markdown to blocks: markdown-it's tokens, flattened so that every block knows the quotes and items it is in."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from linkify_it import LinkifyIt
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from app.markdown.blocks import (
    BULLETS,
    Block,
    CodeBlock,
    Formula,
    Heading,
    Indent,
    Inline,
    Mark,
    Paragraph,
    Picture,
    Rule,
    Span,
    Table,
)
from app.markdown.strikethrough_rule import strikethrough
from engine.store.exchange.fences import nested_fences
from engine.store.exchange.math_rules import mathematics

_TASK = re.compile(r"\[([ xX])\](?=\s)\s?")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_OPENING = {"em_open": Mark.ITALIC, "strong_open": Mark.BOLD, "s_open": Mark.STRIKE}
_CLOSING = {"em_close": Mark.ITALIC, "strong_close": Mark.BOLD, "s_close": Mark.STRIKE}


def _line_break(state: StateInline, silent: bool) -> bool:
    """`<br>` is the one tag that is not shown as text."""
    found = _BREAK.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("hardbreak", "br", 0)
    state.pos = found.end()
    return True


def _link_finder() -> LinkifyIt:
    """Finds addresses amid text. Its patterns would be compiled at the first address of each kind, for 40 ms in all."""
    made = LinkifyIt()
    for address in ("http://a.b", "//a.b", "mailto:a@b.c"):
        made.test(address)
    return made


_LINKS = _link_finder()


@functools.cache
def _markdown() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": True, "linkify": True})
    made.enable(["table", "linkify"])
    made.linkify = _LINKS
    made.inline.ruler.before("html_inline", "line_break", _line_break)
    made.use(strikethrough)
    made.use(nested_fences)
    return made.use(mathematics)


@dataclass(slots=True)
class _List:
    """A list that is being flattened."""

    number: int | None
    n_columns: int
    depth: int
    is_tight: bool = True
    has_begun: bool = False

    def marker(self) -> str:
        if self.number is None:
            return BULLETS[min(self.depth, len(BULLETS) - 1)]
        return f"{self.number}."


class Parser:
    """Parses parts of one text; link targets defined in one part are known in all of them."""

    def __init__(self, *, is_math_on: bool = True) -> None:
        self._is_math_on = is_math_on
        self._markdown = _markdown()
        self.environment: dict[str, Any] = {}
        self._key: tuple[tuple[str, str, str], ...] = ()

    def learn_references(self, text: str) -> bool:
        """Take the link targets that `text` defines; returns whether any was new."""
        before = len(self.environment.get("references", ()))
        self._markdown.block.parse(text, self._markdown, self.environment, [])
        references = self.environment.get("references", {})
        self._key = tuple((name, value["href"], value.get("title", "")) for name, value in references.items())
        return len(references) > before

    def blocks(self, text: str, list_start: int | None = None) -> list[Block]:
        """The blocks of `text`; `list_start` numbers its first list when that goes on with an earlier part's."""
        tokens: list[Token] = []
        self._markdown.block.parse(text, self._markdown, self.environment, tokens)
        return _Flattener(self, list_start, is_math_on=self._is_math_on).flatten(tokens)

    def inline(self, text: str) -> Inline:
        """One flow of text; the same text is never parsed twice while it is remembered."""
        return _inline(text, self._key, self._is_math_on)


@functools.lru_cache(maxsize=8192)
def _inline(text: str, references: tuple[tuple[str, str, str], ...], is_math_on: bool) -> Inline:
    known = {"references": {name: {"href": href, "title": title} for name, href, title in references}}
    tokens = _markdown().parseInline(text, known)
    return _inline_of(tokens[0].children or [], is_math_on=is_math_on) if tokens else Inline("")


def _inline_of(tokens: Sequence[Token], *, is_math_on: bool) -> Inline:
    pieces: list[str] = []
    spans: list[Span] = []
    length = 0
    marks, target = Mark.PLAIN, ""

    def add(text: str, extra: Mark = Mark.PLAIN, to: str = "", source: str = "") -> None:
        nonlocal length
        if not text:
            return
        pieces.append(text)
        look = marks | extra
        if look:
            last = spans[-1] if spans else None
            to = to or target
            if last and last.end == length and (last.marks, last.target) == (look, to) and not source:
                spans[-1] = replace(last, end=length + len(text))
            else:
                spans.append(Span(length, length + len(text), look, to, source))
        length += len(text)

    for token in tokens:
        match token.type:
            case "text" | "text_special" | "html_inline":
                add(token.content)
            case "code_inline":
                add(token.content, Mark.CODE)
            case "math_inline" if not is_math_on:
                add(token.markup)  # As it was written: its backslashes are no escapes.
            case "math_inline":
                add(token.markup, Mark.MATH, token.content, token.markup)
            case "softbreak" | "hardbreak":
                add("\n")
            case "link_open":
                marks, target = marks | Mark.LINK, str(token.attrs.get("href", ""))
            case "link_close":
                marks, target = marks & ~Mark.LINK, ""
            case "image":
                address = str(token.attrs.get("src", ""))
                shown = _inline_of(token.children or [], is_math_on=is_math_on).text
                add(shown or address, Mark.IMAGE | Mark.LINK, address)
            case kind if kind in _OPENING:
                marks |= _OPENING[kind]
            case kind if kind in _CLOSING:
                marks &= ~_CLOSING[kind]
    return Inline("".join(pieces), tuple(spans))


def _picture(inline: Inline) -> Picture | None:
    """The picture that is all of a paragraph."""
    span = inline.spans[0] if len(inline.spans) == 1 else None
    if span is None or not span.marks & Mark.IMAGE or (span.start, span.end) != (0, len(inline.text)):
        return None
    return Picture(address=span.target, alt=inline.text if inline.text != span.target else "")


class _Flattener:
    """Walks block tokens and keeps the nesting."""

    def __init__(self, parser: Parser, list_start: int | None, *, is_math_on: bool) -> None:
        self._parser, self._is_math_on = parser, is_math_on
        self._list_start = list_start
        self._blocks: list[Block] = []
        self._indents: list[Indent] = []
        self._lists: list[_List] = []
        self._rows: list[list[Inline]] = []
        self._alignments: list[str] = []

    def flatten(self, tokens: list[Token]) -> list[Block]:
        for index, token in enumerate(tokens):
            match token.type:
                case "bullet_list_open" | "ordered_list_open":
                    self._open_list(token, tokens[index + 1 :])
                case "bullet_list_close" | "ordered_list_close":
                    self._lists.pop()
                case "list_item_open":
                    current = self._lists[-1]
                    self._indents.append(Indent(marker=current.marker(), is_first=True, n_columns=current.n_columns))
                    if current.number is not None:
                        current.number += 1
                case "list_item_close":
                    if self._indents[-1].is_first:
                        self._emit(Paragraph())
                    self._indents.pop()
                case "blockquote_open":
                    self._indents.append(Indent(is_quote=True, is_first=True))
                case "blockquote_close":
                    if self._indents[-1].is_first:
                        self._emit(Paragraph())
                    self._indents.pop()
                case _:
                    self._leaf(token, tokens[index - 1] if index else None)
        return self._blocks

    def _leaf(self, token: Token, before: Token | None) -> None:
        match token.type:
            case "inline" if before is not None and before.type == "heading_open":
                self._emit(Heading(inline=self._parser.inline(token.content), level=int(before.tag[1])))
            case "inline" if before is not None and before.type in ("th_open", "td_open"):
                if len(self._rows) == 1:
                    style = str(before.attrs.get("style", ""))
                    self._alignments.append(style.removeprefix("text-align:"))
                self._rows[-1].append(self._parser.inline(token.content))
            case "inline":
                self._paragraph(token.content, is_tight=before is not None and before.hidden)
            case "fence":
                words = token.info.split(maxsplit=1)
                self._emit(CodeBlock(text=token.content.removesuffix("\n"), language=words[0] if words else ""))
            case "code_block":
                self._emit(CodeBlock(text=token.content.removesuffix("\n")))
            case "html_block":
                self._emit(Paragraph(inline=Inline(_BREAK.sub("", token.content).rstrip("\n"))))
            case "math_block" if not self._is_math_on:
                self._emit(Paragraph(inline=Inline(token.markup)))
            case "math_block":
                self._emit(Formula(latex=token.content, source=token.markup))
            case "hr":
                self._emit(Rule())
            case "table_open":
                self._rows, self._alignments = [], []
            case "tr_open":
                self._rows.append([])
            case "table_close":
                rows = tuple(tuple(row) for row in self._rows)
                self._emit(Table(rows=rows, alignments=tuple(self._alignments)))

    def _open_list(self, token: Token, following: list[Token]) -> None:
        number = None
        if token.type == "ordered_list_open":
            number = int(token.attrs.get("start", 1))
            if self._list_start is not None and not self._blocks and not self._lists:
                number = self._list_start
        level, n_items, is_tight = token.level, 0, True
        for other in following:
            if other.level == level and other.type.endswith("_list_close"):
                break
            n_items += other.type == "list_item_open" and other.level == level + 1
            is_tight &= not (other.type == "paragraph_open" and other.level == level + 2 and not other.hidden)
        widest = len(f"{(number or 0) + n_items - 1}") if number is not None else 1
        depth = sum(item.number is None for item in self._lists)
        self._lists.append(_List(number, widest, depth, is_tight, has_begun=bool(self._lists)))

    def _paragraph(self, content: str, *, is_tight: bool) -> None:
        task = _TASK.match(content) if self._indents and self._indents[-1].is_first and self._lists else None
        if task is not None and not self._indents[-1].is_quote:
            content = content[task.end() :]
            self._indents[-1] = replace(self._indents[-1], is_checked=task[1] != " ")
        inline = self._parser.inline(content)
        self._emit(_picture(inline) or Paragraph(inline=inline))

    def _emit(self, block: Block) -> None:
        current = self._lists[-1] if self._lists else None
        is_tight = current is not None and current.is_tight and current.has_begun
        self._blocks.append(replace(block, indents=tuple(self._indents), is_tight=is_tight))
        for item in self._lists:
            item.has_begun = True
        self._indents = [replace(indent, is_first=False) for indent in self._indents]
