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
    for spent in window.findChildren(Announcement)[:-_KEPT]:
        spent.deleteLater()
    said = Announcement(text, window)
    QAccessible.updateAccessibility(QAccessibleEvent(said, QAccessible.Event.ObjectShow))


class Announcement(QObject):
    """One thing that was said in a window."""

    def __init__(self, text: str, window: QWidget) -> None:
        super().__init__(window)
        self.text, self.window = text, window


class AccessibleLeaf(QAccessibleObject):
    """Something for a screen reader that no widget shows, with nothing in it."""

    def state(self) -> QAccessible.State:
        return QAccessible.State()

    def childCount(self) -> int:
        return 0

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        return None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return -1


class AccessibleAnnouncement(AccessibleLeaf):
    """A notification that nobody sees."""

    def __init__(self, said: Announcement) -> None:
        super().__init__(said)
        self._said = said

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.Notification

    def text(self, kind: QAccessible.Text) -> str:
        return self._said.text if kind == QAccessible.Text.Name else ""

    def parent(self) -> QAccessibleInterface:
        return QAccessible.queryAccessibleInterface(self._said.window)


def make_interface(class_name: str, target: QObject) -> QAccessibleInterface | None:
    return AccessibleAnnouncement(target) if isinstance(target, Announcement) else None


@functools.cache
def _install() -> None:
    QAccessible.installFactory(make_interface)
