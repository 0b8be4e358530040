"""How far the keys scroll a transcript."""

from __future__ import annotations

from PySide6.QtCore import Qt

LINE = 40
_KEPT = 60
"""Pixels of a page that stay in view when it is turned."""


def scroll_step(key: int, height: int) -> int:
    """Pixels by which `key` scrolls a view of `height` pixels, down being positive; 0 for all other keys."""
    page = height - _KEPT
    steps = {Qt.Key.Key_Up: -LINE, Qt.Key.Key_Down: LINE, Qt.Key.Key_PageUp: -page, Qt.Key.Key_PageDown: page}
    return steps.get(Qt.Key(key), 0)
