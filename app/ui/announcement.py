"""Says something to whoever uses a screen reader, without moving the focus and without interrupting."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, text: str) -> None:
    """Say `text` politely, as coming from `widget`'s window. Free where nobody listens, and while it cannot be seen."""
    if text and widget.isVisible():
        from app.ui.accessible_announcer import say  # Qt's types for it would cost the first frame milliseconds.

        say(widget, text)


@contextlib.contextmanager
def unheard() -> Iterator[None]:
    """Build a window without telling of each of its parts, which no reader could ask about yet: Orca 43 asks all the
    same, waits for each answer, and is silent for half a minute. It hears of the window when that opens.
    """
    from PySide6.QtGui import QAccessible

    is_heard = sys.platform == "linux" and QAccessible.isActive()
    if is_heard:
        QAccessible.setActive(False)
    try:
        yield
    finally:
        if is_heard:
            QAccessible.setActive(True)
