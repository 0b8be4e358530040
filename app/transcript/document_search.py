"""Finding a text in a laid-out document."""

from __future__ import annotations

import re

from app.markdown.laid_out_document import Document, Position


def match_in(document: Document, text: str, number: int) -> tuple[Position, Position] | None:
    """Where the match `number`, counted from 0, is shown; the last one where there are fewer, None where there is none.

    What is shown has fewer matches than the source where markup stands inside a word.
    """
    wanted = re.compile(re.escape(text), re.IGNORECASE)
    found: tuple[Position, Position] | None = None
    position = document.start()
    if not document.has_blocks(position[0]):
        position = document.neighbour(position, 1)
    while document.has_blocks(position[0]):
        place = position[:2]
        for match in wanted.finditer(document.layout_at(position).shown()):
            found = (*place, match.start()), (*place, match.end())
            if number == 0:
                return found
            number -= 1
        position = document.neighbour(position, 1)
        if position[:2] <= place:
            break
    return found
