"""Paints a list entry of the model manager: a name, one line of facts, and a state at the right."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.theme import Theme

LineRole = Qt.ItemDataRole.UserRole


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
    """Entries carry a Line under LineRole."""

    def __init__(self, theme: Theme, parent: QObject, *, height: int = 58) -> None:
        super().__init__(parent)
        self._theme = theme
        self._height = height

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(120, self._height)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        line: Line = index.data(LineRole)
        theme = self._theme
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(option.rect).adjusted(1, 2, -1, -2)
        if option.state & QStyle.StateFlag.State_Selected:
            focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
            painter.setPen(QPen(theme.color("accent" if focused else "line"), 1))
            painter.setBrush(theme.color("card"))
            painter.drawRoundedRect(box, 8, 8)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("user"))
            painter.drawRoundedRect(box, 8, 8)
        inner = box.adjusted(13, 8, -13, -8)
        small = theme.font(-2)
        state_width = QFontMetricsF(small).horizontalAdvance(line.state) + 10 if line.state else 0.0
        top = QRectF(inner.left(), inner.top(), inner.width() - state_width, inner.height() / 2)
        below = QRectF(inner.left(), inner.center().y(), inner.width(), inner.height() / 2)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        title_font = theme.font(-0.5, is_bold=True)
        painter.setFont(title_font)
        painter.setPen(theme.color("ink"))
        elide = Qt.TextElideMode.ElideMiddle
        painter.drawText(top, left, QFontMetricsF(title_font).elidedText(line.title, elide, top.width()))
        painter.setFont(small)
        painter.setPen(theme.color("dim"))
        facts = QFontMetricsF(small).elidedText(line.facts, Qt.TextElideMode.ElideRight, below.width())
        painter.drawText(below, left, facts)
        if line.state:
            painter.setPen(theme.color(line.color))
            state = QRectF(inner.left(), inner.top(), inner.width(), inner.height() / 2)
            painter.drawText(state, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, line.state)
        if line.fraction is not None:
            track = QRectF(inner.left(), box.bottom() - 5, inner.width(), 3)
            painter.fillRect(track, theme.color("p6"))
            track.setWidth(track.width() * min(1.0, line.fraction))
            painter.fillRect(track, theme.color("accent"))
        painter.restore()
