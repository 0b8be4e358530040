"""The bar over the chat: the model chip, where its layers run, the preset, and the window's menu."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QWidget

from app.models.model_status import ModelState, ModelStatus
from app.ui.icon_button import IconButton
from app.ui.plain_text import ElidedLabel, plain_tip
from app.ui.theme import Theme
from app.window.model_chip import ModelChip

HEIGHT = 52
_MARGIN, _SPACING = 14, 8
_PRESET_WIDTH = 180
_LEAST = 160
"""What tells how many layers run where, before it is cut."""
_MAKERS = ("NVIDIA", "GeForce", "AMD", "Intel(R)")


class TopBar(QFrame):
    """Signals: `sidebar_toggled`, `panel_toggled`, `preset_chosen(name)`. The chip's own signal is `chip.clicked`;
    `stop.clicked` gives up a load.
    """

    sidebar_toggled = Signal()
    panel_toggled = Signal()
    preset_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("topBar")
        self.setFixedHeight(HEIGHT)
        self._theme = theme
        self.chip = ModelChip(theme, self)
        self.stop = IconButton(theme, "close", name=self.tr("Stop loading"), parent=self)
        self.stop.hide()
        self._placement = ElidedLabel(self)
        self._placement.setObjectName("faint")
        self._placement.setTextFormat(Qt.TextFormat.PlainText)
        self._sidebar = IconButton(theme, "sidebar", name=self.tr("Show or hide the chats"), parent=self)
        self._panel = IconButton(theme, "latency", name=self.tr("Show or hide the latency panel"), parent=self)
        self._preset = IconButton(theme, "chevron_down", color="faint", name=self.tr("Preset"), parent=self)
        self._preset.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self._presets = QMenu(self)
        self._preset.setMenu(self._presets)
        self._more = IconButton(theme, "more", name=self.tr("More"), parent=self)
        self.menu = QMenu(self)
        self._more.setMenu(self.menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        row.setSpacing(_SPACING)
        self._row = (self._sidebar, self.chip, self.stop, self._placement, self._preset, self._panel, self._more)
        for widget in self._row:
            row.addWidget(widget)
        row.insertStretch(self._row.index(self._preset), 1)
        self._sidebar.clicked.connect(self.sidebar_toggled)
        self._panel.clicked.connect(self.panel_toggled)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    @property
    def controls(self) -> tuple[QWidget, ...]:
        """What takes the keyboard, in its order."""
        return tuple(widget for widget in self._row if widget is not self._placement)

    def set_status(self, status: ModelStatus) -> None:
        """Show what the engine reports."""
        self.chip.set_status(status)
        self.stop.setVisible(status.state is ModelState.LOADING)
        known = status.effective
        if known is None:
            self._placement.clear()
            self._fit_placement()
            return
        accelerators = [device for device in known.devices if device.kind != "cpu"]
        if known.n_gpu_layers and accelerators:
            layers = self.tr("{used} of {all} layers on {device}", None, known.n_layers).format(
                used=known.n_gpu_layers,
                all=known.n_layers,
                device=_brief(accelerators[0].description) or accelerators[0].name,
            )
            kept = self.tr("{layers}, experts of {n} on the CPU").format(layers=layers, n=known.n_cpu_moe)
            self._placement.setText(kept if known.n_cpu_moe else layers)
        else:
            n = known.n_threads
            self._placement.setText(self.tr("on the CPU, {n} threads", None, n).format(n=n))
        self._fit_placement()

    def set_presets(self, names: Mapping[str, str], current: str) -> None:
        """The presets to choose from, and what each is shown as; a single one is not worth a button."""
        self._presets.clear()
        for earlier in self._presets.findChildren(QActionGroup):
            earlier.deleteLater()
        group = QActionGroup(self._presets)
        for name, shown in names.items():
            action = QAction(shown, group, checkable=True, checked=name == current)
            action.triggered.connect(lambda _checked=False, name=name: self.preset_chosen.emit(name))
            self._presets.addAction(action)
        shown = names.get(current, current)
        cut = self._preset.fontMetrics().elidedText(shown, Qt.TextElideMode.ElideRight, _PRESET_WIDTH)
        self._preset.setText(cut)
        self._preset.setAccessibleName(self.tr("Preset: {name}").format(name=shown))
        self._preset.setToolTip(plain_tip(self._preset.accessibleName()))
        self._preset.setVisible(len(names) > 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_placement()

    def _fit_placement(self) -> None:
        """Where it runs is said beside a name that is there in full, and cut short rather than left out."""
        others = [each for each in self._row if each is not self._placement and not each.isHidden()]
        taken = sum(each.sizeHint().width() + _SPACING for each in others) + 2 * _MARGIN
        wanted = self._placement.sizeHint().width()
        is_cut = self.width() - taken < wanted
        self._placement.setVisible(self.width() - taken >= min(wanted, _LEAST))
        self._placement.setToolTip(plain_tip(self._placement.text()) if is_cut else "")

    def _on_theme_changed(self) -> None:
        self._placement.setFont(self._theme.font(-2))
        self._fit_placement()


def _brief(device: str) -> str:
    """As people call it: RTX 4090."""
    return " ".join(word for word in device.split() if word not in _MAKERS)
