"""Tokens to text, one at a time, without ever breaking a character."""

from __future__ import annotations

import codecs
from collections.abc import Callable


class Detokenizer:
    """Incremental UTF-8 over the byte pieces of tokens.

    A character whose bytes are spread over several tokens appears with the last of them. Bytes that cannot belong to
    any character become U+FFFD; bytes that merely wait for the rest of theirs never do.
    """

    def __init__(self, piece: Callable[[int], bytes]) -> None:
        self._piece = piece
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, token: int) -> str:
        """The text that became certain with this token; empty while a character is open."""
        return self._decoder.decode(self._piece(token))

    def finish(self) -> str:
        """End of the stream. The start of a character that never came is dropped: there is nothing to show of it."""
        self._decoder.reset()
        return ""
