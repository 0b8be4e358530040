"""Says something to whoever uses a screen reader, without moving the focus and without interrupting."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Iterator

from PySide6.QtCore import QObject
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QAccessibleInterface,
    QAccessibleObject,
)
from PySide6.QtWidgets import QWidget

_KEPT = 24
"""Screen readers ask for the text after the event, when more may have been said."""


def announce(widget: QWidget, text: str) -> None:
    """Say `text` politely, as coming from `widget`'s window. Free where nobody listens, and while it cannot be seen."""
    if not (text and QAccessible.isActive() and widget.isVisible()):
        return
    if sys.platform != "linux":
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))
        return
    # Orca 43 passes over announcements, and reads a notification that appears.
    _install()
    window = widget.window()
    for spent in window.findChildren(Voice)[:-_KEPT]:
        spent.deleteLater()
    voice = Voice(text, window)
    QAccessible.updateAccessibility(QAccessibleEvent(voice, QAccessible.Event.ObjectShow))


@contextlib.contextmanager
def unheard() -> Iterator[None]:
    """Build a window without telling of each of its parts, which no reader could ask about yet: Orca 43 asks all the
    same, waits for each answer, and is silent for half a minute. It hears of the window when that opens.
    """
    is_heard = sys.platform == "linux" and QAccessible.isActive()
    if is_heard:
        QAccessible.setActive(False)
    try:
        yield
    finally:
        if is_heard:
            QAccessible.setActive(True)


class Voice(QObject):
    """One thing that was said in a window."""

    def __init__(self, text: str, window: QWidget) -> None:
        super().__init__(window)
        self.text, self.window = text, window


class AccessibleVoice(QAccessibleObject):
    """A notification that nobody sees."""

    def __init__(self, voice: Voice) -> None:
        super().__init__(voice)
        self._voice = voice

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.Notification

    def state(self) -> QAccessible.State:
        return QAccessible.State()

    def text(self, kind: QAccessible.Text) -> str:
        return self._voice.text if kind == QAccessible.Text.Name else ""

    def parent(self) -> QAccessibleInterface:
        return QAccessible.queryAccessibleInterface(self._voice.window)

    def childCount(self) -> int:
        return 0

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        return None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return -1


def make_interface(class_name: str, target: QObject) -> QAccessibleInterface | None:
    return AccessibleVoice(target) if isinstance(target, Voice) else None


@functools.cache
def _install() -> None:
    QAccessible.installFactory(make_interface)
