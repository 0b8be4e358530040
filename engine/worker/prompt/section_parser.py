"""Splits an answer's text into reasoning, answer and tool calls by the markers of the known model families."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from engine.protocol.values import Section


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """One way of marking a section: any of `opens` begins it, any of `closes` ends it."""

    name: str
    section: Section
    opens: tuple[str, ...]
    closes: tuple[str, ...] = ()
    """Empty: the section runs to the end of the answer."""
    lead: str = ""
    """What stands between the opening marker and the text."""
    resume: str = ""
    """What stands between the closing marker and the answer."""
    answer_opens: str = ""
    """The marker that begins the answer itself, where the family has one."""


def _reasoning(name: str, opening: str, closing: str, resume: str = "", answer_opens: str = "") -> Family:
    return Family(name, Section.REASONING, (opening,), (closing,), resume=resume, answer_opens=answer_opens)


def _tag(name: str, section: Section) -> Family:
    lead, resume = ("\n", "\n\n") if section is Section.REASONING else ("", "")
    return Family(name, section, (f"<{name}>",), (f"</{name}>",), lead, resume)


def _tools(name: str, opening: str, *closing: str) -> Family:
    return Family(name, Section.TOOL_CALL, (opening,), closing)


FAMILIES: tuple[Family, ...] = (
    *(_tag(name, Section.REASONING) for name in ("think", "thinking", "thought", "reasoning", "reason")),
    *(_tag(name, Section.REASONING) for name in ("seed:think", "mm:think", "think:opensource")),
    _reasoning("magistral", "[THINK]", "[/THINK]"),
    _reasoning("cohere", "<|START_THINKING|>", "<|END_THINKING|>", answer_opens="<|START_RESPONSE|>"),
    _reasoning("gemma", "<|channel>thought", "<channel|>"),
    _reasoning("apertus", "<|inner_prefix|>", "<|inner_suffix|>"),
    _reasoning("apriel", "Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]", "\n"),
    _reasoning("solar", "<|think|>", "<|end|>", "<|begin|>assistant", "<|content|>"),
    _reasoning("kimi", "<|open|>think<|sep|>", "<|close|>think<|sep|>", answer_opens="<|open|>response<|sep|>"),
    _reasoning(
        "gpt-oss",
        "<|channel|>analysis<|message|>",
        "<|end|>",
        "<|start|>assistant",
        "<|channel|>final<|message|>",
    ),
    *(_tag(name, Section.TOOL_CALL) for name in ("tool_call", "tool_calls", "TOOLCALL")),
    *(_tag(name, Section.TOOL_CALL) for name in ("seed:tool_call", "minimax:tool_call")),
    _tools("deepseek", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
    _tools("kimi", "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    _tools("lfm2", "<|tool_call_start|>", "<|tool_call_end|>"),
    _tools("gemma", "<|tool_call>", "<tool_call|>"),
    _tools("cohere", "<|START_ACTION|>", "<|END_ACTION|>"),
    _tools("solar", "<|tool_calls|>", "<|calls|>"),
    _tools("gpt-oss", "<|channel|>commentary to=", "<|call|>"),
    _tools("mistral", "[TOOL_CALLS]"),
    _tools("granite", "<|tool_call|>"),
    _tools("llama", "<|python_tag|>"),
    _tag("response", Section.ANSWER),
    Family("kimi answer", Section.ANSWER, ("<|open|>response<|sep|>",), ("<|close|>response<|sep|>",)),
    Family("cohere answer", Section.ANSWER, ("<|START_RESPONSE|>",), ("<|END_RESPONSE|>",)),
    Family("cohere text", Section.ANSWER, ("<|START_TEXT|>",), ("<|END_TEXT|>",)),
    Family("solar answer", Section.ANSWER, ("<|content|>",), ("<|end|>",)),
    Family(
        "gpt-oss answer",
        Section.ANSWER,
        ("<|channel|>final<|message|>", "<|channel|>commentary<|message|>"),
        ("<|end|>", "<|return|>"),
    ),
)

_HEADERS = ("<|start|>assistant", "<|begin|>assistant", "[END FINAL RESPONSE]")
"""Turn headers inside one answer; they are dropped."""

_CONTROL = re.compile(r"<\|?[^\s<>]+\|?>|\[/?[A-Z_]+\]")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def marker_texts() -> frozenset[str]:
    """Texts of special tokens that the parser needs to see; every other special token is not rendered at all."""
    texts = [*_HEADERS, *(text for family in FAMILIES for text in (*family.opens, *family.closes))]
    return frozenset(token for text in texts for token in _CONTROL.findall(text))


def reasoning_family(text: str) -> Family | None:
    """The family whose opening marker stands last in `text`, such as a template's source; None when there is none."""
    found = [
        (text.rfind(opening), family)
        for family in FAMILIES
        if family.section is Section.REASONING
        for opening in family.opens
        if opening in text
    ]
    return max(found, key=lambda item: item[0])[1] if found else None


def open_reasoning(prompt: str) -> Family | None:
    """The reasoning family that the prompt's end has opened and not closed; None when there is none."""
    tail = prompt.rstrip()
    for family in FAMILIES:
        if family.section is Section.REASONING and tail.endswith(family.opens):
            return family
    return None


@dataclass(frozen=True, slots=True)
class _Scan:
    """What to look for in one state: whole markers, or the beginning of one at the end of the text."""

    pattern: re.Pattern[str]
    families: dict[str, Family]
    first: re.Pattern[str]
    """A character that any of them begins with: hundreds of times faster to look for."""


@cache
def _scan(families: tuple[Family, ...], closes: tuple[str, ...], can_reason: bool) -> _Scan:
    active = [family for family in families if can_reason or family.section is not Section.REASONING]
    by_marker = {opening: family for family in active for opening in family.opens}
    whole = [*by_marker, *_HEADERS, *closes]
    parts = {marker[:n] for marker in whole for n in range(1, len(marker))}
    longest_first = sorted(parts, key=len, reverse=True)
    pattern = f"(?:{'|'.join(map(re.escape, whole))})|(?:{'|'.join(map(re.escape, longest_first))})\\Z"
    first = "".join(sorted({marker[0] for marker in whole}))
    return _Scan(re.compile(pattern), by_marker, re.compile(f"[{re.escape(first)}]"))


class SectionParser:
    """Feeds on an answer's text and gives (section, text) pieces; markers and the space around them are dropped.

    Reasoning can open only before the answer has begun, or after a tool call: a marker that the answer talks about is
    text. Markers inside code stay text too. A section that is never closed keeps its text, see `has_open_reasoning`.
    The sections depend on the text alone, never on how it was cut into pieces.
    """

    def __init__(self, opens_reasoning: bool = False, families: Sequence[Family] = FAMILIES) -> None:
        self._families = tuple(families)
        closers = dict.fromkeys(c for f in self._families if f.section is Section.REASONING for c in f.closes)
        self._section = Section.REASONING if opens_reasoning else Section.ANSWER
        self._closes: tuple[str, ...] = tuple(closers) if opens_reasoning else ()
        self._is_blank = True
        """Nothing but white space in this section yet; such space is held back."""
        self._drops_space = opens_reasoning
        self._can_reason = True
        self._rest = ""
        self._code = _CodeTracker()
        self._sought: _Scan | None = None
        """What counts as a marker in this state; None until it is asked for."""

    @property
    def section(self) -> Section:
        """Where the next piece of text belongs, as far as is known."""
        return self._section

    @property
    def has_open_reasoning(self) -> bool:
        """The stream is inside reasoning; at its end: the marker was never closed."""
        return self._section is Section.REASONING

    def feed(self, text: str) -> list[tuple[Section, str]]:
        """Pieces that became certain, in order."""
        if not (self._is_blank or self._rest or self._scan().first.search(text)):
            # Nearly every token: text that goes on, without a trace of a marker.
            if self._section is Section.ANSWER:
                self._code.feed(text)
            return [(self._section, text)] if text else []
        self._rest += text
        return _merged(self._parse(is_end=False))

    def finish(self) -> list[tuple[Section, str]]:
        """End of the stream: what was held back was text after all."""
        return _merged(self._parse(is_end=True))

    def _parse(self, *, is_end: bool) -> Iterator[tuple[Section, str]]:
        while True:
            scan = self._scan()
            match = scan.pattern.search(self._rest)
            before = self._rest[: match.start()] if match else self._rest
            if before and not before.isspace() and self._is_blank:
                # The answer begins here, which changes what counts as a marker: look again.
                self._rest = self._rest[len(before) :]
                yield from self._emit(before)
                continue
            if match is None:
                self._rest = ""
                yield from self._emit(before, is_end=is_end)
                return
            marker = match.group()
            is_whole = marker in scan.families or marker in self._closes or marker in _HEADERS
            if not is_whole and not is_end:
                if not self._is_blank:
                    self._rest = marker
                    yield from self._emit(before)
                return
            self._rest = self._rest[match.end() :]
            if is_whole and not (self._section is Section.ANSWER and self._code.is_inside(before)):
                yield from self._emit(before if not self._is_blank else "")
                self._turn(marker, scan)
            else:
                yield from self._emit(before + marker)

    def _scan(self) -> _Scan:
        if self._sought is None:
            self._sought = self._find_scan()
        return self._sought

    def _find_scan(self) -> _Scan:
        if self._section is Section.ANSWER:
            return _scan(self._families, self._closes, self._can_reason)
        # Inside another section only its end counts, and a doubled opening marker right at its beginning.
        repeats = self._families if self._section is Section.REASONING and self._is_blank else ()
        return _scan(tuple(f for f in repeats if f.section is Section.REASONING), self._closes, True)

    def _emit(self, text: str, *, is_end: bool = False) -> Iterator[tuple[Section, str]]:
        if self._is_blank:
            if not text or text.isspace():
                # Space before anything else may yet turn out to stand before a marker.
                self._rest = "" if is_end else text + self._rest
                if is_end and text and not self._drops_space:
                    yield self._section, text
                return
            text = text.lstrip() if self._drops_space else text
            self._is_blank = False
            self._sought = None
            self._can_reason = self._can_reason and self._section is not Section.ANSWER
        if self._section is Section.ANSWER:
            self._code.feed(text)
        if text:
            yield self._section, text

    def _turn(self, marker: str, scan: _Scan) -> None:
        """Enter or leave a section at a marker."""
        if marker in self._closes:
            self._can_reason = self._can_reason or self._section is Section.TOOL_CALL
            self._section, self._closes = Section.ANSWER, ()
        elif (family := scan.families.get(marker)) is not None:
            self._section, self._closes = family.section, family.closes
        self._is_blank = True
        self._sought = None
        self._drops_space = True


class PlainText:
    """In place of a parser where text is passed on as it comes, with markers and the space that it begins with."""

    section = Section.ANSWER
    has_open_reasoning = False

    def feed(self, text: str) -> list[tuple[Section, str]]:
        return [(self.section, text)] if text else []

    def finish(self) -> list[tuple[Section, str]]:
        return []


class _CodeTracker:
    """Knows whether the next character of a Markdown text stands inside code."""

    def __init__(self) -> None:
        self._fence = ""
        self._line = ""

    def feed(self, text: str) -> None:
        if "\n" not in text:
            self._line += text
            return
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self._end_line(line)

    def is_inside(self, ahead: str = "") -> bool:
        """Inside a fenced block, or after an odd number of backticks on this line, once `ahead` is read too."""
        tracker = _CodeTracker()
        tracker._fence, tracker._line = self._fence, self._line
        tracker.feed(ahead)
        return bool(tracker._fence) or tracker._line.count("`") % 2 == 1

    def _end_line(self, line: str) -> None:
        match = _FENCE.match(line)
        if match and not self._fence:
            self._fence = match.group(1)
        elif match and match.group(1).startswith(self._fence) and not line[match.end() :].strip():
            self._fence = ""


def _merged(pieces: Iterable[tuple[Section, str]]) -> list[tuple[Section, str]]:
    """Neighbouring pieces of one section as one."""
    merged: list[tuple[Section, str]] = []
    for section, text in pieces:
        if merged and merged[-1][0] is section:
            merged[-1] = (section, merged[-1][1] + text)
        else:
            merged.append((section, text))
    return merged
