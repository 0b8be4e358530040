"""Edits a message where it stands."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QWidget

from app.transcript.text_button import TextButton
from app.ui.announcement import announce
from app.ui.key_filters import EscapeFilter
from app.ui.plain_text import text_height
from app.ui.theme import Theme

_PAD, _BAR = 12, 34
_MIN_LINES, _MAX_LINES = 2, 18


class _Input(QPlainTextEdit):
    """Ctrl+Enter submits, and Esc cancels; all other keys are the text's."""

    submitted = Signal()
    cancelled = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.submitted.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)


class MessageEditor(QWidget):
    """A text field with Cancel and what is done with the text: `verb` says it.

    After `submitted` it waits: whoever stores the text takes the editor away, or gives it back with set_fault().

    Signals:
        submitted(text), cancelled(), height_changed().
    """

    submitted = Signal(str)
    cancelled = Signal()
    height_changed = Signal()

    def __init__(self, theme: Theme, text: str, verb: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._input = _Input(self)
        self._input.setFrameShape(QFrame.Shape.NoFrame)
        self._input.setFont(theme.font())
        self._input.setStyleSheet("background: transparent; border: none; padding: 0")
        self._input.setPlainText(text)
        self._input.setTabChangesFocus(True)
        self._input.setAccessibleName(self.tr("Message text"))
        self._input.moveCursor(QTextCursor.MoveOperation.End)
        self._input.document().documentLayout().documentSizeChanged.connect(self._on_size_changed)
        self._input.submitted.connect(self._submit)
        self._input.cancelled.connect(self._escape)
        EscapeFilter(self._input)
        self._save = TextButton(theme, "", self, color="accent")
        self._save.set_label(verb)
        self._save.setToolTip(self.tr("Ctrl+Enter"))
        self._hint = QLabel(self.tr("Ctrl+Enter: {verb}").format(verb=verb), self)
        self._hint.setFont(theme.font(-2))
        self._hint.setStyleSheet(f"color: {theme.color('faint').name()}")
        self._save.clicked.connect(self._submit)
        self._cancel = TextButton(theme, "", self)
        self._cancel.set_label(self.tr("Cancel"))
        self._cancel.setToolTip(self.tr("Esc"))
        self._cancel.clicked.connect(self.cancelled)

        self._fault = QLabel(self)
        self._fault.setWordWrap(True)
        self._fault.setTextFormat(Qt.TextFormat.PlainText)
        self._fault.setContentsMargins(3, 0, 3, 0)  # In line with the text above it.
        self._fault.hide()

    def set_fault(self, fault: str) -> None:
        """The text could not be stored: say why and what to do, and let it be submitted again."""
        self._save.setEnabled(True)
        self._fault.setFont(self._theme.font(-1))
        self._fault.setStyleSheet(f"color: {self._theme.color('warn').name()}")
        self._fault.setText(fault)
        self._fault.show()
        self._place()
        self.height_changed.emit()
        announce(self, fault)

    def take_focus(self) -> None:
        self._input.setFocus()

    def height_hint(self) -> int:
        line = self._input.fontMetrics().lineSpacing()
        text = max(_MIN_LINES * line, math.ceil(text_height(self._input, _MAX_LINES * line)))
        return text + 2 * _PAD + _BAR + self._fault_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def _place(self) -> None:
        width, fault = self.width() - 2 * _PAD, self._fault_height()
        self._input.setGeometry(_PAD, _PAD, width, self.height() - _PAD - _BAR - fault)
        self._fault.setGeometry(_PAD, self.height() - _BAR - fault, width, fault)
        y = self.height() - _BAR + (_BAR - self._save.height()) // 2 - 2
        self._save.move(self.width() - _PAD - self._save.width(), y)
        self._cancel.move(self._save.x() - self._cancel.width() - 6, y)
        self._hint.adjustSize()
        self._hint.move(_PAD + 3, y + (self._save.height() - self._hint.height()) // 2)
        self._hint.setVisible(self._hint.geometry().right() < self._cancel.x())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.color("accent" if self._input.hasFocus() else "line"), 1))
        painter.setBrush(self._theme.color("card"))
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 10, 10)
        painter.end()

    def _submit(self) -> None:
        if self._save.isEnabled():
            self._save.setEnabled(False)
            self.submitted.emit(self._input.toPlainText())

    def _escape(self) -> None:
        """Leave an unchanged text; for a changed one a second key, on Cancel, has to say so."""
        if self._input.document().isModified():
            self._cancel.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self.cancelled.emit()

    def _fault_height(self) -> int:
        width = self.width() - 2 * _PAD
        return self._fault.heightForWidth(width) + _PAD // 2 if self._fault.text() else 0

    def _on_size_changed(self) -> None:
        if self.height_hint() != self.height():
            self.height_changed.emit()
