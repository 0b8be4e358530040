"""How long the message is that is being written, against the room that it has."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DraftSize:
    """In tokens; all zero while nothing is known."""

    n_tokens: int = 0
    """Of the whole next prompt."""
    n_own: int = 0
    """Of the message with what is never left out: the system prompt and pinned messages."""
    room: int = 0
    """What a prompt may have, the answer's reserve taken off."""

    @property
    def excess(self) -> int:
        """Tokens by which the message is too long, whatever else is left out."""
        return max(0, self.n_own - self.room)

    @property
    def drops_turns(self) -> bool:
        """Earlier turns have to give way to this message."""
        return self.n_tokens > self.room and not self.excess
