"""What is said to whoever uses a screen reader: notifications that nobody sees."""

from __future__ import annotations

import functools
import sys

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


def say(widget: QWidget, text: str) -> None:
    """Say `text` as coming from `widget`'s window, to whoever listens."""
    if not QAccessible.isActive():
        return
    if sys.platform != "linux":
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))
        return
    # Orca 43 passes over announcements, and reads a notification that appears.
    _install()
    window = widget.window()
    for spent in window.findChildren(AccessibleAnnouncer)[:-_KEPT]:
        spent.deleteLater()
    voice = AccessibleAnnouncer(text, window)
    QAccessible.updateAccessibility(QAccessibleEvent(voice, QAccessible.Event.ObjectShow))


class AccessibleAnnouncer(QObject):
    """One thing that was said in a window."""

    def __init__(self, text: str, window: QWidget) -> None:
        super().__init__(window)
        self.text, self.window = text, window


class AccessibleVoice(QAccessibleObject):
    """A notification that nobody sees."""

    def __init__(self, voice: AccessibleAnnouncer) -> None:
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
    return AccessibleVoice(target) if isinstance(target, AccessibleAnnouncer) else None


@functools.cache
def _install() -> None:
    QAccessible.installFactory(make_interface)
