"""Where LaTeX stands in Markdown: rules for markdown-it, strict enough that prices stay prices."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

MAX_INLINE = 500
"""A closing delimiter farther away than this many characters belongs to something else."""
_MATH_SIGN = re.compile(r"[\\^_={}]")
_WORD = re.compile(r"\s[^\W\d_]{2,}|[^\W\d_]{2,}\s")
_BLOCK_ENDS = {"$$": "$$", "\\[": "\\]"}
_INLINE_ENDS = {"\\(": "\\)", "\\[": "\\]", "$$": "$$"}


def mathematics(markdown: MarkdownIt) -> None:
    """Plugin: `$…$`, `$$…$$`, `\\(…\\)` and `\\[…\\]`. Tokens carry the LaTeX as content and its source as markup."""
    markdown.inline.ruler.before("escape", "math_inline", _inline)
    markdown.block.ruler.before(
        "fence", "math_block", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )


def dollar_end(text: str, start: int, end: int) -> int:
    """Where the formula that `$` at `start` opens has its closing `$`; -1 when that `$` is only a dollar.

    A formula touches both its dollars, has no letter or digit outside them, and stays on its line; one that begins
    with a digit must look like mathematics, or be just a number, because `$5 and 10$` is money.
    """
    before = text[start - 1] if start else " "
    if before.isalnum() or before in "$\\" or start + 2 >= end or text[start + 1].isspace():
        return -1
    at = start + 1
    limit = min(end, start + MAX_INLINE)
    while True:
        at = text.find("$", at, limit)
        if at < 0 or "\n" in text[start:at]:
            return -1
        if text[at - 1] == "\\":
            at += 1
            continue
        after = text[at + 1] if at + 1 < end else " "
        inner = text[start + 1 : at]
        is_closing = inner and not inner[-1].isspace() and not after.isalnum() and after != "$"
        return at if is_closing and _is_mathematics(inner) else -1


def _is_mathematics(inner: str) -> bool:
    if "`" in inner:
        return False
    if not inner[0].isdigit():
        return True
    return bool(_MATH_SIGN.search(inner)) or not _WORD.search(inner)


def _inline(state: StateInline, silent: bool) -> bool:
    text, start = state.src, state.pos
    if text[start] == "$" and not text.startswith("$$", start):
        opening, at = "$", dollar_end(text, start, state.posMax)
        closing = "$"
    else:
        opening = text[start : start + 2]
        closing = _INLINE_ENDS.get(opening, "")
        if not closing or (opening == "$$" and start and text[start - 1] == "\\"):
            return False
        at = text.find(closing, start + 2, min(state.posMax, start + 4 * MAX_INLINE))
    if at < 0:
        return False
    latex = text[start + len(opening) : at]
    if not latex.strip("\\ \t\n"):  # Escaped brackets with nothing between them but escapes.
        return False
    end = at + len(closing)
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content = latex.strip()
        token.markup = text[start:end]
    state.pos = end
    return True


def _block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.is_code_block(start_line):
        return False
    begin = state.bMarks[start_line] + state.tShift[start_line]
    closing = _BLOCK_ENDS.get(state.src[begin : begin + 2])
    if closing is None:
        return False
    line, at = start_line, begin + 2
    while True:
        stop = state.eMarks[line]
        found = state.src.rfind(closing, at, stop)
        if found >= 0:
            if state.src[found + 2 : stop].strip():
                return False
            break
        line += 1
        if line >= end_line or state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            return False
        at = state.bMarks[line]
    lines = state.getLines(start_line, line + 1, state.sCount[start_line], False).strip()
    if not lines[2:-2].strip():
        return False
    if not silent:
        state.line = line + 1
        token = state.push("math_block", "math", 0)
        token.block = True
        token.map = [start_line, state.line]
        token.content = lines[2:-2].strip()
        token.markup = lines
    return True
