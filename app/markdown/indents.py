"""Quotes and list items around a block: how far they push it in, and what is drawn in that space."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from app.markdown.block_layouts import BlockLayout
from app.markdown.blocks import Block, Indent
from app.markdown.message_style import TextStyle

QUOTE_BAR = 2.0
RIGHT_TO_LEFT_MARK = "\u200f"
"""One on both sides puts the full stop of a number to its left."""


def inset(block: Block, style: TextStyle) -> float:
    """Pixels that the block's nesting takes from its width."""
    return sum(_width(indent, style) for indent in block.indents)


def paint_indents(painter: QPainter, layout: BlockLayout, at: QPointF, width: float, style: TextStyle) -> None:
    """Draw bars and markers beside a block whose top left corner is `at`, in a column `width` wide."""
    if not layout.block.indents:
        return
    depth = 0.0
    for indent in layout.block.indents:
        own = _width(indent, style)
        left = width - depth - own if layout.is_right_to_left else depth
        if indent.is_quote:
            x = left + own - QUOTE_BAR if layout.is_right_to_left else left
            gap = 0.0 if indent.is_first else layout.space_before()
            painter.fillRect(QRectF(x, at.y() - gap, QUOTE_BAR, layout.height + gap), style.line)
        elif indent.is_first:
            box = QRectF(left, at.y(), own, style.line_height)
            _paint_marker(painter, indent, box, style, is_right_to_left=layout.is_right_to_left)
        depth += own


def _width(indent: Indent, style: TextStyle) -> float:
    if indent.is_quote:
        return round(style.size * 1.0)
    return round(style.size * (1.15 + 0.6 * max(1, indent.n_columns - 1)))


def _paint_marker(painter: QPainter, indent: Indent, box: QRectF, style: TextStyle, *, is_right_to_left: bool) -> None:
    if indent.is_checked is None:
        painter.setFont(style.font)
        painter.setPen(style.dim)
        gap, vertical = style.size * 0.55, Qt.AlignmentFlag.AlignVCenter
        if is_right_to_left:
            text = RIGHT_TO_LEFT_MARK + indent.marker + RIGHT_TO_LEFT_MARK
            painter.drawText(box.adjusted(gap, 0, 0, 0), Qt.AlignmentFlag.AlignLeft | vertical, text)
        else:
            painter.drawText(box.adjusted(0, 0, -gap, 0), Qt.AlignmentFlag.AlignRight | vertical, indent.marker)
        return
    side = round(style.size * 0.9)
    x = box.right() - 1.5 - side if is_right_to_left else box.left() + 1.5
    square = QRectF(x, box.center().y() - side / 2 + 0.5, side, side)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(style.accent if indent.is_checked else style.faint, 1.2))
    painter.setBrush(style.accent if indent.is_checked else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(square, 3, 3)
    if indent.is_checked:
        tick = QPainterPath(square.topLeft() + QPointF(side * 0.24, side * 0.52))
        tick.lineTo(square.topLeft() + QPointF(side * 0.43, side * 0.71))
        tick.lineTo(square.topLeft() + QPointF(side * 0.77, side * 0.31))
        painter.setPen(QPen(style.card, 1.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(tick)
