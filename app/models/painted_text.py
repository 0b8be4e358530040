"""Text that is laid out once and painted often: what a list shows again with every scrolled pixel."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QStaticText, QTransform

_MOST = 4000
"""Texts that are remembered; a list of a thousand entries shows two or three of each."""


class PaintedText:
    """Lines in one font, centred in the height of their area."""

    def __init__(self, font: QFont) -> None:
        self._font = font
        self._metrics = QFontMetricsF(font)
        self._laid_out: dict[tuple[str, int], tuple[QStaticText, float]] = {}
        # The first text of a font loads it, which takes milliseconds that no paint has to spare.
        self.width("≈ 0123456789 ·")

    @property
    def height(self) -> float:
        return self._metrics.height()

    def width(self, text: str) -> float:
        """In pixels; the text is laid out for it, so that painting it afterwards costs no more."""
        return self._get(text, -1, Qt.TextElideMode.ElideNone)[1]

    def paint(
        self,
        painter: QPainter,
        area: QRectF,
        text: str,
        *,
        is_right: bool = False,
        elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        """In the painter's pen, from the area's left or to its right; what does not fit is elided."""
        laid_out, width = self._get(text, int(area.width()), elide)
        left = area.right() - width if is_right else area.left()
        painter.setFont(self._font)
        # By its own height: where another font stands in for missing letters, a line is taller than this font's.
        painter.drawStaticText(QPointF(left, area.top() + (area.height() - laid_out.size().height()) / 2), laid_out)

    def _get(self, text: str, room: int, elide: Qt.TextElideMode) -> tuple[QStaticText, float]:
        found = self._laid_out.get((text, room))
        if found is None:
            shown = text
            if room >= 0 and self._metrics.horizontalAdvance(text) > room:
                shown = self._metrics.elidedText(text, elide, room)
            laid_out = QStaticText(shown)
            laid_out.setTextFormat(Qt.TextFormat.PlainText)
            laid_out.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
            laid_out.prepare(QTransform(), self._font)
            if len(self._laid_out) >= _MOST:
                self._laid_out.clear()
            found = self._laid_out[text, room] = laid_out, laid_out.size().width()
        return found
