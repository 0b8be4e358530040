"""A list to choose from by typing: the command palette, the model picker, and the prompt library use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QFontMetricsF, QKeyEvent, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.ui.announcement import announce
from app.ui.key_filters import PreeditFilter
from app.ui.theme import Theme

_EntryRole = Qt.ItemDataRole.UserRole + 1
ROW_HEIGHT = 36
MAX_ROWS = 9


@dataclass(frozen=True, slots=True)
class Entry:
    """One choice: `detail` is shown dim on the right, `is_current` marks what is in use; `also` is searched too."""

    key: str
    text: str
    detail: str = ""
    is_current: bool = False
    is_enabled: bool = True
    also: str = ""


class _EntryDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(100, ROW_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        entry = index.data(_EntryRole)
        if not isinstance(entry, Entry):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.color("accent_soft"))
            painter.drawRoundedRect(area.adjusted(0, 1, 0, -1), 7, 7)
        box = area.adjusted(12, 0, -12, 0)
        font = self._theme.font()
        detail_font = self._theme.font(-2)
        detail_width = min(QFontMetricsF(detail_font).horizontalAdvance(entry.detail) + 2, box.width() * 0.6)
        painter.setFont(font)
        painter.setPen(self._theme.color("ink" if entry.is_enabled else "faint"))
        text_box = box.adjusted(16 if entry.is_current else 0, 0, -detail_width - 12, 0)
        if entry.is_current:
            painter.save()
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.color("good"))
            painter.drawEllipse(QRectF(box.left(), box.center().y() - 3.5, 7, 7))
            painter.restore()
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
        elide = Qt.TextElideMode.ElideMiddle
        painter.drawText(text_box, align, QFontMetricsF(font).elidedText(entry.text, elide, text_box.width()))
        painter.setFont(detail_font)
        painter.setPen(self._theme.color("faint"))
        detail_box = QRectF(box.right() - detail_width, box.top(), detail_width, box.height())
        detail = QFontMetricsF(detail_font).elidedText(entry.detail, elide, detail_width)
        painter.drawText(detail_box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignTrailing, detail)
        painter.restore()


class CommandPalette(QFrame):
    """Lies over the window with a field and a list. `chosen(key)` closes it; so do Escape and a click elsewhere."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, placeholder: str, window: QWidget, *, max_rows: int = MAX_ROWS) -> None:
        super().__init__(window)
        self._window, self._max_rows = window, max_rows
        self.setObjectName("palette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._before = window.focusWidget()
        self._theme = theme
        self._entries: tuple[Entry, ...] = ()
        self.setFont(theme.font())
        self.field = QLineEdit(self)
        self.field.setObjectName("paletteField")
        self.field.setPlaceholderText(placeholder)
        self.field.setAccessibleName(placeholder)
        self.field.setFont(theme.font(1))
        self.field.textChanged.connect(self._filter)
        self.field.installEventFilter(self)
        PreeditFilter(self.field)
        self._model = QStandardItemModel(self)
        self.list = QListView(self)
        self.list.setModel(self._model)
        self.list.setItemDelegate(_EntryDelegate(theme, self.list))
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setAccessibleName(placeholder)
        self.list.entered.connect(self.list.setCurrentIndex)
        self.list.clicked.connect(lambda _index: self._choose())
        self._empty = QLabel(self.tr("Nothing matches."), self)
        self._empty.setObjectName("faint")
        self._empty.setContentsMargins(12, 0, 12, 0)
        self._empty.setFixedHeight(ROW_HEIGHT)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 2, 6, 6)
        column.setSpacing(4)
        for widget in (self.field, self._empty, self.list):
            column.addWidget(widget)
        self.setFixedWidth(520)

    def set_entries(self, entries: Sequence[Entry]) -> None:
        self._entries = tuple(entries)
        self._filter(self.field.text())

    def open_at(self, position: QPoint, *, is_bottom: bool = False) -> None:
        """Show it with its top (or bottom) left corner at a position of the window, within the window."""
        self._filter("")
        self.adjustSize()
        area = self._window.rect().adjusted(8, 8, -8, -8)
        top = position.y() - self.height() if is_bottom else position.y()
        x = max(area.left(), min(position.x(), area.right() - self.width()))
        self.move(x, max(area.top(), min(top, area.bottom() - self.height())))
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)
        self._say_current()

    def open_over(self) -> None:
        """Show it in the upper middle of the window."""
        left = (self._window.width() - self.width()) // 2
        self.open_at(QPoint(left, max(60, self._window.height() // 8)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            steps = {
                int(Qt.Key.Key_Down): 1,
                int(Qt.Key.Key_Up): -1,
                int(Qt.Key.Key_PageDown): 8,
                int(Qt.Key.Key_PageUp): -8,
            }
            if event.key() in steps:
                self._move(steps[event.key()])
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.close()
                return True
        is_override = event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()  # Escape is this list's here, not the window's.
            return True
        if watched is self.field and event.type() == QEvent.Type.FocusOut and not self.underMouse():
            self.close()
        return super().eventFilter(watched, event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._before is not None and self.field.hasFocus():
            self._before.setFocus(Qt.FocusReason.PopupFocusReason)
        super().closeEvent(event)

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        self._model.clear()
        current, has_current = 0, False
        for entry in self._matching(words):
            item = QStandardItem(f"{entry.text} {entry.detail}".strip())
            item.setData(entry, _EntryRole)
            item.setAccessibleText(self._spoken(entry))
            item.setEnabled(entry.is_enabled)
            if entry.is_current and not words and not has_current:
                current, has_current = self._model.rowCount(), True
            self._model.appendRow(item)
        self.list.setCurrentIndex(self._model.index(current, 0))
        count = self._model.rowCount()
        self._empty.setVisible(not count)
        self.list.setVisible(bool(count))
        self.list.setFixedHeight(min(count, self._max_rows) * ROW_HEIGHT + 2)
        if self.isVisible():
            self.adjustSize()
            self._say_current()

    def _move(self, step: int) -> None:
        """Over what cannot be chosen: the list would not go there, nor past it."""
        last, at = self._model.rowCount() - 1, self.list.currentIndex().row()
        wanted, way = max(0, min(last, at + step)), 1 if step > 0 else -1
        rows = (*range(wanted, last + 1 if way > 0 else -1, way), *range(wanted, at, -way))
        can_go = (row for row in rows if row <= last and self._model.item(row).isEnabled())
        self.list.setCurrentIndex(self._model.index(next(can_go, at), 0))
        self._say_current()

    def _say_current(self) -> None:
        """The focus stays in the field: nobody else would say what Enter takes."""
        said = self.list.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole)
        announce(self, said or self._empty.text())

    def _spoken(self, entry: Entry) -> str:
        states = [self.tr("in use")] if entry.is_current else []
        states += [] if entry.is_enabled else [self.tr("not available")]
        return ", ".join(part for part in (entry.text, entry.detail, *states) if part)

    def _matching(self, words: Sequence[str]) -> list[Entry]:
        """Those with all the words, first where they can be seen."""
        seen, found = [], []
        for entry in self._entries:
            said = f"{entry.text} {entry.detail}".casefold()
            if all(word in said for word in words):
                seen.append(entry)
            elif all(word in f"{said} {entry.also.casefold()}" for word in words):
                found.append(entry)
        return seen + found

    def _choose(self) -> None:
        entry = self.list.currentIndex().data(_EntryRole)
        if isinstance(entry, Entry) and entry.is_enabled:
            self.close()
            self.chosen.emit(entry.key)
