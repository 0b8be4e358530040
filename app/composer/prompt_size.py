"""How long the message is that is being written, against the room that it has."""

from __future__ import annotations

from typing import NamedTuple


class PromptSize(NamedTuple):
    """In tokens; all zero while nothing is known."""

    n_tokens: int = 0
    """Of the whole next prompt."""
    n_own: int = 0
    """Of the message with what is never left out: the system prompt and pinned messages."""
    room: int = 0
    """What a prompt may have, the answer's reserve taken off."""

    is_strict: bool = False
    """No turn may give way."""

    @property
    def excess(self) -> int:
        """Tokens by which the message is too long, whatever else is left out."""
        return max(0, self.n_own - self.room)

    @property
    def is_chat_full(self) -> bool:
        """The message is not too long, but what came before it leaves no room, and has to stay."""
        return self.is_strict and self.n_tokens > self.room and not self.excess

    @property
    def is_blocked(self) -> bool:
        """So it cannot be sent."""
        return bool(self.excess) or self.is_chat_full

    @property
    def drops_turns(self) -> bool:
        """Earlier turns have to give way to this message."""
        return self.n_tokens > self.room and not self.is_blocked
