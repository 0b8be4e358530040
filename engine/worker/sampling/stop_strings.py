"""Stop strings, found across token borders, without showing a part of one first."""

from __future__ import annotations

import re
from collections.abc import Sequence


class StopScanner:
    """Passes text through, holding back only what may still become a stop string.

    The stop string that is complete first wins; of two that end together the longer one. The result depends on the
    text alone, never on how it was cut into pieces.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(dict.fromkeys(stop for stop in stops if stop))
        prefixes = {stop[:n] for stop in self._stops for n in range(1, len(stop))}
        alternatives = "|".join(re.escape(prefix) for prefix in sorted(prefixes, key=len, reverse=True))
        self._open = re.compile(rf"(?:{alternatives})\Z") if prefixes else None
        self._held = ""
        self.hit = ""
        """The stop string that was found; empty while there is none."""

    def feed(self, text: str) -> str:
        """The text that is certainly before any stop string. After a hit always empty."""
        if self.hit or not self._stops:
            return "" if self.hit else text
        text = self._held + text
        self._held = ""
        found = [(start + len(stop), start, stop) for stop in self._stops if (start := text.find(stop)) >= 0]
        if found:
            _, start, self.hit = min(found)
            return text[:start]
        if self._open and (match := self._open.search(text)):
            self._held = text[match.start() :]
            return text[: match.start()]
        return text

    def finish(self) -> str:
        """End of the stream: what was held back was text after all."""
        held, self._held = self._held, ""
        return held
