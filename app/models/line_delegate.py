"""Paints a list entry of the model manager: a name, one line of facts, and a state at the right."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.models.painted_text import PaintedText
from app.ui.theme import Theme

LineRole = Qt.ItemDataRole.UserRole
_HEIGHT, _AROUND, _BAR = 58, 20, 8


@dataclass(frozen=True, slots=True)
class Line:
    """What one entry shows. `color` is the state's token; `fraction` draws a thin bar below."""

    key: str
    title: str
    facts: str
    state: str = ""
    color: str = "dim"
    fraction: float | None = None


class LineDelegate(QStyledItemDelegate):
    """Entries carry a Line under LineRole; where some of them have bars, all are as high as those."""

    def __init__(self, theme: Theme, parent: QObject, *, has_bars: bool = False) -> None:
        super().__init__(parent)
        self._theme = theme
        self._spare = _BAR if has_bars else 0
        theme.changed.connect(self._read_theme)
        self._read_theme()

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(120, self._height + self._spare)

    def _read_theme(self) -> None:
        """Fonts and colours are made once, not for each entry of each paint."""
        theme = self._theme
        names = ("accent", "card", "dim", "faint", "good", "ink", "line", "note", "p6", "user", "warn")
        self._colors = {name: theme.color(name) for name in names}
        self._title, self._small = PaintedText(theme.font(-0.5, is_bold=True)), PaintedText(theme.font(-2))
        self._height = max(_HEIGHT, math.ceil(self._title.height + self._small.height) + _AROUND)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        line: Line = index.data(LineRole)
        colors = self._colors
        box = QRectF(option.rect).adjusted(1, 2, -1, -2)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_selected or option.state & QStyle.StateFlag.State_MouseOver:
            focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            edge = colors["accent" if focused else "line"]
            painter.setPen(QPen(edge, 1) if is_selected else QPen(Qt.PenStyle.NoPen))
            painter.setBrush(colors["card" if is_selected else "user"])
            painter.drawRoundedRect(box, 8, 8)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        inner = box.adjusted(13, 8, -13, -8)
        above = self._spare / 2 if line.fraction is None else 0.0
        inner.adjust(0, above, 0, above - self._spare)
        top = QRectF(inner.left(), inner.top(), inner.width(), inner.height() / 2)
        below = QRectF(inner.left(), inner.center().y(), inner.width(), inner.height() / 2)
        if line.state:  # Beside the title where both fit, else beside the facts, which are the first to be cut.
            width = self._small.width(line.state) + 10
            beside = top if self._title.width(line.title) + width <= inner.width() else below
            painter.setPen(colors[line.color])
            self._small.paint(painter, beside, line.state, is_right=True)
            beside.setRight(beside.right() - width)
        painter.setPen(colors["ink"])
        self._title.paint(painter, top, line.title, elide=Qt.TextElideMode.ElideMiddle)
        painter.setPen(colors["dim"])
        self._small.paint(painter, below, line.facts)
        if line.fraction is not None:
            track = QRectF(inner.left(), inner.bottom() + 4, inner.width(), 3)
            painter.fillRect(track, colors["p6"])
            track.setWidth(track.width() * min(1.0, line.fraction))
            painter.fillRect(track, colors["accent"])
