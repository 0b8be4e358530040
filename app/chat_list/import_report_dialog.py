"""What an import brought and what it did not, with characters to keep as presets, and a way back."""

from __future__ import annotations

import functools

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.core.engine_texts import translated
from app.ui.plain_text import plain_tip
from app.ui.quantities import format_count
from app.ui.theme import Theme
from engine.store.exchange.import_report import Character, ImportReport
from engine.translatable import Translatable, joined

_WIDTH = 520
_LIST_HEIGHT = 260
"""A longer list of what was left out is scrolled."""
_CHARACTERS = 6
"""More of them are scrolled."""
_LIST_EDGES = 8
"""Border and padding of the list, above and below."""


class ImportReportDialog(QDialog):
    """Signals: `undo_requested`, `presets_requested(tuple[Character])`."""

    undo_requested = Signal()
    presets_requested = Signal(object)

    def __init__(self, report: ImportReport, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Import"))
        self.setMinimumWidth(_WIDTH)
        self._report = report
        self.summary = QLabel(self._sentences())
        self.summary.setWordWrap(True)
        self.summary.setTextFormat(Qt.TextFormat.PlainText)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addWidget(self.summary)
        if report.problems:
            self._add_list(column, self.tr("What was left out"), report.problems, theme)
        self.characters = QListWidget()
        if report.characters:
            self._add_characters(column, theme)
        row = QHBoxLayout()
        self.undo_button = QPushButton(self.tr("Undo the import"))
        if not report.chat_ids:
            self.undo_button.hide()
        self.undo_button.clicked.connect(self._undo)
        close = QPushButton(self.tr("Keep as presets") if report.characters else self.tr("Close"))
        close.setDefault(True)
        close.clicked.connect(self.accept)
        row.addWidget(self.undo_button)
        row.addStretch(1)
        if report.characters:
            without = QPushButton(self.tr("Close"))
            without.clicked.connect(self.reject)
            row.addWidget(without)
        row.addWidget(close)
        column.addStretch(1)
        column.addSpacing(4)
        column.addLayout(row)
        self.resize(_WIDTH, column.totalHeightForWidth(_WIDTH))  # Qt's own guess wraps the lines earlier.
        close.setFocus()  # Enter must not undo.

    @property
    def chosen(self) -> tuple[Character, ...]:
        """The characters that are ticked."""
        items = (self.characters.item(row) for row in range(self.characters.count()))
        ticked = [item.checkState() is Qt.CheckState.Checked for item in items]
        return tuple(each for each, is_wanted in zip(self._report.characters, ticked, strict=True) if is_wanted)

    def accept(self) -> None:
        if self._report.characters and (chosen := self.chosen):
            self.presets_requested.emit(chosen)
        super().accept()

    def _sentences(self) -> str:
        report, texts = self._report, list[Translatable]()
        messages = self.tr("{n} messages", None, report.n_messages).format(n=format_count(report.n_messages))
        text = self.tr("{n} chats with {messages} were imported.", None, report.n_chats)
        if report.n_chats:
            texts.append(text.format(n=format_count(report.n_chats), messages=messages))
        elif report.characters:
            n = len(report.characters)
            texts.append(self.tr("{n} characters were found.", None, n).format(n=format_count(n)))
        elif report.n_duplicates:
            texts.append(self.tr("Nothing new was imported."))
        else:
            texts.append(self.tr("Nothing was imported."))
        if report.n_duplicates:
            texts.append(self.tr("Here already: {n}.").format(n=format_count(report.n_duplicates)))
        if report.n_skipped:
            texts.append(self.tr("Could not be read: {n}.").format(n=format_count(report.n_skipped)))
        if report.is_cancelled:
            texts.append(self.tr("The import was stopped before its end."))
        return translated(functools.reduce(joined, texts))

    def _add_list(self, column: QVBoxLayout, title: str, lines: tuple[Translatable, ...], theme: Theme) -> None:
        heading = QLabel(title)
        heading.setFont(theme.font(0, is_bold=True))
        column.addWidget(heading)
        place = QWidget()
        inner = QVBoxLayout(place)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(6)
        for line in lines:
            text = QLabel(translated(line))
            text.setWordWrap(True)
            text.setObjectName("dim")
            text.setTextFormat(Qt.TextFormat.PlainText)
            text.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            text.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            inner.addWidget(text)
        if inner.heightForWidth(_WIDTH - 40) <= _LIST_HEIGHT:
            column.addWidget(place)
            return
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFixedHeight(_LIST_HEIGHT)
        scroll.setWidget(place)
        column.addWidget(scroll)

    def _add_characters(self, column: QVBoxLayout, theme: Theme) -> None:
        heading = QLabel(self.tr("Characters, to be kept as presets"))
        heading.setFont(theme.font(0, is_bold=True))
        self.characters.setObjectName("settingsList")
        self.characters.setAccessibleName(heading.text())
        for character in self._report.characters:
            item = QListWidgetItem(character.name, self.characters)
            item.setToolTip(plain_tip(character.system_prompt[:400]))
            item.setCheckState(Qt.CheckState.Checked)
        self.characters.setCurrentRow(0)
        column.addWidget(heading)
        column.addWidget(self.characters)
        self.characters.ensurePolished()
        n_shown = min(_CHARACTERS, self.characters.count())
        self.characters.setFixedHeight(n_shown * self.characters.sizeHintForRow(0) + _LIST_EDGES)

    def _undo(self) -> None:
        self.undo_requested.emit()
        self.reject()
