"""A picture on a line of its own, or a card that says what would be shown there, from where, and how to get it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QImage, QPainter, QPen, QTransform

from app.markdown.block_layouts import BlockLayout, Control
from app.markdown.blocks import Mark, Picture, Span
from app.markdown.message_style import Typesetter
from app.markdown.picture_loader import PictureState, host_of
from app.ui.style_sheet import icon_pixmap

MAX_HEIGHT = 460.0
_CARD_HEIGHT, _CARD_WIDTH, _RADIUS, _PAD = 54.0, 460.0, 8.0, 12.0


class PictureLayout(BlockLayout):
    """`wants_click`: it is a remote picture that nobody asked for yet."""

    def __init__(self, block: Picture, typesetter: Typesetter) -> None:
        super().__init__(block, typesetter)
        self.address, self._alt = block.address, block.alt
        self.state = typesetter.pictures.state(block.address)
        self.is_waiting = self.state is not PictureState.SHOWN
        self.length = 1
        self._size = QSizeF()

    @property
    def wants_click(self) -> bool:
        return self.state in (PictureState.OFFERED, PictureState.OFFLINE)

    @property
    def natural_width(self) -> float:
        return self._size.width()

    def paint(self, painter: QPainter, at: QPointF, clip: QRectF, selected: tuple[int, int] | None) -> None:
        style, area = self.typesetter.style, QRectF(at, self._size)
        if (image := self._image()) is not None:
            self._paint_image(painter, area, image)
        else:
            self._paint_card(painter, area)
        if selected is not None and selected[0] < selected[1]:
            painter.fillRect(area, style.selection)

    def text(self, start: int = 0, end: int | None = None) -> str:
        return (self._alt or self.address) if start < (self.length if end is None else end) else ""

    def shown(self) -> str:
        return "x"

    def spans(self) -> Iterator[Span]:
        return iter((Span(0, 1, Mark.IMAGE | Mark.LINK, self.address),))

    def control_at(self, point: QPointF) -> Control | None:
        area = QRectF(QPointF(0, 0), self._size)
        return Control("picture", area) if self.wants_click and area.contains(point) else None

    def facts(self) -> str:
        """Where it comes from, and how it stands with it, in words."""
        translate = QCoreApplication.translate
        place = host_of(self.address) or self.address
        words = {
            PictureState.OFFERED: translate("pictures", "Click to load it from {place}"),
            PictureState.LOADING: translate("pictures", "Loading from {place}…"),
            PictureState.MISSING: translate("pictures", "Not found: {place}"),
            PictureState.UNREADABLE: translate("pictures", "No picture that can be shown: {place}"),
            PictureState.TOO_LARGE: translate("pictures", "Too large to be shown: {place}"),
            PictureState.OFFLINE: translate("pictures", "Firstlight is set to stay offline: {place}"),
            PictureState.SHOWN: "{place}",
        }
        return words[self.state].format(place=place)

    def _image(self) -> QImage | None:
        """The picture, where it is shown; one that gave way to others meanwhile is read, or offered, again."""
        if self.state is not PictureState.SHOWN:
            return None
        image = self.typesetter.pictures.image(self.address)
        if image is None:
            self.state = self.typesetter.pictures.state(self.address)
            self.is_waiting = True
        return image

    def _paint_image(self, painter: QPainter, area: QRectF, image: QImage) -> None:
        painter.setRenderHints(QPainter.RenderHint.SmoothPixmapTransform | QPainter.RenderHint.Antialiasing)
        brush = QBrush(image)  # A brush, because a clip would leave the round corners jagged.
        shape = QTransform.fromTranslate(area.left(), area.top())
        brush.setTransform(shape.scale(area.width() / image.width(), area.height() / image.height()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(brush)
        painter.drawRoundedRect(area, _RADIUS, _RADIUS)

    def _paint_card(self, painter: QPainter, area: QRectF) -> None:
        style = self.typesetter.style
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(style.line, 1))
        painter.setBrush(style.code_background)
        painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        device = painter.device()
        ratio = device.devicePixelRatio() if device is not None else 1.0
        pixmap = icon_pixmap("image", style.faint, 18, ratio)
        painter.drawPixmap(QPointF(area.left() + _PAD, area.center().y() - 9), pixmap)
        box = area.adjusted(_PAD + 28, 8, -_PAD, -8)
        upper, lower = QRectF(box), QRectF(box)
        upper.setBottom(box.center().y())
        lower.setTop(box.center().y())
        name = self._alt or self.address.rsplit("/", 1)[-1]
        for part, text, color in ((upper, name, style.ink), (lower, self.facts(), self._facts_color())):
            font = QFont(style.font)
            font.setPixelSize(max(8, round(style.size - (1 if part is upper else 2))))
            painter.setFont(font)
            painter.setPen(color)
            elided = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideMiddle, part.width())
            painter.drawText(part, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, elided)

    def _facts_color(self) -> QColor:
        style = self.typesetter.style
        return style.accent if self.state is PictureState.OFFERED else style.dim

    def _arrange(self, width: float) -> float:
        image = self._image()
        if image is None:
            self._size = QSizeF(min(width, _CARD_WIDTH), _CARD_HEIGHT)
        else:
            size = QSizeF(image.size())
            if size.width() > width or size.height() > MAX_HEIGHT:
                size.scale(QSizeF(width, MAX_HEIGHT), Qt.AspectRatioMode.KeepAspectRatio)
            self._size = size
        return round(self._size.height())
