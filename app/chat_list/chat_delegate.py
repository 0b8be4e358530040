"""Paints one row of the sidebar: heading, folder, chat or search hit."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING

from PySide6 import QtGui, QtWidgets
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate

from app.chat_list.chat_list_model import ListRow, RowKind, RowRole
from app.chat_list.chat_list_view import ChatListView
from app.ui.style_sheet import icon_pixmap
from app.ui.theme import Theme

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QWidget

    from engine.store.chat_values import SearchHit

_FOCUS = QtWidgets.QStyle.StateFlag.State_HasFocus
_ROW_HEIGHT, _HIT_HEIGHT = 34, 54
_INSET = 10
_FILED_INDENT = 16


class ChatDelegate(QStyledItemDelegate):
    """Rows have one height each for chats and for hits, so that ten thousand of them need no measuring."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.current_chat = ""
        self.has_many = False
        """Several chats are selected, which has to be seen."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        row = index.data(RowRole)
        is_hit = isinstance(row, ListRow) and row.kind is RowKind.HIT
        return QSize(100, self._theme.grown(_HIT_HEIGHT) if is_hit else self.row_height)

    @property
    def row_height(self) -> int:
        """Of all rows but hits."""
        return self._theme.grown(_ROW_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row = index.data(RowRole)
        if not isinstance(row, ListRow):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRect(option.rect)
        state, view = option.state, option.widget
        is_target = isinstance(view, ChatListView) and view.drop_row == index.row()
        if row.kind is RowKind.HEADING:
            if is_target:
                self._paint_drop(painter, area)
            self._paint_heading(painter, area, row)
        else:
            is_current = row.kind is RowKind.CHAT and row.key == self.current_chat
            is_ringed = isinstance(view, ChatListView) and view.is_by_key and bool(state & _FOCUS)
            self._paint_background(painter, area, state, is_current=is_current, is_ringed=is_ringed)
            if is_target:
                self._paint_drop(painter, area)
            if row.kind is RowKind.HIT and row.hit is not None:
                self._paint_hit(painter, area, row.text, row.hit)
            elif row.kind is RowKind.FOLDER:
                self._paint_folder(painter, area, row, "chevron_down" if row.is_open else "chevron_right")
            elif row.kind is RowKind.ARCHIVE:
                self._paint_folder(painter, area, row, "chevron_left" if row.is_open else "archive")
            else:
                self._paint_chat(painter, area, row, "ink" if is_current else "dim")
        painter.restore()

    def _paint_drop(self, painter: QPainter, area: QRect) -> None:
        """What is being dragged would go here."""
        painter.setBrush(self._theme.color("accent_soft"))
        painter.setPen(QPen(self._theme.color("accent"), 1.5, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(area).adjusted(1, 1.5, -1, -1.5), 6, 6)

    def _paint_background(
        self, painter: QPainter, area: QRect, state: QStyle.StateFlag, *, is_current: bool, is_ringed: bool
    ) -> None:
        shape, flag = QRectF(area).adjusted(0, 0.5, 0, -0.5), QtWidgets.QStyle.StateFlag
        fill = None
        if is_current:
            fill = self._theme.color("accent_soft")
        elif self.has_many and state & flag.State_Selected:
            fill = self._theme.color("accent_soft", 150)
        elif state & flag.State_MouseOver:
            fill = self._theme.color("line", 140)
        if fill is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(fill)
            painter.drawRoundedRect(shape, 7, 7)
        if is_ringed:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.color("accent"), 1.5))
            painter.drawRoundedRect(shape.adjusted(1, 1, -1, -1), 6, 6)

    def _paint_heading(self, painter: QPainter, area: QRect, row: ListRow) -> None:
        font = self._theme.font(-3)
        font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 104)
        painter.setFont(font)
        painter.setPen(self._theme.color("faint"))
        box = area.adjusted(_INSET, 0, -_INSET, -5)
        painter.drawText(box, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeading, row.text.upper())

    def _paint_chat(self, painter: QPainter, area: QRect, row: ListRow, color: str) -> None:
        is_filed = row.chat is not None and row.chat.folder_id is not None and not row.chat.is_pinned
        box = QRectF(area).adjusted(_INSET + (_FILED_INDENT if is_filed else 0), 0, -_INSET, 0)
        if row.is_busy:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.color("accent"))
            painter.drawEllipse(QPointF(box.right() - 3, box.center().y()), 3, 3)
            box.setRight(box.right() - 14)
        self._paint_line(painter, box, row.text, self._theme.font(), self._theme.color(color))

    def _paint_folder(self, painter: QPainter, area: QRect, row: ListRow, name: str) -> None:
        box = QRectF(area).adjusted(_INSET - 2, 0, -_INSET, 0)
        device = painter.device()
        ratio = device.devicePixelRatio() if device is not None else 1.0
        side = self._theme.grown(14)
        pixmap = icon_pixmap(name, self._theme.color("faint"), side, ratio)
        painter.drawPixmap(QPointF(box.left(), box.center().y() - side / 2), pixmap)
        box.setLeft(box.left() + side + 4)
        self._paint_line(painter, box, f"{row.text} · {row.n_chats}", self._theme.font(), self._theme.color("dim"))

    def _paint_hit(self, painter: QPainter, area: QRect, title: str, hit: SearchHit) -> None:
        box = QRectF(area).adjusted(_INSET, 7, -_INSET, -7)
        upper = QRectF(box.left(), box.top(), box.width(), box.height() / 2)
        if hit.is_archived:
            upper.setRight(upper.right() - self._paint_mark(painter, upper, self.tr("archived")))
        lower = QRectF(box.left(), upper.bottom() + 1, box.width(), box.height() / 2)
        if hit.message_id is None:  # The snippet is the title itself.
            painter.setPen(self._theme.color("ink"))
            self._paint_marked(painter, upper, hit.snippet, hit.highlights, self._theme.font(-1))
            self._paint_line(painter, lower, self.tr("in the title"), self._theme.font(-2), self._theme.color("faint"))
        else:
            self._paint_line(painter, upper, title, self._theme.font(-1), self._theme.color("ink"))
            painter.setPen(self._theme.color("dim"))
            self._paint_marked(painter, lower, hit.snippet, hit.highlights, self._theme.font(-2))

    def _paint_marked(
        self, painter: QPainter, box: QRectF, text: str, highlights: Sequence[tuple[int, int]], font: QFont
    ) -> None:
        """One line in the pen's colour with what was searched for set off, cut so that its first place is in view."""
        marked = QtGui.QTextCharFormat()
        marked.setForeground(self._theme.color("ink"))
        marked.setFontWeight(QFont.Weight.DemiBold)
        bold = QFont(font)
        bold.setWeight(QFont.Weight.DemiBold)
        metrics = QFontMetricsF(bold)
        cut = leading_cut(text, highlights[0][1] if highlights else 0, box.width() * 0.8, metrics.horizontalAdvance)
        shown = f"…{text[cut:]}" if cut else text
        shown = metrics.elidedText(shown, Qt.TextElideMode.ElideRight, box.width())
        formats = []
        for start, end in highlights:
            first, last = (min(len(shown), max(0, place - cut + (cut > 0))) for place in (start, end))
            piece = QtGui.QTextLayout.FormatRange()
            piece.start, piece.length, piece.format = first, last - first, marked
            formats.append(piece)
        layout = QtGui.QTextLayout(shown, font)
        option = QtGui.QTextOption()
        option.setWrapMode(QtGui.QTextOption.WrapMode.NoWrap)
        layout.setTextOption(option)
        layout.setFormats(formats)
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(box.width() + 1)
        layout.endLayout()
        layout.draw(painter, QPointF(box.left(), box.center().y() - line.height() / 2))

    def _paint_mark(self, painter: QPainter, box: QRectF, text: str) -> float:
        """A faint word at the end of a line; returns the room that it takes."""
        font = self._theme.font(-3)
        painter.setFont(font)
        painter.setPen(self._theme.color("faint"))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignTrailing, text)
        return QFontMetricsF(font).horizontalAdvance(text) + 8

    def _paint_line(self, painter: QPainter, box: QRectF, text: str, font: QFont, color: QColor) -> None:
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        painter.setPen(color)
        elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading, elided)


def leading_cut(text: str, end: int, width: float, measure: Callable[[str], float]) -> int:
    """How many characters to leave out at the beginning, so that `text` up to `end` fits into `width`: whole words."""
    if measure(text[:end]) <= width:
        return 0
    cut = bisect.bisect_left(range(end), True, key=lambda place: measure(text[place:end]) <= width)
    space = text.find(" ", cut - 1, end)
    return space + 1 if space >= 0 else cut
