"""The model chip: what the engine reports to be running, with a dot for its state; opens the picker."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.core.engine_texts import failure_text, notice_text
from app.models.model_status import ModelState, ModelStatus
from app.ui.announcement import announce
from app.ui.plain_text import plain_tip
from app.ui.quantities import format_context, format_share
from app.ui.style_sheet import icon_pixmap
from app.ui.theme import Theme

_HEIGHT = 32
_PADDING = 14.0
_DOT = 8.0
_GAP = 8.0
_PULSE_MS = 600


class ModelChip(QAbstractButton):
    """Shows a ModelStatus. `clicked` asks for the picker."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.status = ModelStatus()
        self._is_pulse_high = True
        self._pulse = QTimer(self, interval=_PULSE_MS)
        self._pulse.timeout.connect(self._on_pulse)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._on_theme_changed)
        self.set_status(ModelStatus())

    def set_status(self, status: ModelStatus) -> None:
        """Show `status`; the state shows in the dot's colour and shape, and in words."""
        was, self.status = self.status.state, status
        if status.state in (ModelState.LOADING, ModelState.BUSY):
            if not self._pulse.isActive():
                self._pulse.start()
        else:
            self._pulse.stop()
            self._is_pulse_high = True
        self.setText(f"{self._name()} {self._details()}".strip())
        self.setAccessibleName(
            self.tr("Model: {name}, {state}. {details}").format(
                name=self._name(), state=self._state_words(), details=self._details()
            )
        )
        self.setToolTip(plain_tip(self._tip()))
        is_loading, was_loading = (each is ModelState.LOADING for each in (status.state, was))
        if is_loading != was_loading and status.state is not ModelState.FAILED:  # A notice tells of that.
            announce(self, f"{self._name()}: {self._state_words()}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        text = QFontMetricsF(self._theme.font(-1), self)
        width = text.horizontalAdvance(self._name()) + 2 * _PADDING + _DOT + _GAP + 14 + _GAP
        if details := self._details():
            width += _GAP + text.horizontalAdvance(details)
        return QSize(round(width + 1), _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        edge = "accent" if self.hasFocus() else "faint" if self.underMouse() else "line"
        painter.setPen(QPen(theme.color(edge), 1))
        painter.setBrush(theme.color("card"))
        painter.drawRoundedRect(frame, _HEIGHT / 2 - 0.5, _HEIGHT / 2 - 0.5)
        middle = self.height() / 2
        self._paint_dot(painter, QPointF(_PADDING + _DOT / 2, middle))
        metrics = QFontMetricsF(theme.font(-1), self)
        baseline = middle + (metrics.ascent() - metrics.descent()) / 2
        x, right = _PADDING + _DOT + _GAP, self.width() - _PADDING - 14 - 4
        painter.setFont(theme.font(-1))
        painter.setPen(theme.color("ink"))
        name = metrics.elidedText(self._name(), Qt.TextElideMode.ElideRight, right - x)
        painter.drawText(QPointF(x, baseline), name)
        x += metrics.horizontalAdvance(name) + _GAP
        if (details := self._details()) and x < right:
            painter.setPen(theme.color("dim"))
            painter.drawText(QPointF(x, baseline), metrics.elidedText(details, Qt.TextElideMode.ElideRight, right - x))
        chevron = icon_pixmap("chevron_down", theme.color("faint"), 14, self.devicePixelRatioF())
        painter.drawPixmap(QPointF(self.width() - _PADDING - 12, middle - 7), chevron)

    def _paint_dot(self, painter: QPainter, centre: QPointF) -> None:
        """Filled when warm, a ring when cold, an arc that grows while loading, a square when failed."""
        state, theme = self.status.state, self._theme
        painter.setBrush(Qt.BrushStyle.NoBrush)
        around = QRectF(centre.x() - _DOT / 2, centre.y() - _DOT / 2, _DOT, _DOT)
        if state is ModelState.COLD:
            painter.setPen(QPen(theme.color("faint"), 1.4))
            painter.drawEllipse(around.adjusted(0.7, 0.7, -0.7, -0.7))
        elif state is ModelState.LOADING:
            painter.setPen(QPen(theme.color("line"), 2))
            painter.drawEllipse(around)
            painter.setPen(QPen(theme.color("accent", 255 if self._is_pulse_high else 150), 2))
            painter.drawArc(around, 90 * 16, -round(360 * 16 * max(0.06, self.status.fraction)))
        elif state is ModelState.FAILED:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("warn"))
            painter.drawRoundedRect(around, 1.5, 1.5)
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("good", 255 if self._is_pulse_high else 110))
            painter.drawEllipse(around)

    def _name(self) -> str:
        return self.status.name or self.tr("No model")

    def _details(self) -> str:
        status = self.status
        if status.state is ModelState.LOADING:
            return f"{self._step()} {format_share(status.fraction)}"
        if status.state is ModelState.FAILED:
            is_dead = status.failure is not None and status.failure.code == "engine_crashed"
            return self.tr("stopped by a fault") if is_dead else self.tr("could not be loaded")
        if status.effective is None:
            return self.tr("not loaded") if status.name else ""
        known = status.effective
        cache = str(known.type_k) if known.type_k is known.type_v else f"{known.type_k}/{known.type_v}"
        parts = [known.quantization, self.tr("{n} context").format(n=format_context(known.n_ctx)), f"KV {cache}"]
        return " · ".join(part for part in parts if part)

    def _step(self) -> str:
        return {
            "open": self.tr("opening"),
            "weights": self.tr("reading weights"),
            "context": self.tr("making room for the context"),
            "warmup": self.tr("warming up"),
        }.get(self.status.step, self.tr("loading"))

    def _state_words(self) -> str:
        return {
            ModelState.COLD: self.tr("not loaded"),
            ModelState.LOADING: self.tr("loading"),
            ModelState.WARM: self.tr("ready"),
            ModelState.BUSY: self.tr("answering"),
            ModelState.FAILED: self.tr("failed"),
        }[self.status.state]

    def _tip(self) -> str:
        if self.status.failure is not None:
            return failure_text(self.status.failure)
        known = self.status.effective
        if known is None:
            return self.tr("Choose a model")
        lines = [self.tr("What the engine reports:"), known.model_path]
        lines.append(
            self.tr("{n} threads · batch {batch}/{ubatch} · flash attention {flash}", None, known.n_threads).format(
                n=known.n_threads,
                batch=known.n_batch,
                ubatch=known.n_ubatch,
                flash=self.tr("on") if known.flash_attn else self.tr("off"),
            )
        )
        lines += [notice_text(notice) for notice in known.notices]
        return "\n".join(line for line in lines if line)

    def _on_pulse(self) -> None:
        self._is_pulse_high = not self._is_pulse_high
        self.update()

    def _on_theme_changed(self) -> None:
        self.updateGeometry()
        self.update()
