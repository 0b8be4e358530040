"""Formulas as vector outlines: typeset once by a helper process, drawn sharp at any size in the text's own colour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from PySide6.QtCore import QObject, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath

from app.markdown.helper_process import HelperProcess
from app.markdown.helper_protocol import REFERENCE_SIZE, FormulaRequest, Glyphs

MAX_CACHED = 2_000
PATIENCE_MS = 4_000
"""A formula that takes longer is shown as its source."""
_DECODER = msgspec.json.Decoder(Glyphs)


@dataclass(frozen=True, slots=True)
class Outline:
    """A typeset formula; the baseline is at y = 0 and lengths are in multiples of the font size."""

    paths: tuple[tuple[QPainterPath, str], ...]
    """Outlines at REFERENCE_SIZE, each with its colour; an empty colour takes the text's."""
    width: float
    ascent: float
    descent: float

    @classmethod
    def of(cls, glyphs: Glyphs) -> Outline | None:
        """The outline of what the helper made; None when it could not be set."""
        if not glyphs.shapes:
            return None
        paths = []
        for shape in glyphs.shapes:
            path = QPainterPath()
            path.setFillRule(Qt.FillRule.WindingFill)
            draw: dict[str, Callable[..., None]] = {
                "M": path.moveTo, "L": path.lineTo, "Q": path.quadTo, "C": path.cubicTo, "Z": path.closeSubpath,
            }  # fmt: skip
            for command, numbers in shape.steps:
                draw[command](*numbers)
            paths.append((path, shape.color))
        unit = REFERENCE_SIZE
        return cls(tuple(paths), glyphs.width / unit, glyphs.ascent / unit, glyphs.descent / unit)

    def paint(self, painter: QPainter, baseline: QPointF, size: float, ink: QColor) -> None:
        """Draw with the left end of the baseline at `baseline`, for a font of `size` pixels."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(baseline)
        painter.scale(size / REFERENCE_SIZE, size / REFERENCE_SIZE)
        painter.setPen(Qt.PenStyle.NoPen)
        for path, color in self.paths:
            painter.setBrush(QColor(color) if color else ink)
            painter.drawPath(path)
        painter.restore()


class FormulaCache(HelperProcess[FormulaRequest, Outline | None]):
    """Outlines of formulas by their LaTeX."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            "app.markdown.formula_process", _outline, max_kept=MAX_CACHED, patience_ms=PATIENCE_MS, parent=parent
        )

    def outline(self, latex: str, *, is_display: bool) -> Outline | None:
        """The outline, or None while it is not made or when the LaTeX is not understood."""
        return self.answer(FormulaRequest(latex, is_display))

    def is_waiting(self, latex: str, *, is_display: bool) -> bool:
        """True while the outline is still to be made."""
        return self.is_awaited(FormulaRequest(latex, is_display))


def _outline(line: bytes | None) -> Outline | None:
    return None if line is None else Outline.of(_DECODER.decode(line))
