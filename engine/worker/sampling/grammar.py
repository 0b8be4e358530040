"""Grammars that an answer must follow: GBNF, checked before llama.cpp sees it, so that a mistake has a place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.errors import Code, RequestError
from engine.protocol.values import Sampling
from engine.worker.sampling.json_schema import gbnf_of_schema

REPEAT_MAX = 2000
"""llama.cpp's own bound for {m,n}."""
_SOURCE_MAX = 1 << 20

_NAME = re.compile(r"[a-zA-Z0-9-]+")
_SPACE = re.compile(r"(?:[ \t]|#[^\r\n]*)*")
_SPACE_AND_LINES = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")
_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[nrt\\\"\[\]])")
_REPEAT = re.compile(r"\{\s*(\d+)\s*(,?)\s*(\d*)\s*\}")
_TOKEN = re.compile(r"!?<(?:\[\d+\]|[^<>\r\n]+)>")


def grammar_of(sampling: Sampling) -> str:
    """The GBNF that a request asks for, from its grammar or its JSON Schema; empty when it asks for none.

    Raises RequestError for a grammar or schema that is wrong or uses what cannot be enforced.
    """
    if sampling.grammar and sampling.json_schema:
        raise RequestError(
            Code.BAD_REQUEST, "A request has either a grammar or a JSON schema, not both.", "Leave one of them out."
        )
    if sampling.json_schema:
        return gbnf_of_schema(sampling.json_schema)
    if sampling.grammar:
        check_gbnf(sampling.grammar)
    return sampling.grammar


def check_gbnf(text: str) -> None:
    """Raises RequestError with the line and the mistake when a GBNF grammar cannot be used."""
    if len(text) > _SOURCE_MAX:
        raise _mistake(f"it has {len(text)} characters, more than {_SOURCE_MAX}")
    try:
        rules = _Parser(text).rules()
    except RecursionError:
        raise _mistake("its groups are nested too deep") from None
    if "root" not in rules:
        raise _mistake("it has no rule named root")
    for rule in rules.values():
        for reference in rule.references():
            if reference.name not in rules:
                raise _mistake(f"line {reference.line} uses the rule {reference.name}, which does not exist")
    _check_left_recursion(rules)


@dataclass(slots=True)
class _Item:
    """One element of a sequence: characters, a reference to a rule, or a group."""

    line: int
    name: str = ""
    group: list[list[_Item]] = field(default_factory=list)
    can_be_empty: bool = False

    def references(self) -> Iterator[_Item]:
        if self.name:
            yield self
        for sequence in self.group:
            for item in sequence:
                yield from item.references()


class _Parser:
    """Recursive descent over GBNF, as llama.cpp reads it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def rules(self) -> dict[str, _Item]:
        rules: dict[str, _Item] = {}
        self._skip(_SPACE_AND_LINES)
        while self._at < len(self._text):
            line = self._line()
            name = self._take(_NAME, "a rule's name")
            self._skip(_SPACE)
            if not self._text.startswith("::=", self._at):
                raise self._mistake(f'"::=" must follow the rule name {name}')
            self._at += 3
            self._skip(_SPACE_AND_LINES)
            rules[name] = _Item(line, group=self._alternatives(is_nested=False))
            if self._at < len(self._text) and self._text[self._at] not in "\r\n":
                raise self._mistake(f"{self._text[self._at]!r} is not expected here")
            self._skip(_SPACE_AND_LINES)
        return rules

    def _alternatives(self, *, is_nested: bool) -> list[list[_Item]]:
        found = [self._sequence(is_nested=is_nested)]
        while self._text.startswith("|", self._at):
            self._at += 1
            self._skip(_SPACE_AND_LINES)
            found.append(self._sequence(is_nested=is_nested))
        return found

    def _sequence(self, *, is_nested: bool) -> list[_Item]:
        items: list[_Item] = []
        while self._at < len(self._text):
            item = self._item()
            if item is None:
                break
            self._skip(_SPACE_AND_LINES if is_nested else _SPACE)
            self._repetition(item)
            self._skip(_SPACE_AND_LINES if is_nested else _SPACE)
            items.append(item)
        return items

    def _item(self) -> _Item | None:
        text, start, line = self._text, self._at, self._line()
        if text[start] == '"':
            self._at += 1
            self._characters('"', "the quoted text")
            return _Item(line, can_be_empty=self._at == start + 2)
        if text[start] == "[":
            self._at += 1
            self._characters("]", "the character class")
            return _Item(line)
        if text[start] == "(":
            self._at += 1
            self._skip(_SPACE_AND_LINES)
            group = self._alternatives(is_nested=True)
            if not self._text.startswith(")", self._at):
                raise self._mistake(f"the group that begins in line {line} is not closed")
            self._at += 1
            return _Item(line, group=group)
        if text[start] == ".":
            self._at += 1
            return _Item(line)
        for pattern in (_TOKEN, _NAME):
            if match := pattern.match(text, start):
                self._at = match.end()
                return _Item(line, name=match.group() if pattern is _NAME else "")
        return None

    def _characters(self, end: str, what: str) -> None:
        line = self._line()
        while self._at < len(self._text) and self._text[self._at] != end:
            if self._text[self._at] == "\\":
                self._take(_ESCAPE, 'one of the escapes \\n \\r \\t \\\\ \\" \\[ \\] \\xNN \\uNNNN \\UNNNNNNNN')
            elif self._text[self._at] in "\r\n":
                break
            else:
                self._at += 1
        if not self._text.startswith(end, self._at):
            raise _mistake(f"{what} in line {line} is not closed")
        self._at += 1

    def _repetition(self, item: _Item) -> None:
        if self._text.startswith(("*", "?"), self._at):
            item.can_be_empty = True
            self._at += 1
        elif self._text.startswith("+", self._at):
            self._at += 1
        elif self._text.startswith("{", self._at):
            low, _, high = match.groups() if (match := _REPEAT.match(self._text, self._at)) else ("", "", "")
            if not match:
                raise self._mistake("a repetition is written {3}, {3,} or {3,5}")
            if max(int(low), int(high or 0)) > REPEAT_MAX:
                raise self._mistake(f"a repetition goes up to {REPEAT_MAX}")
            item.can_be_empty = item.can_be_empty or int(low) == 0
            self._at = match.end()

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self._text, self._at)
        self._at = match.end() if match else self._at

    def _take(self, pattern: re.Pattern[str], what: str) -> str:
        match = pattern.match(self._text, self._at)
        if not match:
            raise self._mistake(f"{what} is expected")
        self._at = match.end()
        return match.group()

    def _line(self) -> int:
        return self._text.count("\n", 0, self._at) + 1

    def _mistake(self, what: str) -> RequestError:
        return _mistake(f"in line {self._line()} {what}")


def _check_left_recursion(rules: dict[str, _Item]) -> None:
    """A rule that can begin with itself never ends."""
    empty: set[str] = set()
    while more := {name for name, rule in rules.items() if name not in empty and _can_be_empty(rule, empty)}:
        empty |= more
    done: set[str] = set()
    for start, rule in rules.items():
        path: list[tuple[str, Iterator[str]]] = [(start, _beginnings(rule, empty))]
        while path:
            name = next(path[-1][1], None)
            if name is None:
                done.add(path.pop()[0])
            elif name in (step for step, _ in path):
                line = rules[name].line
                raise _mistake(f"the rule {name} in line {line} begins with itself, which never ends")
            elif name not in done:
                path.append((name, _beginnings(rules[name], empty)))


def _can_be_empty(item: _Item, empty: set[str]) -> bool:
    if item.can_be_empty or item.name in empty:
        return True
    return any(all(_can_be_empty(part, empty) for part in sequence) for sequence in item.group)


def _beginnings(item: _Item, empty: set[str]) -> Iterator[str]:
    """Names of the rules that an item can begin with."""
    if item.name:
        yield item.name
    for sequence in item.group:
        for part in sequence:
            yield from _beginnings(part, empty)
            if not _can_be_empty(part, empty):
                break


def _mistake(what: str) -> RequestError:
    return RequestError(
        Code.BAD_REQUEST, "The grammar cannot be used: {what}.", "Correct the grammar, or leave it out.", what=what
    )
