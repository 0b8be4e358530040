"""The sidebar's line of downloads, a view of the DownloadsModel: a ring, a name and how far it is."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.core.engine_texts import failure_text
from app.models.downloads_model import GOING_ON, DownloadsModel
from app.models.model_status import display_name
from app.ui.plain_text import plain_tip
from app.ui.quantities import format_bytes, format_bytes_of, format_seconds, format_share
from app.ui.theme import Theme
from engine.protocol.records import Pull

_RING = 14
_MARGINS = 10 + _RING + 8 + 10
"""Beside the text: the button's padding, the ring, and the gap between them."""


class DownloadLine(QPushButton):
    """Tells of downloads that go on, and of one that has stopped until the line was clicked; hidden otherwise.

    Painted anew only when what it says changes.
    """

    def __init__(self, theme: Theme, downloads: DownloadsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._downloads = theme, downloads
        self._stopped: set[str] = set()
        """Downloads of which nobody has seen yet that they have failed."""
        self._shown: tuple[str, str, float | None] = ("", "", None)
        self.setObjectName("sideButton")
        self.setFixedHeight(34)
        self.setIconSize(QSize(_RING, _RING))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()
        downloads.changed.connect(self._show_downloads)
        downloads.state_changed.connect(self._on_state_changed)
        self.clicked.connect(self._on_clicked)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_text()

    def _on_state_changed(self, pull: Pull) -> None:
        self._stopped.discard(pull.pull_id)
        if pull.state == "failed":
            self._stopped.add(pull.pull_id)
        self._show_downloads()

    def _on_clicked(self) -> None:
        """The page of the downloads, which opens then, says more."""
        self._stopped.clear()
        self._show_downloads()

    def _show_downloads(self) -> None:
        pulls = self._downloads.pulls
        stopped = next((pull for pull in pulls if pull.state == "failed" and pull.pull_id in self._stopped), None)
        if going_on := [pull for pull in reversed(pulls) if pull.state in GOING_ON]:
            self._show_progress(going_on)
        elif stopped is not None:
            failure = failure_text(stopped.failure) if stopped.failure is not None else ""
            self._show_state(_name(stopped), self.tr("stopped"), None, failure)
        else:
            self.hide()

    def _show_progress(self, pulls: list[Pull]) -> None:
        done, total = sum(pull.done_bytes for pull in pulls), sum(pull.total_bytes for pull in pulls)
        fraction = done * 100 // total / 100 if total else 0.0
        facts = ["{} / {}".format(*format_bytes_of(done, total))] if total else []
        if rate := sum(pull.rate for pull in pulls if pull.state == "running"):
            facts.append(self.tr("{rate}/s").format(rate=format_bytes(rate)))
        if left := max(pull.seconds_left or 0.0 for pull in pulls):
            facts.append(self.tr("{time} left").format(time=format_seconds(left)))
        is_checked = all(pull.state == "verifying" for pull in pulls)
        self._show_state(
            _name(pulls[0]) if len(pulls) == 1 else self.tr("{n} downloads", None, len(pulls)).format(n=len(pulls)),
            self.tr("verifying") if is_checked else format_share(fraction),
            fraction,
            "\n".join([*(_name(pull) for pull in pulls), " · ".join(facts)]).strip(),
        )

    def _show_state(self, name: str, state: str, fraction: float | None, tip: str) -> None:
        """`name` may be cut to fit, `state` is not; without a fraction the ring is a warning's."""
        self.setToolTip(plain_tip(tip))
        if (name, state, fraction) != self._shown:
            self._shown = (name, state, fraction)
            self.setAccessibleName(f"{name} {state}".strip())
            self._show_text()
            self.setIcon(self._ring())
        self.show()

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


def _name(pull: Pull) -> str:
    return display_name(pull.files[0])
