"""What an empty chat shows: one quiet sentence about the model, and a few ways to begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.models.model_status import ModelState, ModelStatus
from app.ui.icon_button import IconButton
from app.ui.plain_text import plain_tip
from app.ui.quantities import format_bytes
from app.ui.theme import Theme

if TYPE_CHECKING:
    from engine.protocol import CatalogEntry

_GAP = "\u2009"
"""More room between a button's icon and its text than the style leaves."""


class Welcome(QWidget):
    """`prompt_chosen(text)` puts a text into the composer; `models_requested` opens the list of models.

    `recommendation_chosen(repo)` when the recommended model is wanted.
    """

    prompt_chosen = Signal(str)
    models_requested = Signal()
    recommendation_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title = QLabel(self.tr("What would you like to know?"), self)
        self._line = QLabel(self)
        self._line.setObjectName("dim")
        self._hardware = QLabel(self)
        self._hardware.setObjectName("faint")
        self._hardware.hide()
        for label in (self._title, self._line, self._hardware):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self._prompts = QHBoxLayout()
        self._prompts.setSpacing(8)
        self._prompts.addStretch(1)
        for text, prompt in (
            (self.tr("Explain something"), self.tr("Explain how a KV cache makes a language model faster.")),
            (self.tr("Write a letter"), self.tr("Write a short letter to my landlord about a broken heater.")),
            (self.tr("Write code"), self.tr("Write a Python function that finds ISO dates in a text.")),
        ):
            button = IconButton(theme, "", text, kind="plain", size_delta=-1, parent=self)
            button.setToolTip(prompt)
            button.clicked.connect(lambda _checked=False, prompt=prompt: self.prompt_chosen.emit(prompt))
            self._prompts.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        self._prompts.addStretch(1)
        self._models = IconButton(theme, "models", _GAP + self.tr("Choose a model"), kind="plain", parent=self)
        self._models.setAccessibleName(self.tr("Choose a model"))
        self._models.clicked.connect(self.models_requested)
        self.recommended_repo = ""
        self.recommended = IconButton(
            theme, "models", "", kind="plain", color="accent", name=self.tr("Recommended model"), parent=self
        )
        self.recommended.clicked.connect(lambda: self.recommendation_chosen.emit(self.recommended_repo))
        self.recommended.hide()
        column = self._column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addStretch(5)
        column.addWidget(self._title)
        column.addWidget(self._line)
        self._found, self._ways = QWidget(self), QWidget(self)
        found = QVBoxLayout(self._found)
        found.setContentsMargins(0, 0, 0, 0)
        found.setSpacing(10)
        found.addWidget(self._hardware)
        found.addWidget(self.recommended, 0, Qt.AlignmentFlag.AlignHCenter)
        self._ways.setLayout(self._prompts)
        self._prompts.setContentsMargins(0, 10, 0, 0)
        column.addWidget(self._found)
        column.addWidget(self._models, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self._ways)
        column.addStretch(6)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self.set_status(ModelStatus())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """In a low window what matters less goes, before anything is cut off; in a narrow one prompts form a column."""
        buttons = self._ways.findChildren(IconButton)
        margins = self._column.contentsMargins()
        width = self.width() - margins.left() - margins.right()
        needed = sum(button.sizeHint().width() + self._prompts.spacing() for button in buttons)
        is_wide = needed <= width
        self._prompts.setDirection(QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom)
        room = self.height() - margins.top() - margins.bottom()
        for part in (self._title, self._line, self._models, self._found, self._ways):
            is_optional = part in (self._found, self._ways)
            if is_optional or not part.isHidden():
                height = part.heightForWidth(width) if part.hasHeightForWidth() else part.sizeHint().height()
                room -= height + self._column.spacing()
            if is_optional:
                part.setHidden(room < 0)

    def set_hardware(self, sentence: str) -> None:
        """Say what a first start has found."""
        self._hardware.setText(sentence)
        self._hardware.show()
        self._fit()

    def set_recommendation(self, entry: CatalogEntry, reason: str) -> None:
        """Offer the model that suits this computer best."""
        self.recommended_repo = entry.repo
        text = _GAP + self.tr("Recommended here: {name}, {size}")
        self.recommended.setText(text.format(name=entry.name, size=format_bytes(entry.size_bytes)))
        self.recommended.setToolTip(plain_tip(reason))
        self.recommended.show()
        self._fit()

    @property
    def hardware(self) -> str:
        return self._hardware.text()

    def set_status(self, status: ModelStatus) -> None:
        """Say which model will answer."""
        self._models.setVisible(status.state in (ModelState.COLD, ModelState.FAILED))
        known = status.effective
        if status.state is ModelState.LOADING:
            self._line.setText(self.tr("{name} is being loaded. You can write already.").format(name=status.name))
        elif status.state is ModelState.FAILED:
            self._line.setText(self.tr("No model is loaded."))  # Why, the bar over the chat says.
        elif known is not None:
            text = self.tr("{name} answers {where}. Nothing leaves it.")
            if known.model_bytes:
                text = self.tr("{name} ({size}) answers {where}. Nothing leaves it.")
            size, where = format_bytes(known.model_bytes), self.tr("on this computer")
            self._line.setText(text.format(name=status.name, size=size, where=where))
        else:
            self._line.setText(self.tr("No model is loaded yet."))
        self._fit()

    def _on_theme_changed(self) -> None:
        self._title.setFont(self._theme.font(8, is_bold=True))
        self._line.setFont(self._theme.font())
        self._hardware.setFont(self._theme.font(-1))
        self._fit()
