"""A short list of texts, such as folders, that can be added to and taken from."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from app.ui.plain_text import plain_tip
from app.ui.theme import Theme

_ROW = 26


class TextList(QWidget):
    """`changed(tuple)` after the user took something out; `add_requested` when there is an Add button."""

    changed = Signal(object)
    add_requested = Signal()

    def __init__(self, theme: Theme, *, name: str, add_text: str = "") -> None:
        super().__init__()
        self._list = QListWidget()
        self._list.setObjectName("settingsList")
        self._list.setAccessibleName(name)
        self._list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._empty = QLabel()
        self._empty.setObjectName("dim")
        self._empty.setWordWrap(True)
        self._empty.setFont(theme.font(-2))
        self._empty.setContentsMargins(0, 5, 0, 0)
        self._remove = QPushButton(self.tr("Remove"))
        self._remove.setAccessibleName(self.tr("Remove from: {list}").format(list=name))
        self._remove.clicked.connect(self._on_remove)
        buttons = QHBoxLayout()
        self._add = QPushButton(add_text) if add_text else None
        if self._add is not None:
            self._add.clicked.connect(self.add_requested)
            buttons.addWidget(self._add)
        buttons.addWidget(self._remove)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self._empty)
        column.addWidget(self._list)
        column.addLayout(buttons)
        self._list.currentRowChanged.connect(lambda row: self._remove.setEnabled(row >= 0))
        self.set_texts(())

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(self._list.item(row).text() for row in range(self._list.count()))

    def set_texts(self, texts: Iterable[str]) -> None:
        """Show these, without telling."""
        at = max(0, self._list.currentRow())
        self._list.clear()
        for text in texts:
            item = QListWidgetItem(text)
            item.setToolTip(plain_tip(text))
            self._list.addItem(item)
        count = self._list.count()
        self._list.setCurrentRow(min(at, count - 1))  # A reader says the current one when the focus comes.
        self._list.setVisible(count > 0)
        self._fit()
        self._empty.setVisible(count == 0 and bool(self._empty.text()))
        self._remove.setVisible(count > 0)
        self._remove.setEnabled(self._list.currentRow() >= 0)
        # What is hidden takes no focus, and would keep Tab from what follows.
        inner = self._list if count else self._add
        self.setFocusProxy(inner)  # type: ignore[arg-type]
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus if inner is None else Qt.FocusPolicy.StrongFocus)

    def set_placeholder(self, text: str) -> None:
        """What stands there while the list is empty."""
        self._empty.setText(text)
        self._empty.setVisible(not self._list.count())

    def add(self, text: str) -> None:
        """Add one at the end, unless it is there."""
        if text and text not in self.texts:
            self.changed.emit((*self.texts, text))

    def event(self, event: QEvent) -> bool:
        """How high a row is, fonts of other scripts included, is known once it is to be seen."""
        done = super().event(event)
        if event.type() in (QEvent.Type.Show, QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()
        return done

    def _fit(self) -> None:
        row = max(_ROW, self._list.sizeHintForRow(0))
        self._list.setFixedHeight(min(5, max(1, self._list.count())) * row + 10)

    def _on_remove(self) -> None:
        row = self._list.currentRow()
        if row >= 0:
            self.changed.emit((*self.texts[:row], *self.texts[row + 1 :]))
