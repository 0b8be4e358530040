"""Find in chat: a bar over the transcript with a field, the number of matches, and the ways to the next."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QWidget

from app.ui.announcement import announce
from app.ui.icon_button import IconButton
from app.ui.key_filters import EscapeFilter, PreeditFilter
from app.ui.quantities import format_count
from app.ui.theme import Theme

_TYPING_MS = 120


class FindBar(QFrame):
    """A line that is hidden until it is opened.

    Signals: `text_changed(str)` when the typing pauses, `next_requested`, `previous_requested`, `closed`.
    """

    text_changed = Signal(str)
    next_requested = Signal()
    previous_requested = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("noticeBar")
        self._theme = theme
        self.field = QLineEdit()
        self.field.setFixedWidth(220)
        self.field.setPlaceholderText(self.tr("Find in this chat"))
        self.field.setAccessibleName(self.tr("Find in this chat"))
        self.field.installEventFilter(self)
        PreeditFilter(self.field)
        self._count = QLabel()
        self._count.setObjectName("dim")
        self._count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        previous = IconButton(theme, "chevron_up", name=self.tr("Previous match"))
        following = IconButton(theme, "chevron_down", name=self.tr("Next match"))
        close = IconButton(theme, "close", name=self.tr("Close"))
        previous.setToolTip(self.tr("Previous match (Shift+Enter)"))
        following.setToolTip(self.tr("Next match (Enter)"))
        previous.clicked.connect(self.previous_requested)
        following.clicked.connect(self.next_requested)
        close.clicked.connect(self.close_bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(22, 7, 14, 7)
        row.setSpacing(4)
        row.addStretch(1)
        for widget in (self.field, self._count, previous, following, close):
            row.addWidget(widget)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._typing.timeout.connect(lambda: self.text_changed.emit(self.field.text()))
        self.field.textChanged.connect(self._typing.start)
        EscapeFilter(self)
        theme.changed.connect(self._take_font)
        self._take_font()
        self.hide()

    @property
    def count_text(self) -> str:
        return self._count.text()

    def open_bar(self) -> None:
        """Show the bar, ready for typing; what was looked for last is selected."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()
        if self.field.text():
            self.text_changed.emit(self.field.text())

    def close_bar(self) -> None:
        if self.isVisible():
            self._typing.stop()
            self.hide()
            self.closed.emit()

    def set_count(self, current: int, total: int) -> None:
        """Which of how many matches is shown, counted from 1; 0 of 0 for none."""
        if not self.field.text():
            text = ""
        elif not total:
            text = self.tr("nothing found")
        else:
            text = self.tr("{n} of {total}").format(n=format_count(current), total=format_count(total))
        if text != self._count.text():
            announce(self, text)
        self._count.setText(text)
        self.field.setAccessibleDescription(text)

    def _take_font(self) -> None:
        """The field stays in its place, whatever the count says."""
        self._count.setFont(self._theme.font(-1))
        self._count.setMinimumWidth(self._count.fontMetrics().horizontalAdvance(self.tr("nothing found")) + 12)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            return self._on_key(event)
        return super().eventFilter(watched, event)

    def _on_key(self, event: QKeyEvent) -> bool:
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                if self._typing.isActive():
                    self._typing.stop()
                    self.text_changed.emit(self.field.text())
                elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                    self.previous_requested.emit()
                else:
                    self.next_requested.emit()
            case Qt.Key.Key_Down:
                self.next_requested.emit()
            case Qt.Key.Key_Up:
                self.previous_requested.emit()
            case _:
                return False
        return True
