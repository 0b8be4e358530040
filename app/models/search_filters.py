"""The filters of a search on the hub: order, size and licence."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from app.ui.choice_box import ChoiceBox

_LICENCES = {"apache-2.0": "Apache-2.0", "mit": "MIT", "gemma": "Gemma"}


def licence_name(tag: str) -> str:
    """A licence as it writes itself, of the hub's tag for it."""
    if tag in _LICENCES:
        return _LICENCES[tag]
    return tag.upper() if tag.startswith(("cc-", "gpl", "agpl", "lgpl", "bsd")) else tag.replace("llama", "Llama ")


class SearchFilters(QWidget):
    """Three lists whose first entry is no filter; `changed` when the user chooses another one."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._order = self._make(self.tr("Order"), (
            ("downloads", self.tr("Popular")), ("trendingScore", self.tr("Trending")),
            ("likes", self.tr("Most liked")), ("lastModified", self.tr("Latest")),
        ))  # fmt: skip
        self._size = self._make(self.tr("Size"), (
            ("", self.tr("Any size")), ("max:3B", self.tr("Up to 3 B")), ("min:3B,max:9B", self.tr("3 to 9 B")),
            ("min:9B,max:20B", self.tr("9 to 20 B")), ("min:20B", self.tr("Over 20 B")),
        ))  # fmt: skip
        self._licence = self._make(self.tr("Licence"), (
            ("", self.tr("Any licence")), *((tag, licence_name(tag)) for tag in ("apache-2.0", "mit")),
        ))  # fmt: skip
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for box in (self._order, self._size, self._licence):
            row.addWidget(box, max(len(box.itemText(number)) for number in range(box.count())))

    @property
    def order(self) -> str:
        return str(self._order.currentData())

    @property
    def n_params(self) -> str:
        """In the hub's words, empty for any."""
        return str(self._size.currentData())

    @property
    def licence(self) -> str:
        return str(self._licence.currentData())

    @property
    def is_set(self) -> bool:
        """Whether anything is chosen that an empty search would not do."""
        return any(box.currentIndex() for box in (self._order, self._size, self._licence))

    @property
    def is_narrow(self) -> bool:
        """Whether anything is left out, which the order does not."""
        return any(box.currentIndex() for box in (self._size, self._licence))

    def reset(self, *, keeps_order: bool = False) -> None:
        """Without telling."""
        for box in (self._size, self._licence, *(() if keeps_order else (self._order,))):
            box.blockSignals(True)
            box.setCurrentIndex(0)
            box.blockSignals(False)

    def _make(self, name: str, choices: tuple[tuple[str, str], ...]) -> QComboBox:
        box = ChoiceBox()
        box.setObjectName("filter")
        box.setAccessibleName(name)
        box.setMinimumContentsLength(4)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for key, text in choices:
            box.addItem(text, key)
        box.currentIndexChanged.connect(lambda _index: self.changed.emit())
        return box
