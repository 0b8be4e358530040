"""Fences around code: when a code block ends, also where Markdown that is quoted as code brings fences of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.fence import fence as plain_fence

_OPENING = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_INNER = re.compile(r"\s*(?:(?:[-+*]|\d{1,9}[.)])\s+)?(`{3,}(?=[^`]*$)|~{3,})")
_MARKDOWN = frozenset({"markdown", "md", "mdx"})


@dataclass(frozen=True, slots=True)
class Fence:
    """The opening line of a code block."""

    indent: int
    marker: str
    info: str

    @property
    def holds_fences(self) -> bool:
        """Markdown quoted as code brings fences of its own, which must not end the block."""
        return self.info.split(maxsplit=1)[:1] != [] and self.info.split(maxsplit=1)[0].lower() in _MARKDOWN

    def is_closed_by(self, line: str) -> bool:
        return self._is_marker(line) and len(line) - len(line.lstrip(" ")) <= 3

    def depth_after(self, line: str, depth: int) -> int:
        """How many fences are open inside the block behind `line`, with `depth` before it; -1 when the block ends."""
        if self.is_closed_by(line) or (depth and self._is_marker(line)):
            return depth - 1
        inner = _INNER.match(line) if self.holds_fences and not depth else None
        # One that is shorter, or of the other kind, has an end that cannot be taken for this block's.
        return 1 if inner is not None and inner[1].startswith(self.marker) else depth

    def _is_marker(self, line: str) -> bool:
        stripped = line.strip(" \t\n\r")
        return len(stripped) >= len(self.marker) and not stripped.strip(self.marker[0])


def nested_fences(markdown: MarkdownIt) -> None:
    """Plugin: the same in lists and quotes, where markdown-it's own rule would end the block at an inner fence."""
    markdown.block.ruler.at("fence", _fence, {"alt": ["paragraph", "reference", "blockquote", "list"]})


def _fence(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    found = _OPENING.match(_line(state, start_line))
    fence = Fence(state.sCount[start_line], found[1], found[2].strip()) if found is not None else None
    if silent or fence is None or not fence.holds_fences or state.is_code_block(start_line):
        return plain_fence(state, start_line, end_line, silent)
    line, depth = start_line + 1, 0
    while line < end_line:
        is_blank = state.bMarks[line] + state.tShift[line] >= state.eMarks[line]
        if not is_blank and state.sCount[line] < state.blkIndent:
            break  # The list item has ended, and its code with it.
        depth = fence.depth_after(" " * (state.sCount[line] - state.blkIndent) + _line(state, line), depth)
        if depth < 0:
            break
        line += 1
    state.line = line + (depth < 0)
    token = state.push("fence", "code", 0)
    token.info, token.markup, token.map = found[2] if found else "", fence.marker, [start_line, state.line]
    token.content = state.getLines(start_line + 1, line, fence.indent, True)
    return True


def _line(state: StateBlock, number: int) -> str:
    """A line without what it is indented by."""
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]
