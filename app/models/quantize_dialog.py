"""Make another quantization: choose a type, see what it takes and keeps, follow it being made."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from app.models.line_list import Line, LineList
from app.models.quantization_table import quality_texts
from app.ui.announcement import announce
from app.ui.icon_button import IconButton
from app.ui.quantities import format_bytes, format_mix, format_share
from app.ui.theme import Theme
from engine.protocol import ModelEntry
from engine.protocol.quantization_types import FULL, QUANTIZATION_TYPES, SOURCES, QuantizationType, expected_bytes

FIRST = "Q4_K_M"


class QuantizeDialog(QDialog):
    """Signals say what the user wants; setters show what came of it."""

    size_requested = Signal(str)
    """A type whose exact size is wanted."""
    start_requested = Signal(str, bool)
    """The type, and whether a source that has lost quality already is accepted."""
    stop_requested = Signal()

    def __init__(self, theme: Theme, model: ModelEntry, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._model = theme, model
        self._sizes: dict[str, int] = {}
        self._is_running = False
        self.setWindowTitle(self.tr("Make another quantization"))
        self.setPalette(theme.palette())
        self.resize(520, 620)
        self._offered = [made for made in QUANTIZATION_TYPES if _is_of_use(made, model)]
        self.types = LineList(theme, self.tr("Types"))
        self.types.selected.connect(self._on_selected)
        head = QLabel(
            self.tr("{name} stays as it is; the new file goes to Firstlight's models, folder made-here.").format(
                name=model.name
            )
        )
        head.setWordWrap(True)
        head.setTextFormat(Qt.TextFormat.PlainText)
        self._is_lossy = model.quantization not in SOURCES
        text = self.tr(
            "{name} is {kind} already. Another quantization of it loses twice: its F16 is the better source."
        )
        self.lossy = QLabel(text.format(name=model.name, kind=model.quantization))
        self.lossy.setObjectName("note")
        self.lossy.setWordWrap(True)
        self.lossy.setTextFormat(Qt.TextFormat.PlainText)
        self.allow = QCheckBox(self.tr("Make it all the same"))
        self.allow.toggled.connect(lambda _on: self._update())
        note = QLabel(
            self.tr("Made without statistics of the model's activations. Types that need them are left out; a file "
                    "from the hub that was made with them keeps a little more at 4 bits and below.")
        )  # fmt: skip
        note.setObjectName("dim")
        note.setWordWrap(True)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress"))
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.close_button = IconButton(theme, "", self.tr("Close"), kind="plain")
        self.close_button.clicked.connect(self._on_close)
        self.start = IconButton(theme, "", self.tr("Make it"), kind="primary")
        self.start.setDefault(True)
        self.start.clicked.connect(self._on_start)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        buttons.addWidget(self.start)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        for widget in (head, self.lossy, self.allow, self.types, note, self.bar, self.sentence):
            column.addWidget(widget, 1 if widget is self.types else 0)
        column.addLayout(buttons)
        self.lossy.setVisible(self._is_lossy)
        self.allow.setVisible(self._is_lossy)
        for label in (note, self.lossy, self.sentence):
            label.setFont(theme.font(-1))
        head.setFont(theme.font(0))
        self.setStyleSheet(f"#note {{ color: {theme.tokens.note}; }}")
        self._show_types()
        names = [made.name for made in self._offered]
        if names:
            self.types.select(FIRST if FIRST in names else names[0])
        self._update()

    @property
    def quantization(self) -> str:
        """The chosen type."""
        return self.types.current_key

    def begin(self) -> None:
        """Ask for what the first look needs."""
        if self.quantization:
            self.size_requested.emit(self.quantization)

    def set_size(self, quantization: str, size_bytes: int) -> None:
        """How large a type would really be."""
        self._sizes[quantization] = size_bytes
        self._show_types()

    def set_progress(self, fraction: float) -> None:
        """From 0 to 1; begins the running state."""
        self._is_running = True
        self.bar.setValue(round(fraction * 1000))
        self.sentence.setText(self.tr("{share} done").format(share=format_share(fraction)))
        self._update()

    def set_finished(self, size_bytes: int, tensor_mix: dict[str, int]) -> None:
        """It is made: say its real tensor types."""
        self._is_running = False
        self.bar.setValue(self.bar.maximum())
        text = self.tr("Ready: {size}, {mix}.").format(size=format_bytes(size_bytes), mix=format_mix(tensor_mix))
        self._say(text, "good")
        self._update()

    def set_failure(self, sentence: str) -> None:
        """Why it was not made; empty when the user stopped it."""
        self._is_running = False
        self.bar.setValue(0)
        self._say(sentence or self.tr("Stopped. Nothing was kept."), "warn" if sentence else "dim")
        self._update()

    def reject(self) -> None:
        """Escape does not throw a running one away; the button does."""
        if not self._is_running:
            super().reject()

    def _on_close(self) -> None:
        if self._is_running:
            self.stop_requested.emit()
        else:
            self.reject()

    def _say(self, text: str, color: str) -> None:
        self.sentence.setText(text)
        self.sentence.setStyleSheet(f"color: {getattr(self._theme.tokens, color)};")
        announce(self, text)

    def _on_selected(self, quantization: str) -> None:
        if quantization not in self._sizes:
            self.size_requested.emit(quantization)

    def _on_start(self) -> None:
        self._say("", "dim")
        self.set_progress(0.0)
        self.start_requested.emit(self.quantization, self.allow.isChecked())

    def _update(self) -> None:
        self.bar.setVisible(self._is_running)
        self.types.setEnabled(not self._is_running)
        self.allow.setEnabled(not self._is_running)
        self.start.setEnabled(not self._is_running and bool(self.quantization) and self._is_allowed())
        self.close_button.setText(self.tr("Stop") if self._is_running else self.tr("Close"))

    def _is_allowed(self) -> bool:
        return not self._is_lossy or self.allow.isChecked()

    def _show_types(self) -> None:
        self.types.set_lines([self._line(made) for made in self._offered])

    def _line(self, made: QuantizationType) -> Line:
        known = self._sizes.get(made.name)
        if known:
            size = format_bytes(known)
        else:
            size = self.tr("about {size}").format(size=format_bytes(expected_bytes(self._model.n_params, made)))
        return Line(made.name, made.name, quality_texts()[made.quality], size)


def _is_of_use(made: QuantizationType, model: ModelEntry) -> bool:
    """Smaller than what there is, so that it saves something."""
    if made.name == model.quantization or made.name in FULL:
        return False
    return not model.bits_per_weight or made.bits_per_weight < model.bits_per_weight + 0.5
