"""Asks for what stands in the blanks of a prompt."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

_FIELD_HEIGHT, _TEXT_TOP = 58, 11
"""Of a field, and where its first line begins: its name stands beside that."""


class _Field(QPlainTextEdit):
    """As where messages are written: Enter is the end of it, Shift+Enter breaks the line."""

    entered = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.entered.emit()
        else:
            super().keyPressEvent(event)


class PromptForm(QDialog):
    """`filled(dict)` with a text for each blank."""

    filled = Signal(object)

    def __init__(self, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Fill in the prompt"))
        self.setMinimumWidth(460)
        form = QFormLayout()
        form.setVerticalSpacing(10)
        self.fields: dict[str, QPlainTextEdit] = {}
        for name in names:
            field = _Field()
            field.entered.connect(lambda field=field: self._on_entered(field))
            field.setToolTip(self.tr("Enter goes on, Shift+Enter breaks the line"))
            field.setTabChangesFocus(True)
            field.setFixedHeight(_FIELD_HEIGHT)
            field.setAccessibleName(name)
            label = QLabel(name)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setBuddy(field)
            label.setAlignment(Qt.AlignmentFlag.AlignTop)
            label.setContentsMargins(0, _TEXT_TOP, 0, 0)
            form.addRow(label, field)
            self.fields[name] = field
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Ok).setText(self.tr("Insert"))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(14)
        column.addLayout(form)
        column.addWidget(buttons)

    def _on_entered(self, field: QPlainTextEdit) -> None:
        """To the next blank, or insert after the last."""
        fields = list(self.fields.values())
        following = fields[fields.index(field) + 1 :]
        if following:
            following[0].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            self.accept()

    def accept(self) -> None:
        self.filled.emit({name: field.toPlainText() for name, field in self.fields.items()})
        super().accept()
