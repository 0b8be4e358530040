"""One line in the sidebar while something is downloaded: a ring, a name and how far it is."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.ui.plain_text import plain_tip
from app.ui.theme import Theme

_RING = 14
_MARGINS = 10 + _RING + 8 + 10
"""Beside the text: the button's padding, the ring, and the gap between them."""


class DownloadLine(QPushButton):
    """Painted anew only when what it says changes; hidden while it says nothing."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown: tuple[str, str, float | None] = ("", "", None)
        self.setObjectName("sideButton")
        self.setFixedHeight(34)
        self.setIconSize(QSize(_RING, _RING))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def show_state(self, name: str, state: str, fraction: float | None, tip: str) -> None:
        """`name` may be cut to fit, `state` is not; without a fraction the ring is a warning's."""
        self.setToolTip(plain_tip(tip))
        if (name, state, fraction) != self._shown:
            self._shown = (name, state, fraction)
            self.setAccessibleName(f"{name} {state}".strip())
            self._show_text()
            self.setIcon(self._ring())
        self.show()

    def clear(self) -> None:
        """There is nothing to say."""
        self.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_text()

    def _show_text(self) -> None:
        name, state, _ = self._shown
        metrics = self.fontMetrics()
        room = self.width() - _MARGINS - metrics.horizontalAdvance(f" {state}")
        self.setText(f"{metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, max(0, room))} {state}".strip())

    def _ring(self) -> QIcon:
        ratio = self.devicePixelRatioF()
        pixmap = QPixmap(round(_RING * ratio), round(_RING * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(1.5, 1.5, _RING - 3, _RING - 3)
        fraction = self._shown[2]
        painter.setPen(QPen(self._theme.color("warn" if fraction is None else "p6"), 2.5))
        painter.drawEllipse(box)
        if fraction:
            painter.setPen(QPen(self._theme.color("accent"), 2.5))
            painter.drawArc(box, 90 * 16, -round(360 * 16 * min(1.0, fraction)))
        painter.end()
        return QIcon(pixmap)

    def _restyle(self) -> None:
        self.setFont(self._theme.font(-1))
        self._show_text()
        self.setIcon(self._ring())
