"""Text that is shown exactly as it was written: what the user typed, and reasoning while it is folded."""

from __future__ import annotations

from app.markdown.blocks import Block, Inline, Paragraph

PART_LENGTH = 2_000
"""Characters of one part: a long paste is laid out as it comes into view."""


class LiteralSource:
    """A text in parts, cut at line ends where there are any; a text source for Document."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def append(self, text: str) -> int:
        """Add text; returns the index of the first part that changed."""
        first = max(0, len(self.parts) - 1)
        rest = (self.parts.pop() if self.parts else "") + text
        while len(rest) > PART_LENGTH:
            cut = _cut(rest)
            self.parts.append(rest[:cut])
            rest = rest[cut:]
        self.parts.append(rest)
        return first

    def finish(self) -> int:
        """The text is complete; returns the index of the first part that this changed."""
        return len(self.parts)

    def parse(self, index: int) -> list[Block]:
        part = self.parts[index]
        is_last = index == len(self.parts) - 1
        shown = part if is_last or not part.endswith("\n") else part[:-1]
        return [Paragraph(inline=Inline(shown), is_joined=index > 0)]


def _cut(text: str) -> int:
    for mark in ("\n", " "):
        at = text.rfind(mark, PART_LENGTH // 2, PART_LENGTH)
        if at >= 0:
            return at + 1
    return PART_LENGTH
