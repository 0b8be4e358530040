"""Edits a message where it stands."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from app.theme import Theme
from app.widgets.transcript.controls import TextButton

_PAD, _BAR = 12, 34
_MIN_LINES, _MAX_LINES = 2, 18


class _Input(QPlainTextEdit):
    """Ctrl+Enter submits and Esc cancels; all other keys are the text's."""

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


class Editor(QWidget):
    """A text field with Save and Cancel.

    Signals:
        submitted(text), cancelled(), height_changed().
    """

    submitted = Signal(str)
    cancelled = Signal()
    height_changed = Signal()

    def __init__(self, theme: Theme, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._input = _Input(self)
        self._input.setFrameShape(QFrame.Shape.NoFrame)
        self._input.setFont(theme.font())
        self._input.setStyleSheet("background: transparent")
        self._input.setPlainText(text)
        self._input.setAccessibleName(self.tr("Message text"))
        self._input.moveCursor(QTextCursor.MoveOperation.End)
        self._input.document().documentLayout().documentSizeChanged.connect(self._on_size_changed)
        self._input.submitted.connect(self._submit)
        self._input.cancelled.connect(self.cancelled)
        self._save = TextButton(theme, "", self, color="accent")
        self._save.set_label(self.tr("Save"))
        self._save.setToolTip(self.tr("Ctrl+Enter"))
        self._save.clicked.connect(self._submit)
        self._cancel = TextButton(theme, "", self)
        self._cancel.set_label(self.tr("Cancel"))
        self._cancel.setToolTip(self.tr("Esc"))
        self._cancel.clicked.connect(self.cancelled)

    def take_focus(self) -> None:
        self._input.setFocus()

    def height_hint(self) -> int:
        lines = min(_MAX_LINES, max(_MIN_LINES, round(self._input.document().size().height())))
        return lines * self._input.fontMetrics().lineSpacing() + 2 * _PAD + _BAR

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._input.setGeometry(_PAD, _PAD, self.width() - 2 * _PAD, self.height() - _PAD - _BAR)
        y = self.height() - _BAR + (_BAR - self._save.height()) // 2 - 2
        self._save.move(self.width() - _PAD - self._save.width(), y)
        self._cancel.move(self._save.x() - self._cancel.width() - 6, y)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.color("accent" if self._input.hasFocus() else "line"), 1))
        painter.setBrush(self._theme.color("card"))
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 10, 10)
        painter.end()

    def _submit(self) -> None:
        self.submitted.emit(self._input.toPlainText())

    def _on_size_changed(self) -> None:
        if self.height_hint() != self.height():
            self.height_changed.emit()
