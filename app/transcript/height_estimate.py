"""How high an unseen message will be, from its text alone: close enough for a scroll bar, and cheap for thousands."""

from __future__ import annotations

from app.core.conversation_model import MessageItem
from engine.protocol.values import Role

_FOOTER = 50
_BUBBLE = 40


def estimated_height(item: MessageItem, width: int, font_size: float = 14) -> float:
    """Pixels, for a column `width` pixels wide."""
    per_line = max(10.0, width * (0.7 if item.role is Role.USER else 1.0) / (font_size * 0.5))
    lines = item.content.count("\n") * 0.75 + len(item.content) / per_line + 0.6
    return round(lines) * round(font_size * 1.55) + (_BUBBLE if item.role is Role.USER else _FOOTER)
