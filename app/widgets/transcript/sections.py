"""The texts of one message, one below the other: reasoning, answer, tool calls."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from app.widgets.markdown.document import Document


@dataclass(slots=True)
class Place:
    """A document and where it stands in its card."""

    document: Document
    left: float = 0.0
    top: float = 0.0

    @property
    def bottom(self) -> float:
        return self.top + self.document.height

    def local(self, point: QPointF) -> QPointF:
        return QPointF(point.x() - self.left, point.y() - self.top)

    def rect(self) -> QRectF:
        return QRectF(self.left, self.top, self.document.width, self.document.height)
