"""The files of the message that is being written, as chips in lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.composer.attachment_chip import AttachmentChip, ReadingChip
from app.composer.prompt_size import PromptSize
from app.ui.flow_layout import FlowLayout
from app.ui.theme import Theme

if TYPE_CHECKING:
    from engine.store.chat_values import Attachment

_WEIGHT = 0.05
"""Of the message: what is shorter is not worth cutting."""


class AttachmentRow(QWidget):
    """Signals: `changed` when files came, went or were cut, `opened(Attachment)` when one is looked into."""

    changed = Signal()
    opened = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.chips: list[AttachmentChip] = []
        self.reading: list[ReadingChip] = []
        self._flow = FlowLayout()
        self.setLayout(self._flow)
        self._show()

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return tuple(chip.attachment for chip in self.chips)

    @property
    def counted(self) -> tuple[Attachment, ...]:
        """The attachments with their tokens, as far as known."""
        import msgspec  # Not needed for a start.

        return tuple(msgspec.structs.replace(each.attachment, n_tokens=each.n_tokens or 0) for each in self.chips)

    def chip_of(self, attachment: Attachment) -> AttachmentChip | None:
        return next((chip for chip in self.chips if chip.attachment is attachment), None)

    def add(self, attachment: Attachment, instead_of: ReadingChip | None = None) -> None:
        """Behind the others, or where its file was being read: files stay in the order in which they were chosen."""
        chip = AttachmentChip(self._theme, attachment, self)
        chip.removed.connect(lambda: self.remove(chip.attachment))
        chip.opened.connect(lambda: self.opened.emit(chip.attachment))
        place = self._flow.indexOf(instead_of) if instead_of in self.reading else -1
        self._flow.insert(place, chip)
        self.chips.append(chip)
        self.chips.sort(key=self._flow.indexOf)
        self._show()
        self.changed.emit()

    def remove(self, attachment: Attachment) -> None:
        if (chip := self.chip_of(attachment)) is not None:
            self.chips.remove(chip)
            self._take_away(chip)
            self.changed.emit()

    def replace(self, old: Attachment, new: Attachment) -> None:
        """The same file, with another part of it."""
        if (chip := self.chip_of(old)) is not None:
            chip.set_attachment(new)
            self._show()
            self.changed.emit()

    def begin_reading(self, name: str) -> ReadingChip:
        """A file whose text is not there yet; until end_reading the message cannot be sent."""
        chip = ReadingChip(self._theme, name, self)
        self.reading.append(chip)
        self._flow.addWidget(chip)
        self._show()
        self.changed.emit()
        return chip

    def end_reading(self, chip: ReadingChip) -> None:
        if chip in self.reading:
            self.reading.remove(chip)
            self._take_away(chip)
            self.changed.emit()

    def show_size(self, size: PromptSize) -> list[AttachmentChip]:
        """Mark the files that make the message too long; returns them, the longest first.

        Those are the files of which each alone could make enough room, or else all that weigh something.
        """
        n_tokens = {chip: chip.n_tokens or 0 for chip in self.chips}
        least = size.excess if max(n_tokens.values(), default=0) >= size.excess else size.n_own * _WEIGHT
        long = [chip for chip in self.chips if size.excess and n_tokens[chip] >= least]
        for chip in self.chips:
            chip.set_too_long(chip in long)
        return sorted(long, key=lambda chip: -n_tokens[chip])

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(self._flow.height_for(self.width()))

    def _take_away(self, chip: QWidget) -> None:
        self._flow.removeWidget(chip)
        chip.hide()
        chip.deleteLater()
        self._show()

    def _show(self) -> None:
        self.setVisible(bool(self.chips or self.reading))
        self._flow.invalidate()
        self._fit()
