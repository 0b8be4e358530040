"""One line over the text: the message is too long, because of what, and the way out."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.draft_size import DraftSize
from app.quantities import format_count
from app.style import icon_pixmap
from app.theme import Theme
from app.widgets.attachment_chip import AttachmentChip
from app.widgets.icon_button import IconButton


class OverflowLine(QFrame):
    """Hidden while there is room. `choose_requested` when the user wants to choose what goes."""

    choose_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._text = theme, ""
        self._mark = QLabel(self)
        self.label = QLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.button = IconButton(theme, "", self.tr("Choose a part…"), kind="link", size_delta=-1.5, parent=self)
        self.button.clicked.connect(self.choose_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(7)
        row.addWidget(self._mark)
        row.addWidget(self.label, 1)
        row.addWidget(self.button)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def show_size(self, size: DraftSize, culprits: Sequence[AttachmentChip]) -> None:
        """Tell of a message that is too long because of these files, or because of its text when there are none."""
        if size.excess:
            excess = format_count(size.excess)
            if len(culprits) == 1:
                text = self.tr("{name} does not fit: the message is {n} tokens too long.").format(
                    name=culprits[0].attachment.name, n=excess
                )
            elif culprits:
                text = self.tr("The files do not fit together: the message is {n} tokens too long.").format(n=excess)
            else:
                text = self.tr("The message is {n} tokens too long for the model's context.").format(n=excess)
            self._text = text
            self.setAccessibleName(text)
            self.setToolTip(text)
            self._elide()
        self.setVisible(bool(size.excess))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        width = self.label.width()
        self.label.setText(self.label.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideMiddle, width))

    def _restyle(self) -> None:
        self.label.setFont(self._theme.font(-1.5))
        self.label.setStyleSheet(f"color: {self._theme.tokens.warn};")
        self._mark.setPixmap(icon_pixmap("alert", self._theme.color("warn"), 16, self.devicePixelRatioF()))
