"""The figures of the HUD strip for screen readers, which pass over what is neither a text nor a control."""

from __future__ import annotations

import functools

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget

from app.widgets.hud.figure import HudFigure


def make_interface(class_name: str, target: QObject) -> QAccessibleInterface | None:
    """A figure is a text; its name says all of it."""
    return QAccessibleWidget(target, QAccessible.Role.StaticText) if isinstance(target, HudFigure) else None


@functools.cache
def install() -> None:
    """Make figures readable in this process."""
    QAccessible.installFactory(make_interface)
