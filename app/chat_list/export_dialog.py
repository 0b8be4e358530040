"""Which chats to take out, and as what."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.chat_list.export_format import ExportFormat
from app.ui.choice_box import ChoiceBox
from app.ui.quantities import format_count
from engine.store.chat_values import Chat

_IdRole = Qt.ItemDataRole.UserRole


class ExportDialog(QDialog):
    """`export_requested(chat ids, ExportFormat)`."""

    export_requested = Signal(object, object)

    def __init__(self, chats: Sequence[Chat], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Export chats"))
        self.resize(520, 560)
        self.chats = QListWidget()
        self.chats.setObjectName("settingsList")
        self.chats.setAccessibleName(self.tr("Chats"))
        self.chats.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.chats.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        untitled = self.tr("New chat")
        for chat in chats:
            day = datetime.datetime.fromtimestamp(chat.updated_at).astimezone().date()
            date = QLocale().toString(day, QLocale.FormatType.ShortFormat)  # type: ignore[call-overload]
            item = QListWidgetItem(f"{chat.title or untitled} · {date}", self.chats)
            item.setData(_IdRole, chat.id)
            item.setCheckState(Qt.CheckState.Checked)
        self.chats.setCurrentRow(0)
        self.format = ChoiceBox()
        self.format.setAccessibleName(self.tr("Format"))
        for form, words in (
            (ExportFormat.MARKDOWN, self.tr("Markdown, one file for each chat")),
            (ExportFormat.HTML, self.tr("Web page, one file for each chat")),
            (ExportFormat.PDF, self.tr("PDF, one file for each chat")),
            (ExportFormat.JSON, self.tr("JSON with everything, to be imported again")),
        ):
            self.format.addItem(words, form)
        everything, nothing = QPushButton(self.tr("All")), QPushButton(self.tr("None"))
        everything.setAccessibleName(self.tr("Choose all chats"))
        nothing.setAccessibleName(self.tr("Choose none"))
        everything.clicked.connect(lambda: self._tick(Qt.CheckState.Checked))
        nothing.clicked.connect(lambda: self._tick(Qt.CheckState.Unchecked))
        self._count = QLabel()
        self._count.setObjectName("dim")
        above = QHBoxLayout()
        for widget in (everything, nothing):
            above.addWidget(widget)
        above.addStretch(1)
        above.addWidget(self._count)
        self.go, cancel = QPushButton(self.tr("Export…")), QPushButton(self.tr("Cancel"))
        self.go.setDefault(True)
        self.go.clicked.connect(self.accept)
        cancel.clicked.connect(self.reject)
        below = QHBoxLayout()
        below.addStretch(1)
        below.addWidget(cancel)
        below.addWidget(self.go)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addLayout(above)
        column.addWidget(self.chats, 1)
        column.addWidget(self.format)
        column.addLayout(below)
        self.chats.itemChanged.connect(lambda _item: self._show_count())
        self._show_count()

    @property
    def chosen(self) -> tuple[str, ...]:
        """The ids of the ticked chats."""
        items = (self.chats.item(row) for row in range(self.chats.count()))
        return tuple(str(item.data(_IdRole)) for item in items if item.checkState() is Qt.CheckState.Checked)

    def accept(self) -> None:
        self.export_requested.emit(self.chosen, self.format.currentData())
        super().accept()

    def _tick(self, state: Qt.CheckState) -> None:
        self.chats.blockSignals(True)
        for row in range(self.chats.count()):
            self.chats.item(row).setCheckState(state)
        self.chats.blockSignals(False)
        self._show_count()

    def _show_count(self) -> None:
        count = len(self.chosen)
        self._count.setText(
            self.tr("{n} of {total} chosen").format(n=format_count(count), total=format_count(self.chats.count()))
        )
        self.go.setEnabled(count > 0)
