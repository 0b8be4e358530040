"""The settings: pages of labelled fields; every change takes effect at once and can be reset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.settings_fields import SettingField, SettingPage, value_at, with_value
from app.theme import Theme
from engine.settings import Settings

_EDITOR_WIDTH = 200
_INSETS = (7, 0, 7, 0)


class SettingsDialog(QDialog):
    """`changed(Settings)` after every change."""

    changed = Signal(object)

    def __init__(
        self,
        theme: Theme,
        settings: Settings,
        pages: Sequence[SettingPage],
        *,
        places: Sequence[tuple[str, Path]],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Settings"))
        self.resize(QSize(760, 560))
        self._theme, self._settings = theme, settings
        self._show: list[Callable[[], None]] = []
        self._list = QListWidget(self)
        self._list.setObjectName("sections")
        self._list.setAccessibleName(self.tr("Sections"))
        self._list.setFixedWidth(150)
        self._list.setFont(theme.font())
        self._stack = QStackedWidget(self)
        for page in pages:
            self._add(page.title, self._page(page))
        self._add(self.tr("Data"), self._data_page(places))
        self._list.currentRowChanged.connect(self._stack.setCurrentIndex)
        self._list.setCurrentRow(0)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 14, 14, 14)
        row.setSpacing(14)
        row.addWidget(self._list)
        row.addWidget(self._stack, 1)

    @property
    def settings(self) -> Settings:
        return self._settings

    def editor(self, *path: str | int) -> QWidget:
        """The editor of one setting."""
        found = self.findChild(QWidget, ".".join(map(str, path)))
        if not isinstance(found, QWidget):
            raise KeyError(path)
        return found

    def _add(self, title: str, page: QWidget) -> None:
        self._list.addItem(title)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self._stack.addWidget(scroll)
        scroll.setWidget(page)
        for child in page.findChildren(QWidget):
            # The style sheet changes sizes: pages that are not shown yet would be laid out without it.
            child.ensurePolished()
            child.updateGeometry()

    def _page(self, page: SettingPage) -> QWidget:
        widget = QWidget()
        column = QVBoxLayout(widget)
        column.setContentsMargins(4, 4, 14, 4)
        column.setSpacing(14)
        for setting in page.fields:
            column.addLayout(self._row(setting))
        reset = QPushButton(self.tr("Reset this page"))
        reset.setObjectName("plain")
        reset.setAccessibleName(self.tr("Reset {page}").format(page=page.title))
        reset.clicked.connect(lambda: self._reset(page))
        column.addStretch(1)
        column.addWidget(reset, 0, Qt.AlignmentFlag.AlignRight)
        return widget

    def _row(self, setting: SettingField) -> QVBoxLayout:
        """The label and its editor side by side, a long text under its label, and what it does below."""
        editor = self._editor(setting)
        editor.setObjectName(".".join(map(str, setting.path)))
        editor.setAccessibleName(setting.label)
        editor.setAccessibleDescription(setting.hint)
        label = QLabel(setting.label)
        label.setBuddy(editor)
        block = QVBoxLayout()
        block.setSpacing(4)
        if isinstance(editor, QPlainTextEdit):
            block.addWidget(label)
            block.addWidget(editor)
        else:
            line = QHBoxLayout()
            line.addWidget(label, 1)
            if not isinstance(editor, QCheckBox):
                editor.setFixedWidth(_EDITOR_WIDTH)
            line.addWidget(editor)
            block.addLayout(line)
        if setting.hint:
            hint = QLabel(setting.hint)
            hint.setObjectName("faint")
            hint.setFont(self._theme.font(-2))
            block.addWidget(hint)
        return block

    def _editor(self, setting: SettingField) -> QWidget:
        value = value_at(self._settings, setting.path)
        if setting.choices:
            return self._choice(setting)
        if isinstance(value, bool):
            box = QCheckBox()
            self._bind(setting, box.setChecked)
            box.toggled.connect(lambda is_on: self._set(setting, is_on))
            return box
        if isinstance(value, int):
            whole = QSpinBox()
            whole.lineEdit().setTextMargins(*_INSETS)
            whole.setRange(int(setting.minimum), int(setting.maximum))
            self._bind(setting, whole.setValue)
            whole.valueChanged.connect(lambda number: self._set(setting, number))
            return whole
        if isinstance(value, float):
            number = QDoubleSpinBox()
            number.lineEdit().setTextMargins(*_INSETS)
            number.setDecimals(3 if setting.step < 0.1 else 1)
            number.setRange(setting.minimum, setting.maximum)
            number.setSingleStep(setting.step)
            self._bind(setting, number.setValue)
            number.valueChanged.connect(lambda amount: self._set(setting, amount))
            return number
        text = QPlainTextEdit()
        text.setTabChangesFocus(True)
        text.setFixedHeight(110)
        self._bind(setting, text.setPlainText)
        text.textChanged.connect(lambda: self._set(setting, text.toPlainText()))
        return text

    def _choice(self, setting: SettingField) -> QComboBox:
        box = QComboBox()
        for key, words in setting.choices.items():
            box.addItem(words, key)
        self._bind(setting, lambda value: box.setCurrentIndex(max(0, box.findData(value))))
        box.currentIndexChanged.connect(lambda _index: self._set(setting, box.currentData()))
        return box

    def _data_page(self, places: Sequence[tuple[str, Path]]) -> QWidget:
        widget = QWidget()
        form = QFormLayout(widget)
        form.setVerticalSpacing(10)
        for title, path in places:
            label = QLabel(str(path))
            label.setWordWrap(True)
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            form.addRow(title, label)
        return widget

    def _bind(self, setting: SettingField, show: Callable[[Any], object]) -> None:
        def refresh() -> None:
            show(value_at(self._settings, setting.path))

        refresh()
        self._show.append(refresh)

    def _set(self, setting: SettingField, value: object) -> None:
        changed = with_value(self._settings, setting.path, value)
        if changed != self._settings:
            self._settings = changed
            self.changed.emit(changed)

    def _reset(self, page: SettingPage) -> None:
        defaults = Settings()
        changed = self._settings
        for setting in page.fields:
            # Every preset has the defaults of the first.
            path = tuple(0 if isinstance(step, int) else step for step in setting.path)
            changed = with_value(changed, setting.path, value_at(defaults, path))
        self._settings = changed
        for refresh in self._show:
            refresh()
        self.changed.emit(changed)
