"""The grammar that an answer must follow: checked so that a mistake has a place, and run by llama.cpp.

llama.cpp tells mistakes to the terminal alone, mostly without their place, and crashes on some texts; so GBNF is read
once here, part by part. What this does not see llama.cpp refuses, such as rules that begin with themselves.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.errors import Code, RequestError
from engine.protocol.values import Sampling
from engine.worker.llama.sampling import Candidates, Chain, Ids, Logits
from engine.worker.sampling.json_schema import gbnf_of_schema
from engine.worker.sampling.probabilities import top_ids

_REPEAT_MAX = 2000
"""llama.cpp's own bound for {m,n}."""
_SOURCE_MAX = 1 << 20
_EXPANDED_MAX = 1 << 22
"""Characters that are repeated, times their repetitions: llama.cpp writes each of them out, some 300 bytes each."""
_DEPTH_MAX = 200
_RULES_MAX = 10_000
"""llama.cpp goes as deep as groups are nested and rules begin with each other; its stack holds some times more."""
_TRIED_MAX = 1 << 20
"""Characters that llama.cpp reads anew, a grammar's each time, to find a rule that begins with itself."""
_FIRST = 256
_CUT = math.log(1e-4)
"""Tokens less than 1/10000 as likely as the best valid one are not looked at."""

_ESCAPE = r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[nrt\\\"\[\]])"
_QUOTED = re.compile(rf'"(?:{_ESCAPE}|[^"\\\r\n])*')
_CLASS = re.compile(rf"\[(?:{_ESCAPE}|[^\]\\\r\n])*")
_PART = re.compile(
    rf"""(?P<blank>[ \t\r\n]+|\#[^\r\n]*) | (?P<head>(?P<rule>[a-zA-Z0-9-]+)[ \t]*::=) | (?P<name>[a-zA-Z0-9-]+)
    | (?P<item>{_QUOTED.pattern}" | {_CLASS.pattern}\] | !?<[^<>\r\n]+> | [.()|])
    | (?P<repeat>[*+?] | \{{[ \t]*(?P<low>\d+)[ \t]*(?:,[ \t]*(?P<high>\d*)[ \t]*)?\}})""",
    re.VERBOSE,
)


class Grammar:
    """One request's grammar and how far the answer has come in it. Close it once."""

    def __init__(self, gbnf: str, vocab: Any, candidates: Candidates) -> None:
        """`candidates` is a buffer of the vocabulary's size. Raises RequestError for what llama.cpp does not take."""
        self._candidates = candidates
        self._chain = Chain()
        if not self._chain.add_grammar(vocab, gbnf):
            self._chain.close()
            raise _refusal(gbnf, vocab)

    def close(self) -> None:
        self._chain.close()

    def accept(self, token: int) -> None:
        """Go on by a token that is allowed."""
        self._chain.accept(token)

    def allows(self, token: int, logits: Logits) -> bool:
        return len(self._kept(np.array([token]), logits)) > 0

    def allowed_ids(self, logits: Logits) -> Ids:
        """The tokens that may come next, without those that are far less likely than the best of them.

        Logits have the shape (n_vocab,). Raises RequestError where no token may.
        """
        n_first = _FIRST
        while True:
            ids = top_ids(logits, n_first)
            allowed = self._kept(ids, logits)
            n_likely = int((logits >= logits[allowed].max() + _CUT).sum()) if len(allowed) else 16 * n_first
            if min(n_likely, len(logits)) <= len(ids):
                break
            n_first = n_likely
        if not len(allowed):
            raise RequestError(
                Code.BAD_REQUEST,
                "The grammar leaves no token to go on with.",
                "Check that every rule of the grammar can be finished.",
            )
        return allowed

    def _kept(self, ids: Ids, logits: Logits) -> Ids:
        self._candidates.fill(logits, ids)
        self._chain.apply(self._candidates)
        return self._candidates.ids[self._candidates.logits > -math.inf].astype(np.intp)


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
    """Raises RequestError with the line and the mistake when a GBNF grammar cannot be read."""
    if len(text) > _SOURCE_MAX:
        raise _mistake(f"it has {len(text)} characters, more than {_SOURCE_MAX}")
    rules: set[str] = set()
    lines_of_uses: dict[str, int] = {}
    lines_of_groups: list[int] = []
    last, last_line, n_expanded = "", 0, 0
    for line, part in _parts(text):
        word = part.group()
        is_new_rule = line > last_line and not lines_of_groups and last != "|" and not last.endswith("::=")
        if is_new_rule != (part.lastgroup == "head"):
            raise _mistake(_misplaced(part, line, lines_of_groups))
        if part.lastgroup == "head":
            rules.add(part["rule"])
        elif part.lastgroup == "name":
            lines_of_uses.setdefault(word, line)
        elif word == "(":
            lines_of_groups.append(line)
        elif word == ")" and lines_of_groups:
            lines_of_groups.pop()
        elif word == ")":
            raise _mistake(f"in line {line} ')' is not expected here")
        elif part["low"]:
            n_times = max(int(part["low"]), int(part["high"] or 0))
            if n_times > _REPEAT_MAX:
                raise _mistake(f"in line {line} a repetition goes up to {_REPEAT_MAX}")
            n_expanded += n_times * len(last)
        if len(lines_of_groups) > _DEPTH_MAX:
            raise _mistake(f"in line {line} its groups are nested too deep")
        if n_expanded > _EXPANDED_MAX or len(rules) > _RULES_MAX:
            raise _mistake(f"up to line {line} it has too many rules or repetitions")
        last, last_line = word, line
    if lines_of_groups:
        raise _mistake(_unclosed(lines_of_groups))
    if "root" not in rules:
        raise _mistake("it has no rule named root")
    for name, line in lines_of_uses.items():
        if name not in rules:
            raise _mistake(f"line {line} uses the rule {name}, which does not exist")


def _parts(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Line and match of each part but blanks and comments. Raises RequestError at what is none."""
    at, line = 0, 1
    while at < len(text):
        part = _PART.match(text, at)
        if not part:
            raise _mistake(_unreadable(text, at, line))
        if part.lastgroup != "blank":
            yield line, part
        at = part.end()
        line += part.group().count("\n")


def _unreadable(text: str, at: int, line: int) -> str:
    for pattern, what in ((_QUOTED, "quoted text"), (_CLASS, "character class")):
        if begun := pattern.match(text, at):
            if text.startswith("\\", begun.end()):
                escapes = r"\n \r \t \\ \" \[ \] \xNN \uNNNN \UNNNNNNNN"
                return f"in line {line} one of the escapes {escapes} is expected"
            return f"the {what} in line {line} is not closed"
    if text.startswith("::=", at):
        return f"in line {line} a rule's name is expected"
    if text[at] == "{":
        return f"in line {line} a repetition is written {{3}}, {{3,}} or {{3,5}}"
    return f"in line {line} {text[at]!r} is not expected here"


def _misplaced(part: re.Match[str], line: int, lines_of_groups: list[int]) -> str:
    """What is wrong with a rule's head within another rule, or with a part that stands where a head belongs."""
    if part.lastgroup == "head":
        return _unclosed(lines_of_groups) if lines_of_groups else f"in line {line} '::=' is not expected here"
    if part.lastgroup == "name":
        return f'in line {line} "::=" must follow the rule name {part.group()}'
    return f"in line {line} a rule's name is expected"


def _unclosed(lines_of_groups: list[int]) -> str:
    return f"the group that begins in line {lines_of_groups[-1]} is not closed"


def _refusal(gbnf: str, vocab: Any) -> RequestError:
    """Why llama.cpp does not take a grammar that can be read."""
    heads = [(line, part["rule"]) for line, part in _parts(gbnf) if part.lastgroup == "head"]
    for line, name in heads[: _TRIED_MAX // len(gbnf)]:
        chain = Chain()
        # The last definition of a rule counts: when it would be taken with another one, this one is at fault.
        is_taken = chain.add_grammar(vocab, f'{gbnf}\n{name} ::= "x"')
        chain.close()
        if is_taken:
            return _mistake(f"the rule {name} in line {line} begins with itself, which never ends")
    return RequestError(
        Code.BAD_REQUEST,
        "llama.cpp does not accept this grammar.",
        "Check the grammar, or send the request without it.",
    )


def _mistake(what: str) -> RequestError:
    return RequestError(
        Code.BAD_REQUEST, "The grammar cannot be used: {what}.", "Correct the grammar, or leave it out.", what=what
    )
