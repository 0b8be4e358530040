"""A sentence below an editor, which is said with the editor."""

from __future__ import annotations

import functools

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QLabel, QWidget


class HintLabel(QLabel):
    """No label for screen readers: Orca reads all labels that belong to nothing when a dialog opens."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        _install()
        super().__init__(text, parent)


class AccessibleHint(QAccessibleWidget):
    def __init__(self, hint: HintLabel) -> None:
        super().__init__(hint, QAccessible.Role.Note)
        self._hint = hint

    def text(self, kind: QAccessible.Text) -> str:
        return self._hint.text() if kind == QAccessible.Text.Name else super().text(kind)


def make_interface(class_name: str, target: QObject) -> QAccessibleInterface | None:
    return AccessibleHint(target) if isinstance(target, HintLabel) else None


@functools.cache
def _install() -> None:
    QAccessible.installFactory(make_interface)
