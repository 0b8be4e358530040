"""Whether a chat is being answered."""

from __future__ import annotations

import enum


class AnswerState(enum.Enum):
    IDLE = "idle"
    BUSY = "busy"
    STOPPING = "stopping"
    """Stop was pressed; the engine has not ended yet."""
