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
