"""Asks for what stands in the blanks of a prompt."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

_FIELD_HEIGHT, _TEXT_TOP = 58, 11
"""Of a field, and where its first line begins: its name stands beside that."""


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
            field = QPlainTextEdit()
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

    def accept(self) -> None:
        self.filled.emit({name: field.toPlainText() for name, field in self.fields.items()})
        super().accept()
