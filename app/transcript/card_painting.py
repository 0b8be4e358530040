"""Small drawings of a message card: bubble, context marker, prefill line, carets, attachments, focus."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen

from app.transcript.footer_figures import prefill_text
from app.ui.quantities import format_count
from app.ui.theme import Theme
from engine.protocol.events import PrefillProgress
from engine.store.chat_values import Attachment

MARKER_HEIGHT = 37
PREFILL_HEIGHT = 26
_ATTACHMENT_HEIGHT, _ATTACHMENT_GAP = 34, 8
_CARET_WIDTH, _CARET_HEIGHT, _CARET_GAP = 8.0, 16.0, 3.0
_FOCUS_GAP = 12


def paint_bubble(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """The ground of a user's message: round, but for the corner that points at who wrote it. None without a word."""
    if rect.isEmpty():
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.color("line"), 1) if theme.is_high_contrast else Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("user"))
    large, small = min(14.0, rect.height() / 2), 4.0
    path = QPainterPath(QPointF(rect.left() + large, rect.top()))
    path.lineTo(rect.right() - large, rect.top())
    path.quadTo(rect.topRight(), QPointF(rect.right(), rect.top() + large))
    path.lineTo(rect.right(), rect.bottom() - small)
    path.quadTo(rect.bottomRight(), QPointF(rect.right() - small, rect.bottom()))
    path.lineTo(rect.left() + large, rect.bottom())
    path.quadTo(rect.bottomLeft(), QPointF(rect.left(), rect.bottom() - large))
    path.lineTo(rect.left(), rect.top() + large)
    path.quadTo(rect.topLeft(), QPointF(rect.left() + large, rect.top()))
    painter.drawPath(path)


def paint_marker(painter: QPainter, column: QRectF, text: str, theme: Theme) -> None:
    """A dashed line with words in its middle, at the top of the column."""
    font = theme.font(-2)
    width = QFontMetricsF(font).horizontalAdvance(text) + 24
    y = column.top() + 9.5
    painter.setFont(font)
    painter.setPen(theme.color("faint"))
    painter.drawText(QRectF(column.left(), column.top(), column.width(), 18), Qt.AlignmentFlag.AlignCenter, text)
    painter.setPen(QPen(theme.color("line"), 1, Qt.PenStyle.DashLine))
    middle = column.center().x()
    painter.drawLine(QPointF(column.left(), y), QPointF(middle - width / 2, y))
    painter.drawLine(QPointF(middle + width / 2, y), QPointF(column.right(), y))


def paint_waiting(painter: QPainter, rect: QRectF, state: PrefillProgress | None, theme: Theme) -> None:
    """How far the prompt has been read, in words over a thin bar; a caret while that is not known."""
    if state is None:
        paint_caret(painter, QRectF(rect.left() - _CARET_GAP, rect.top() + 2, 1, 20), theme)
        return
    painter.setFont(theme.font(-1.5))
    painter.setPen(theme.color("dim"))
    painter.drawText(rect.adjusted(0, 0, 0, -6), Qt.AlignmentFlag.AlignVCenter, prefill_text(state))
    track = QRectF(rect.left(), rect.bottom() - 4, min(220.0, rect.width()), 2)
    total = max(1, state.n_total)
    painter.fillRect(track, theme.color("line"))
    done = min(1.0, state.n_done / total)
    painter.fillRect(QRectF(track.left(), track.top(), track.width() * done, 2), theme.color("accent"))


def paint_caret(painter: QPainter, cursor: QRectF, theme: Theme) -> None:
    """A block after the newest glyph; `cursor` is where a text cursor would stand."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("accent"))
    top = cursor.center().y() - _CARET_HEIGHT / 2
    painter.drawRoundedRect(QRectF(cursor.left() + _CARET_GAP, top, _CARET_WIDTH, _CARET_HEIGHT), 1, 1)


def paint_text_caret(painter: QPainter, cursor: QRectF, theme: Theme) -> None:
    """A thin line where keys have put the caret in a message."""
    painter.fillRect(QRectF(cursor.left(), cursor.top(), 2, cursor.height()), theme.color("accent"))


def attachments_height(attachments: tuple[Attachment, ...], room: float, theme: Theme) -> float:
    """What the files that went with a message take above its bubble."""
    return _ATTACHMENT_HEIGHT * len(_attachment_lines(attachments, room, theme))


def _attachment_lines(attachments: tuple[Attachment, ...], room: float, theme: Theme) -> list[list[tuple[str, float]]]:
    """The files' labels with their widths, in lines that are no wider than `room`."""
    metrics = QFontMetricsF(theme.font(-2))
    lines: list[list[tuple[str, float]]] = []
    left = 0.0
    for attachment in attachments:
        label = metrics.elidedText(attachment_text(attachment), Qt.TextElideMode.ElideMiddle, room * 0.6)
        width = metrics.horizontalAdvance(label) + 20
        if not lines or width > left:
            lines.append([])
            left = room
        lines[-1].append((label, width))
        left -= width + _ATTACHMENT_GAP
    return lines


def paint_attachments(
    painter: QPainter, column: QRectF, bottom: float, attachments: tuple[Attachment, ...], theme: Theme
) -> None:
    """The files that went with a message, right above its bubble."""
    top = bottom - attachments_height(attachments, column.width(), theme)
    painter.setFont(theme.font(-2))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for number, line in enumerate(_attachment_lines(attachments, column.width(), theme)):
        right = column.right()
        for label, width in reversed(line):
            chip = QRectF(right - width + 0.5, top + number * _ATTACHMENT_HEIGHT + 0.5, width - 1, 26)
            painter.setPen(QPen(theme.color("line"), 1))
            painter.setBrush(theme.color("card"))
            painter.drawRoundedRect(chip, 8, 8)
            painter.setPen(theme.color("dim"))
            painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, label)
            right -= width + _ATTACHMENT_GAP


def attachment_text(attachment: Attachment) -> str:
    """A file's name, and what the model was given of it."""
    translate = QCoreApplication.translate
    is_named = attachment.name != "image"  # What an import calls a picture that has no name.
    facts = [attachment.name if is_named else translate("Attachments", "image")]
    if attachment.is_picture:
        facts.append(translate("Attachments", "not seen by the model"))
        return " · ".join(facts)
    if attachment.part is not None:
        facts.append(translate("Attachments", "a part"))
    if attachment.n_tokens:
        text = translate("Attachments", "{n} tokens", None, attachment.n_tokens)
        facts.append(text.format(n=format_count(attachment.n_tokens)))
    return " · ".join(facts)


def paint_focus(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """A quiet bar before the message that has the keyboard; `rect` is its bubble, or all of an answer."""
    painter.fillRect(QRectF(rect.left() - _FOCUS_GAP, rect.top(), 2, rect.height()), theme.color("accent", 150))
