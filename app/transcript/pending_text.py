"""Text that has arrived but is not laid out yet: tokens come faster than frames."""

from __future__ import annotations

from engine.protocol.values import Section


class PendingText:
    """Pieces of text by row, in the order in which they came."""

    def __init__(self) -> None:
        self._pieces: dict[int, list[tuple[Section, str]]] = {}

    def add(self, row: int, text: str, section: Section) -> None:
        self._pieces.setdefault(row, []).append((section, text))

    def rows(self) -> list[int]:
        return list(self._pieces)

    def take(self, row: int) -> list[tuple[Section, str]]:
        """What waits for `row`, joined to one text for each section, and forget it."""
        joined: dict[Section, list[str]] = {}
        for section, text in self._pieces.pop(row, []):
            joined.setdefault(section, []).append(text)
        return [(section, "".join(texts)) for section, texts in joined.items()]

    def drop(self, first: int = 0) -> None:
        """Forget what waits for `first` and the rows after it."""
        self._pieces = {row: pieces for row, pieces in self._pieces.items() if row < first}
