"""Tokens to text, one at a time: no character is ever broken, and no part of a stop string shown."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence


class Detokenizer:
    """Incremental UTF-8 over the byte pieces of tokens.

    A character whose bytes are spread over several tokens appears with the last of them. Bytes that cannot belong to
    any character become U+FFFD; bytes that merely wait for the rest of theirs never do.
    """

    def __init__(self, piece: Callable[[int], bytes]) -> None:
        self._piece = piece
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._is_open = False
        """The decoder holds the start of a character."""

    def feed(self, token: int) -> str:
        """The text that became certain with this token; empty while a character is open."""
        piece = self._piece(token)
        if not self._is_open and piece.isascii():
            return piece.decode("ascii")
        text = self._decoder.decode(piece)
        self._is_open = bool(self._decoder.getstate()[0])
        return text

    def finish(self) -> str:
        """End of the stream. The start of a character that never came is dropped: there is nothing to show of it."""
        self._decoder.reset()
        return ""


class StopScanner:
    """Passes text through up to a stop string, holding back only what may still become one.

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
