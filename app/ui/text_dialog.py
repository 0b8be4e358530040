"""Asks for a text, and stays open with it until it is stored."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QShowEvent, QTextCursor
from PySide6.QtWidgets import QInputDialog, QLabel, QLineEdit, QPlainTextEdit, QWidget

from app.ui.announcement import announce
from app.ui.key_filters import PreeditFilter
from app.ui.theme import Theme

translate = QCoreApplication.translate


def ask_text(
    theme: Theme, parent: QWidget, title: str, text: str, store: Callable[[str, Callable[[str], None]], object], *,
    label: str = "", verb: str = "",
) -> None:  # fmt: skip
    """Ask for one line, or with a `label` for a longer text; `verb` is what is done with it.

    `store(text, ended)` calls ended(fault), with an empty text when it is stored.
    """
    dialog = TextDialog(theme, label or title, parent)
    if label:
        dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
    dialog.setWindowTitle(title)
    dialog.setTextValue(text)
    dialog.setOkButtonText(verb or translate("TextDialog", "Save"))
    dialog.setCancelButtonText(translate("TextDialog", "Cancel"))
    dialog.submitted.connect(lambda text: store(text, dialog.end))
    dialog.resize(560 if label else 420, 320 if label else dialog.sizeHint().height())
    dialog.open()  # With its size: it is placed by it.
    if (longer := dialog.findChild(QPlainTextEdit)) is not None:
        longer.moveCursor(QTextCursor.MoveOperation.End)  # Selected, a key would overwrite all of it.


class TextDialog(QInputDialog):
    """`submitted(text)` when the user accepts; whoever stores it calls `end`."""

    submitted = Signal(str)

    def __init__(self, theme: Theme, label: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._name = label
        self.setLabelText(label)
        self._said = self.findChild(QLabel)
        if isinstance(self._said, QLabel):
            self._said.setTextFormat(Qt.TextFormat.PlainText)
        self._is_over = self._is_storing = False
        self.sizeHint()  # Makes its layout.
        if (column := self.layout()) is not None:
            column.setContentsMargins(20, 18, 20, 16)
            column.setSpacing(10)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        for field in (*self.findChildren(QLineEdit), *self.findChildren(QPlainTextEdit)):
            field.setAccessibleName(self._name)
            if isinstance(field, QPlainTextEdit):
                field.setTabChangesFocus(True)
            elif field.findChild(PreeditFilter) is None:
                PreeditFilter(field)

    def done(self, result: int) -> None:
        self._is_over = True
        super().done(result)

    def accept(self) -> None:
        if not self._is_storing:  # A second Enter would store it twice.
            self._is_storing = True
            self.submitted.emit(self.textValue())

    def end(self, fault: str) -> None:
        """The text is stored; or not, and `fault` says why and what to do: then it is still here."""
        self._is_storing = False
        if self._is_over:
            return  # Closed by the user meanwhile.
        if not fault:
            super().accept()
            return
        if isinstance(self._said, QLabel):
            self._said.setWordWrap(True)
            self._said.setStyleSheet(f"color: {self._theme.color('warn').name()}")
        self.setLabelText(fault)
        announce(self, fault)
