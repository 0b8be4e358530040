"""Figures, charts and cards for screen readers, which pass over what is neither a text nor a control."""

from __future__ import annotations

import functools

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget

from app.latency.panel_card import PanelCard
from app.latency.strip_figure import StripFigure


class Chart(QWidget):
    """A picture, painted by its subclass, that screen readers can be told."""

    def spoken(self) -> str:
        """All that the picture says; asked for only where somebody listens."""
        return self.accessibleName()


class AccessibleChart(QAccessibleWidget):
    """A chart; its name says all of it."""

    def __init__(self, chart: Chart) -> None:
        super().__init__(chart, QAccessible.Role.Chart)
        self._chart = chart

    def text(self, kind: QAccessible.Text) -> str:
        return self._chart.spoken() if kind == QAccessible.Text.Name else super().text(kind)


def make_interface(class_name: str, target: QObject) -> QAccessibleInterface | None:
    """A figure is a text, and its name says all of it; a card is a group under its title."""
    if isinstance(target, Chart):
        return AccessibleChart(target)
    if isinstance(target, StripFigure):
        return QAccessibleWidget(target, QAccessible.Role.StaticText)
    return QAccessibleWidget(target, QAccessible.Role.Grouping) if isinstance(target, PanelCard) else None


@functools.cache
def install_accessibility() -> None:
    """Make them readable in this process."""
    QAccessible.installFactory(make_interface)
