"""Formulas as vector outlines: typeset once by a helper process, drawn sharp at any size in the text's own colour."""

from __future__ import annotations

import sys
import weakref
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
from PySide6.QtCore import QByteArray, QElapsedTimer, QObject, QPointF, QProcess, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath

from app.widgets.markdown.glyphs import REFERENCE_SIZE, Glyphs, Request

MAX_CACHED = 2_000
MAX_WAITING = 60
"""When more are asked for, those asked for first have been scrolled past; they are asked for again when seen again."""
PATIENCE_MS = 4_000
"""A formula that takes longer is shown as its source, and the helper starts afresh."""
START_PATIENCE_MS = 60_000
"""For a helper's first formula: Python and its libraries may come from a cold disk, beside a model that computes."""
_REPORT_MS = 60

Key = tuple[str, bool]
"""LaTeX, and whether it is displayed on a line of its own."""


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


class FormulaBook(QObject):
    """Outlines of formulas by their LaTeX. Asking costs nothing; the helper process starts with the first formula.

    Signals:
        drawn(): some formulas that were asked for can be drawn now.
    """

    drawn = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._outlines: OrderedDict[Key, Outline | None] = OrderedDict()
        self._waiting: OrderedDict[Key, None] = OrderedDict()
        self._current: Key | None = None
        self._decoder = msgspec.json.Decoder(Glyphs)
        self._since_drawn = QElapsedTimer()
        self._is_broken = False
        self._process = QProcess()
        self._process.setProgram(sys.executable)
        self._process.setArguments(["-m", "app.widgets.markdown.typeset"])
        self._process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.errorOccurred.connect(self._on_error)
        self._process.finished.connect(self._on_finished)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.timeout.connect(self._give_up)
        weakref.finalize(self, _end, self._process)

    def outline(self, latex: str, *, is_display: bool) -> Outline | None:
        """The outline, or None while it is not made or when the LaTeX is not understood."""
        key = (latex, is_display)
        if key in self._outlines:
            self._outlines.move_to_end(key)
            return self._outlines[key]
        if not self._is_broken and key != self._current:
            self._waiting[key] = None
            if len(self._waiting) > MAX_WAITING:
                self._waiting.popitem(last=False)
            self._send()
        return None

    def is_waiting(self, latex: str, *, is_display: bool) -> bool:
        """True while the outline is still to be made."""
        return (latex, is_display) in self._waiting or (latex, is_display) == self._current

    def finish(self) -> None:
        """Wait until everything that was asked for is made."""
        while self._current is not None and self._process.waitForReadyRead(self._patience.interval()):
            pass

    def _send(self) -> None:
        if self._current is not None or not self._waiting:
            return
        if self._process.state() == QProcess.ProcessState.NotRunning:
            self._process.start()
            self._patience.setInterval(START_PATIENCE_MS)
        self._current, _ = self._waiting.popitem()  # What was asked for last is what is looked at now.
        request = msgspec.json.encode(Request(*self._current)) + b"\n"
        self._process.write(QByteArray(request))
        self._patience.start()

    def _read(self) -> None:
        while self._process.canReadLine():
            line = self._process.readLine().data()
            self._patience.setInterval(PATIENCE_MS)
            if self._current is not None:
                self._keep(self._current, Outline.of(self._decoder.decode(line)))
                self._current = None
            self._send()

    def _keep(self, key: Key, outline: Outline | None) -> None:
        self._patience.stop()
        self._outlines[key] = outline
        while len(self._outlines) > MAX_CACHED:
            self._outlines.popitem(last=False)
        if not self._waiting or not self._since_drawn.isValid() or self._since_drawn.elapsed() > _REPORT_MS:
            self._since_drawn.start()
            self.drawn.emit()

    def _give_up(self) -> None:
        """The current formula takes too long: show its source, and go on with the next one."""
        self._process.kill()

    def _on_finished(self) -> None:
        """The helper ended over the current formula, which stays as its source; the next one starts it again."""
        self._patience.stop()
        if self._current is not None:
            key, self._current = self._current, None
            self._keep(key, None)
            self._send()

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._is_broken = True
            self._current = None
            self._waiting.clear()
            self._patience.stop()


def _end(process: QProcess) -> None:
    """End the helper with its book, or with Python: Qt complains about a process that is destroyed while it runs."""
    process.blockSignals(True)  # Whoever listened is half gone.
    if process.state() is not QProcess.ProcessState.NotRunning:
        process.kill()
        process.waitForFinished(1_000)
