"""Struck-out text as GitHub writes it: `~~two~~` tildes or `~one~`, but never a range such as 10~20."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline


def strikethrough(markdown: MarkdownIt) -> None:
    """Plugin: emits s_open and s_close."""
    markdown.inline.ruler.before("emphasis", "strike", _strike)


def _strike(state: StateInline, silent: bool) -> bool:
    text, start, end = state.src, state.pos, state.posMax
    length = _run(text, start, end)
    if not length:
        return False
    inner = start + length
    closing = _closing(state, inner, end, length) if length <= 2 and _may_open(text, start, inner, end) else -1
    if closing < 0:
        if not silent:
            state.pending += text[start:inner]
        state.pos = inner
        return True
    if not silent:
        state.pos, state.posMax = inner, closing
        state.push("s_open", "s", 1).markup = text[start:inner]
        state.md.inline.tokenize(state)
        state.push("s_close", "s", -1).markup = text[start:inner]
    state.pos, state.posMax = closing + length, end
    return True


def _run(text: str, at: int, end: int) -> int:
    """How many tildes stand at `at`."""
    stop = at
    while stop < end and text[stop] == "~":
        stop += 1
    return stop - at


def _may_open(text: str, start: int, inner: int, end: int) -> bool:
    before = text[start - 1] if start else " "
    return inner < end and not text[inner].isspace() and (inner - start == 2 or not before.isalnum())


def _closing(state: StateInline, inner: int, end: int, length: int) -> int:
    """Where the closing run stands; whole code spans and links are stepped over. -1 when there is none."""
    text, before = state.src, state.pos
    if "~" * length not in text[inner:end]:
        return -1
    state.pos, found = inner, -1
    while state.pos < end:
        run = _run(text, state.pos, end)
        if run:
            after = text[state.pos + run] if state.pos + run < end else " "
            is_flush = state.pos > inner and not text[state.pos - 1].isspace()
            if run == length and is_flush and (length == 2 or not after.isalnum()):
                found = state.pos
                break
            state.pos += run
        else:
            state.md.inline.skipToken(state)
    state.pos = before
    return found
