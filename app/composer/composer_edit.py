"""The composer's text field: Enter sends, except when an input method uses it; long pastes become attachments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QKeyEvent, QResizeEvent, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from app.ui.key_filters import PreeditFilter
from app.ui.plain_text import text_height

PASTE_LIMIT = 4_000
"""Characters; a longer paste becomes an attachment."""
_HISTORY_STEPS = {int(Qt.Key.Key_Up): -1, int(Qt.Key.Key_Down): 1}


class ComposerEdit(QPlainTextEdit):
    """Grows with its text up to `set_maximum_height`."""

    submitted = Signal()
    slash_typed = Signal()
    """A slash was typed into the empty field."""
    long_text_pasted = Signal(str)
    files_pasted = Signal(object)
    picture_pasted = Signal(object)
    """The QImage that the clipboard holds instead of text."""
    menu_opened = Signal(object, object)
    """The menu, to be added to, and a cursor at the place that it is for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composerEdit")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(0)
        self.is_enter_send = True
        self.paste_limit = PASTE_LIMIT
        self._history: tuple[str, ...] = ()
        self._history_place: int | None = None
        self._maximum_height = 300
        self.document().documentLayout().documentSizeChanged.connect(lambda _size: self._fit())
        self.textChanged.connect(self._fit)
        self._composition = PreeditFilter(self)

    @property
    def is_composing(self) -> bool:
        """An input method shows text that is not yet committed."""
        return self._composition.is_composing

    def set_history(self, texts: Sequence[str]) -> None:
        """Earlier messages, oldest first, for the Up key in the empty field."""
        self._history, self._history_place = tuple(texts), None

    def set_maximum_height(self, height: int) -> None:
        self._maximum_height = max(height, self._line_height())
        self._fit()

    def set_text(self, text: str) -> None:
        """Replace the text, so that it can be undone, with the cursor at its end."""
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.setTextCursor(cursor)

    def underline(self, places: Iterable[tuple[int, int]], color: QColor) -> None:
        """Put a wavy line under these places alone, each a start and an end in UTF-16 units, as Qt counts."""
        look = QTextCharFormat()
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        look.setUnderlineColor(color)
        marks = []
        for start, end in places:
            mark = QTextEdit.ExtraSelection()
            mark.cursor = QTextCursor(self.document())
            mark.cursor.setPosition(start)
            mark.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            mark.format = look
            marks.append(mark)
        self.setExtraSelections(marks)

    def underlined_at(self, position: int) -> QTextCursor | None:
        """What is underlined at a position, as a selection."""
        for mark in self.extraSelections():
            if mark.cursor.selectionStart() <= position <= mark.cursor.selectionEnd():
                return QTextCursor(mark.cursor)  # A copy: the list, and what is in it, goes away.
        return None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._press_enter(event)
        elif event.key() in _HISTORY_STEPS and self._step_history(_HISTORY_STEPS[event.key()]):
            event.accept()
        else:
            if event.text() == "/" and not self.toPlainText():
                QTimer.singleShot(0, self, self.slash_typed.emit)
            if event.text():
                self._history_place = None
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.menu_opened.emit(menu, self.cursorForPosition(event.pos()))
        menu.popup(event.globalPos())

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasUrls() or source.hasImage() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        paths = [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()]
        if paths:
            self.files_pasted.emit(paths)
        elif source.hasText():
            text = source.text()
            if len(text) > self.paste_limit:
                self.long_text_pasted.emit(text)
            else:
                self.insertPlainText(text)
        elif source.hasImage():
            self.picture_pasted.emit(source.imageData())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _press_enter(self, event: QKeyEvent) -> None:
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        is_forced = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if is_forced or is_shifted != self.is_enter_send:
            self.submitted.emit()
        else:
            self.insertPlainText("\n")
            self.ensureCursorVisible()

    def _step_history(self, step: int) -> bool:
        """Show an older or newer message; False where the key should move the cursor instead."""
        if self._history_place is None and (self.toPlainText() or not self._history or step > 0):
            return False
        place = (len(self._history) if self._history_place is None else self._history_place) + step
        if place < 0:
            return True
        self._history_place = place if place < len(self._history) else None
        self.set_text(self._history[place] if place < len(self._history) else "")
        return True

    def _line_height(self) -> int:
        return self.fontMetrics().lineSpacing()

    def _fit(self) -> None:
        """Take the height of the text."""
        text = max(self._line_height(), math.ceil(text_height(self, self._maximum_height)))
        height = min(text + 4, self._maximum_height)
        if height != self.height():
            self.setFixedHeight(height)

    def sizeHint(self) -> QSize:
        return QSize(400, self._line_height() + 4)
