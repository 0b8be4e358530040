"""The figures at the head of a model's card: how large it is, how fast it is here, and whether it fits."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.ui.quantities import format_bytes, format_context, format_params, format_rate, format_seconds
from app.ui.theme import Theme
from engine.protocol import Estimated, FitRow, ModelEntry

_MOST = 5


class ModelCardFigures(QWidget):
    """Each figure in large digits over what it is; below them one line, the verdict, in its colour."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._color = theme, "dim"
        self._cells = [(QLabel(self), QLabel(self)) for _ in range(_MOST)]
        self._verdict = QLabel(self)
        self._verdict.setWordWrap(True)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(36)
        grid.setVerticalSpacing(1)
        for column, (value, caption) in enumerate(self._cells):
            caption.setObjectName("dim")
            for row, label in enumerate((value, caption)):
                label.setTextFormat(Qt.TextFormat.PlainText)
                grid.addWidget(label, row, column)
        grid.setColumnStretch(_MOST, 1)
        grid.setRowMinimumHeight(2, 8)
        grid.addWidget(self._verdict, 3, 0, 1, _MOST + 1)
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def texts(self) -> list[str]:
        """What is read, figure by figure, and the verdict."""
        shown = [f"{value.text()} {caption.text()}" for value, caption in self._cells if not value.isHidden()]
        return [*shown, self._verdict.text()] if self._verdict.text() else shown

    def show_model(self, model: ModelEntry, estimate: Estimated | None) -> None:
        """What the file says, and with an estimate what it comes to on this computer."""
        fit = estimate.rows[0] if estimate is not None and estimate.rows else None
        figures = [(format_bytes(model.size_bytes), model.quantization)] if model.size_bytes else []
        if model.n_params:
            figures.append((format_params(model.n_params), self.tr("parameters")))
        if model.n_ctx_train:
            figures.append((format_context(model.n_ctx_train), self.tr("context at most")))
        if fit is not None and fit.decode_tps:
            how = self.tr("measured here") if fit.is_measured else self.tr("expected here")
            figures.append((self.tr("{rate} tok/s").format(rate=format_rate(fit.decode_tps)), how))
        if fit is not None and fit.ttft_1000:
            figures.append((format_seconds(fit.ttft_1000), self.tr("for 1,000 tokens read")))
        for (value, caption), figure in zip(self._cells, [*figures, *[("", "")] * _MOST], strict=False):
            value.setText(figure[0])
            caption.setText(figure[1])
            for label in (value, caption):
                label.setVisible(bool(figure[0]))
        is_expected = model.kind == "chat" and model.state in ("ready", "in_use")
        self._verdict.setVisible(fit is not None or is_expected)  # What is below must not move when it comes.
        self._verdict.setText("")
        if fit is not None and estimate is not None:
            self._color = {"fits": "good", "fits_tight": "good", "too_large": "warn"}.get(fit.verdict, "note")
            self._verdict.setText(self._sentence(fit, estimate))
        self._restyle()

    def _sentence(self, fit: FitRow, estimate: Estimated) -> str:
        n = fit.n_cpu_moe
        experts = self.tr(
            "Fits, with the experts of {n} layers on the CPU: it needs {need} with {ctx} context.", None, n
        )
        layers = self.tr(
            "{n} of {all} layers fit on the GPU: it needs {need} with {ctx} context.", None, fit.n_gpu_layers
        )
        words = {
            "fits": self.tr("Fits: it needs {need} with {ctx} context."),
            "fits_tight": self.tr("Fits with little room: it needs {need} with {ctx} context."),
            "partial": experts if n else layers,
            "cpu_only": self.tr("Runs on the CPU: it needs {need} with {ctx} context."),
            "too_large": self.tr("Does not fit: it needs {need} with {ctx} context."),
        }
        need = format_bytes(fit.weights_bytes + fit.kv_bytes + fit.compute_bytes)
        return words[fit.verdict].format(
            need=need, ctx=format_context(estimate.n_ctx), n=n or fit.n_gpu_layers, all=fit.n_layers
        )

    def _restyle(self) -> None:
        for value, caption in self._cells:
            value.setFont(self._theme.font(4, is_bold=True))
            caption.setFont(self._theme.font(-2))
        self._verdict.setFont(self._theme.font(-0.5))
        self._verdict.setStyleSheet(f"color: {self._theme.color(self._color).name()};")
