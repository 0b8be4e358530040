"""The devices that layers may go to, with a check box each, and the shares that several of them take."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from app.ui.quantities import format_bytes, format_bytes_of
from app.ui.theme import Theme
from engine.protocol.values import Device

_AUTOMATIC = -1
_SPIN_WIDTH = 130


class DeviceList(QWidget):
    """`chosen(names)` whenever the user checks one or takes one out."""

    chosen = Signal(tuple)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._boxes: dict[str, QCheckBox] = {}
        self._facts: dict[str, QLabel] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 3, 0, 0)
        self._column.setSpacing(2)
        theme.changed.connect(self._restyle)

    def set_devices(self, devices: Sequence[Device], missing: Sequence[str], used: Sequence[str]) -> None:
        """Those that are there, those that are only named, and which of both are used."""
        named = {device.name: device for device in devices}
        names = (*named, *missing)
        if tuple(self._boxes) != names:
            self._rebuild(names)
        for name in names:
            device = named.get(name)
            self._boxes[name].setText((device.description if device is not None else "") or name)
            self._boxes[name].blockSignals(True)
            self._boxes[name].setChecked(name in used)
            self._boxes[name].blockSignals(False)
            facts = self._described(device) if device is not None else self.tr("This device is not there now.")
            self._facts[name].setText(facts)
            self._boxes[name].setAccessibleDescription(facts)

    def box(self, name: str) -> QCheckBox:
        return self._boxes[name]

    def facts(self, name: str) -> str:
        """The line below a device's name."""
        return self._facts[name].text()

    def _rebuild(self, names: Sequence[str]) -> None:
        for widget in (*self._boxes.values(), *self._facts.values()):
            self._column.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._boxes = {name: QCheckBox() for name in names}
        self._facts = {name: QLabel() for name in names}
        for name, box in self._boxes.items():
            box.toggled.connect(self._tell)
            self._facts[name].setObjectName("dim")
            self._facts[name].setWordWrap(True)
            self._facts[name].setContentsMargins(24, 0, 0, 5)
            self._column.addWidget(box)
            self._column.addWidget(self._facts[name])
        self._restyle()

    def _tell(self) -> None:
        self.chosen.emit(tuple(name for name, box in self._boxes.items() if box.isChecked()))

    def _described(self, device: Device) -> str:
        facts = [device.name] if device.description else []
        if device.total_bytes and device.free_bytes is not None:
            free, total = format_bytes_of(device.free_bytes, device.total_bytes)
            facts.append(self.tr("{free} of {total} free").format(free=free, total=total))
        elif device.total_bytes:
            facts.append(format_bytes(device.total_bytes))
        if device.kind == "igpu":
            facts.append(self.tr("part of the processor, with main memory"))
        if device.is_display:
            facts.append(self.tr("drives the screen"))
        return " · ".join(facts)

    def _restyle(self) -> None:
        for label in self._facts.values():
            label.setFont(self._theme.font(-2))


class ShareList(QWidget):
    """`changed(shares)` in percent, one for each device; empty leaves them to the engine."""

    changed = Signal(tuple)

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[tuple[QLabel, QSpinBox]] = []
        self._automatic: tuple[int, ...] = ()
        self._half_typed: set[QSpinBox] = set()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(5)
        self._grid.setColumnStretch(2, 1)

    def set_shares(self, names: Sequence[str], shares: Sequence[float], automatic: Sequence[float]) -> None:
        """The devices in use, what is set for them (nothing: automatic), and what automatic would make of it."""
        while len(self._rows) > len(names):
            for widget in self._rows.pop():
                self._grid.removeWidget(widget)
                widget.hide()
                widget.deleteLater()
        while len(self._rows) < len(names):
            self._add()
        self._automatic = percent(automatic, len(names))
        shown = percent(shares, len(names)) if any(shares) else (_AUTOMATIC,) * len(names)
        for name, share, (label, box) in zip(names, shown, self._rows, strict=True):
            label.setText(name)
            box.setAccessibleName(self.tr("Share of {device}").format(device=name))
            if box in self._half_typed:
                continue
            box.blockSignals(True)
            box.setValue(share)
            box.blockSignals(False)

    @property
    def boxes(self) -> list[QSpinBox]:
        return [box for _, box in self._rows]

    def _add(self) -> None:
        label, box = QLabel(), QSpinBox()
        box.setRange(_AUTOMATIC, 100)
        box.setSuffix(self.tr(" %"))
        box.setSpecialValueText(self.tr("Automatic"))
        box.setKeyboardTracking(False)
        box.setFixedWidth(_SPIN_WIDTH)
        # The style sheet's padding is lost on a field without buttons.
        box.lineEdit().setTextMargins(7, 0, 0, 0)
        box.lineEdit().textEdited.connect(lambda: self._half_typed.add(box))
        box.editingFinished.connect(lambda: self._half_typed.discard(box))
        number = len(self._rows)
        box.valueChanged.connect(lambda value: self._on_changed(number, value))
        self._rows.append((label, box))
        self._grid.addWidget(box, number, 0)
        self._grid.addWidget(label, number, 1)

    def _on_changed(self, number: int, value: int) -> None:
        """The others share what one leaves, in the proportion that they had."""
        if value == _AUTOMATIC:
            self.changed.emit(())
            return
        before = [box.value() for box in self.boxes]
        if any(other == _AUTOMATIC for place, other in enumerate(before) if place != number):
            # The first step away from automatic begins where automatic is.
            before = list(self._automatic)
            value = before[number] if value == 0 else value
        others = [0 if place == number else share for place, share in enumerate(before)]
        others = others if any(others) else [int(place != number) for place in range(len(before))]
        rest = [share * (100 - value) / sum(others) for share in others]
        self.changed.emit(tuple(float(value) if place == number else part for place, part in enumerate(rest)))


def percent(shares: Sequence[float], n: int) -> tuple[int, ...]:
    """Shares of `n` devices in whole percent that make 100; those left out have none."""
    given = [*shares[:n], *[0.0] * (n - len(shares))]
    whole = sum(given)
    if not whole:
        return (0,) * n
    borders = [round(100 * sum(given[: number + 1]) / whole) for number in range(n)]
    return tuple(border - before for border, before in zip(borders, [0, *borders], strict=False))
