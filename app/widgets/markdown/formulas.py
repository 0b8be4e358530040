"""LaTeX as vector outlines: typeset once at a reference size, drawn sharp at any other, in the text's own colour."""

from __future__ import annotations

import importlib
import logging
import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from PySide6.QtCore import QElapsedTimer, QObject, QPointF, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, Qt

_log = logging.getLogger(__name__)
REFERENCE_SIZE = 100.0
"""Pixels of the font size at which outlines are made."""
MAX_CACHED = 2_000
MAX_LATEX = 4_000
"""Longer formulas are shown as their source."""
_SLICE_MS = 5
_TOKEN = re.compile(r"[MLQCZ]|-?[\d.]+(?:e-?\d+)?")
_UNSUPPORTED = re.compile(r"\\(?:input|include|write|def|newcommand|href|includegraphics)\b")


@dataclass(frozen=True, slots=True)
class Outline:
    """A typeset formula; the baseline is at y = 0 and lengths are in multiples of the font size."""

    paths: tuple[tuple[QPainterPath, str], ...]
    """Outlines at REFERENCE_SIZE, each with its colour; an empty colour takes the text's."""
    width: float
    ascent: float
    descent: float

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


class FormulaBook(QObject):
    """Outlines of formulas by their LaTeX. Typesetting happens between events, in bounded slices.

    Signals:
        drawn(): some formulas that were asked for can be drawn now.
    """

    drawn = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._outlines: OrderedDict[tuple[str, bool], Outline | None] = OrderedDict()
        self._waiting: OrderedDict[tuple[str, bool], None] = OrderedDict()
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._work)

    def outline(self, latex: str, *, is_display: bool) -> Outline | None:
        """The outline, or None while it is not made or when the LaTeX is not understood."""
        key = (latex, is_display)
        if key in self._outlines:
            self._outlines.move_to_end(key)
            return self._outlines[key]
        self._waiting[key] = None
        self._timer.start()
        return None

    def is_waiting(self, latex: str, *, is_display: bool) -> bool:
        """True while the outline is still to be made."""
        return (latex, is_display) in self._waiting

    def finish(self) -> None:
        """Make everything that was asked for now."""
        if self._waiting:
            self._typeset_for(float("inf"))

    def _work(self) -> None:
        self._typeset_for(_SLICE_MS)

    def _typeset_for(self, budget_ms: float) -> None:
        clock = QElapsedTimer()
        clock.start()
        while self._waiting:
            key, _ = self._waiting.popitem(last=False)
            self._outlines[key] = typeset(key[0], is_display=key[1])
            while len(self._outlines) > MAX_CACHED:
                self._outlines.popitem(last=False)
            if clock.elapsed() >= budget_ms:
                break
        if not self._waiting:
            self._timer.stop()
        self.drawn.emit()


def typeset(latex: str, *, is_display: bool) -> Outline | None:
    """The outline of one formula; None when it cannot be set, so that its source is shown instead."""
    if not latex.strip() or len(latex) > MAX_LATEX or _UNSUPPORTED.search(latex):
        return None
    ziamath = _ziamath()
    try:
        made = ziamath.Latex(latex, size=REFERENCE_SIZE, inline=not is_display)
        if any((node.text or "").startswith("\\") for node in made.mathml.iter()):
            return None
        picture = made.svgxml()
        bottom, (_, height) = made.getyofst(), made.getsize()
    except Exception as error:  # noqa: BLE001 - the typesetter raises whatever its parser stumbles on
        _log.debug("cannot typeset %r: %s", latex, error)
        return None
    return _outline(picture, ascent=height + bottom, descent=-bottom)


def _ziamath() -> Any:
    """The typesetter; brought in at the first formula because it takes longer to import than a window to open."""
    module = importlib.import_module("ziamath")
    module.config.svg2 = False
    return module


def _outline(picture: ElementTree.Element, *, ascent: float, descent: float) -> Outline:
    left, _, width, _ = (float(number) for number in picture.attrib["viewBox"].split())
    groups: dict[str, QPainterPath] = {}
    for shape in picture.iter():
        fill = shape.attrib.get("fill", "")
        if fill == "none" or shape.tag not in ("path", "rect"):
            continue
        path = groups.setdefault("" if fill == "black" else fill, QPainterPath())
        path.setFillRule(Qt.FillRule.WindingFill)
        if shape.tag == "rect":
            path.addRect(*(float(shape.attrib[name]) for name in ("x", "y", "width", "height")))
        else:
            _add_path(path, shape.attrib["d"])
    for path in groups.values():
        path.translate(-left, 0)
    unit = REFERENCE_SIZE
    return Outline(tuple((path, fill) for fill, path in groups.items()), width / unit, ascent / unit, descent / unit)


def _add_path(path: QPainterPath, data: str) -> None:
    """Append SVG path data; the typesetter writes absolute M, L, Q, C and Z only."""
    tokens = _TOKEN.findall(data)
    index, command = 0, "M"
    while index < len(tokens):
        if tokens[index].isalpha():
            command = tokens[index]
            index += 1
        if command == "Z":
            path.closeSubpath()
            continue
        count = {"M": 2, "L": 2, "Q": 4, "C": 6}[command]
        numbers = [float(token) for token in tokens[index : index + count]]
        index += count
        match command:
            case "M":
                path.moveTo(*numbers)
            case "L":
                path.lineTo(*numbers)
            case "Q":
                path.quadTo(*numbers)
            case _:
                path.cubicTo(*numbers)
