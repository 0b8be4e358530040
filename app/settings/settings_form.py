"""What every page of the settings is made of: headings, and rows of a label, an editor and what it does."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QAccessibleWidget,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.core.settings_store import SettingPath, SettingsStore
from app.ui.theme import Theme

_LABEL_WIDTH = 176
EDITOR_WIDTH = 236
_SWITCH_HEIGHT = 28
_TYPING_MS = 400


class WheelGuard(QObject):
    """Keeps the wheel for scrolling the page until an editor has the focus."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)


class HintLabel(QLabel):
    """A sentence below an editor, which is said with the editor.

    No label for screen readers: Orca reads all labels that belong to nothing when a dialog opens.
    """

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        _install_accessible_hints()
        super().__init__(text, parent)


class AccessibleHint(QAccessibleWidget):
    def __init__(self, hint: HintLabel) -> None:
        super().__init__(hint, QAccessible.Role.Note)
        self._hint = hint

    def text(self, kind: QAccessible.Text) -> str:
        return self._hint.text() if kind == QAccessible.Text.Name else super().text(kind)


def make_interface(class_name: str, target: QObject) -> QAccessibleInterface | None:
    return AccessibleHint(target) if isinstance(target, HintLabel) else None


@functools.cache
def _install_accessible_hints() -> None:
    QAccessible.installFactory(make_interface)


class SettingsPage(QScrollArea):
    """A page under its title. Every row edits its own settings at once; `Reset` brings the page's defaults back."""

    def __init__(self, store: SettingsStore, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("settingsPage")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.store, self.theme, self.title = store, theme, ""
        self._paths: list[SettingPath] = []
        self._refreshers: list[Callable[[], None]] = []
        self._in_force: dict[str, QLabel] = {}
        self._small: list[QLabel] = []
        self._rows: dict[QWidget, tuple[QWidget, ...]] = {}
        self._hints: dict[QWidget, QLabel] = {}
        self._typing: list[QTimer] = []
        self._half_typed: set[QWidget] = set()
        """Fields whose text is not a setting yet; what they show is left alone."""
        self._headings: list[QLabel] = []
        self._guard = WheelGuard(self)
        body = QWidget()
        body.setObjectName("settingsBody")
        self.setWidget(body)
        self._title = QLabel()
        self.reset_button = QPushButton(self.tr("Reset"))
        self.reset_button.setObjectName("link")
        self.reset_button.setStyleSheet("padding-right: 0;")  # Ends where the fields end.
        self.reset_button.setAccessibleName(self.tr("Reset this page"))
        self.reset_button.setToolTip(self.tr("Bring the defaults of this page back"))
        self.reset_button.clicked.connect(self.reset)
        self.reset_button.hide()
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.reset_button)
        self.column = QVBoxLayout(body)
        self.column.setContentsMargins(4, 22, 18, 22)  # It scrolls to the edge of the window.
        self.column.setSpacing(14)
        self.column.addLayout(head)
        self.grid = QGridLayout()
        self.grid.setHorizontalSpacing(18)
        self.grid.setVerticalSpacing(3)
        self.grid.setColumnMinimumWidth(0, _LABEL_WIDTH)
        self.grid.setColumnStretch(2, 1)
        self.column.addLayout(self.grid)
        self.column.addStretch(1)
        store.changed.connect(self.refresh)
        theme.changed.connect(self.restyle)
        self.restyle()

    # To be used by pages.

    def locate(self, path: SettingPath) -> SettingPath:
        """Where a row's setting lies now; pages of several likewise things put their place in front."""
        return path

    def is_there(self) -> bool:
        """Whether there is something that the rows could show."""
        return True

    def set_title(self, title: str, intro: str = "") -> None:
        """The page's name, and a sentence about the whole of it."""
        self.title = title
        self._title.setText(title)
        self.setAccessibleName(title)
        if intro:
            self.column.insertWidget(1, self._small_label(intro))

    def add_heading(self, text: str) -> None:
        label = QLabel(text)
        label.setContentsMargins(0, 12 if self.grid.count() else 0, 0, 4)
        label.setFont(self.theme.font(0, is_bold=True))
        self._headings.append(label)
        self.grid.addWidget(label, self.grid.rowCount(), 0, 1, 3)

    def add_row(
        self, label: str, editor: QWidget, hint: str = "", *, is_wide: bool = False, is_high: bool = False,
        in_force: str = "",
    ) -> None:  # fmt: skip
        """One row; the label stands in the editor's middle, of one that `is_high` beside its first line.

        `in_force` names a place for what the engine reports beside it.
        """
        row = self.grid.rowCount()
        name = QLabel(label)
        name.setBuddy(editor)
        name.setToolTip(hint)
        name.setWordWrap(True)
        if not editor.accessibleName() and not isinstance(editor, QLabel):
            editor.setAccessibleName(label)
        _describe(editor, hint)
        side = Qt.AlignmentFlag.AlignTop if is_high else Qt.AlignmentFlag.AlignVCenter
        self.grid.addWidget(name, row, 0, side)
        name.setContentsMargins(0, 5 if is_high else 0, 0, 0)
        if is_wide:
            self.grid.addWidget(editor, row, 1, 1, 2)
        else:
            self.grid.addWidget(editor, row, 1, Qt.AlignmentFlag.AlignLeft | side)
        parts = [name, editor]
        if in_force:
            label_in_force = self._small_label("")
            self._in_force[in_force] = label_in_force
            self.grid.addWidget(label_in_force, row, 2)
            parts.append(label_in_force)
        if hint:
            self._hints[editor] = self._in_small(HintLabel(hint))
            self.grid.addWidget(self._hints[editor], row + 1, 1, 1, 2)
            parts.append(self._hints[editor])
        spacer = QWidget()
        spacer.setFixedHeight(7)
        self.grid.addWidget(spacer, row + 2, 0)
        self._rows[editor] = (*parts, spacer)

    def add_note(self) -> QLabel:
        """A sentence among the rows, from the labels on."""
        label = self._small_label("")
        label.setContentsMargins(0, 0, 0, 8)
        self.grid.addWidget(label, self.grid.rowCount(), 0, 1, 3)
        self._rows[label] = (label,)
        return label

    def add_wide(self, widget: QWidget) -> None:
        """Something that takes the places of label and editor."""
        self.grid.addWidget(widget, self.grid.rowCount(), 0, 1, 3)

    def hint(self, editor: QWidget) -> str:
        """What stands below an editor that has a hint."""
        return self._hints[editor].text()

    def set_hint(self, editor: QWidget, hint: str) -> None:
        """Other words below it."""
        self._hints[editor].setText(hint)
        _describe(editor, hint)

    def show_row(self, editor: QWidget, is_shown: bool) -> None:
        """Show or hide a row with all that belongs to it."""
        for part in self._rows[editor]:
            part.setVisible(is_shown)

    def show_part(self, widget: QWidget) -> None:
        """Scroll to something once its new size is known."""
        QTimer.singleShot(0, widget, lambda: self.ensureWidgetVisible(widget, 0, 12))

    def add_switch(self, path: SettingPath, label: str, hint: str = "") -> QCheckBox:
        box = QCheckBox()
        box.setMinimumHeight(_SWITCH_HEIGHT)
        self.bind(box, path, box.setChecked)
        box.toggled.connect(lambda is_on: self.write(is_on, path))
        self.add_row(label, box, hint)
        return box

    def add_choice(
        self,
        paths: SettingPath | tuple[SettingPath, ...],
        label: str,
        choices: Mapping[Any, str],
        hint: str = "",
        in_force: str = "",
    ) -> QComboBox:
        """A choice that sets one setting, or several that have to be equal."""
        all_paths: tuple[SettingPath, ...] = paths if paths and isinstance(paths[0], tuple) else (paths,)  # type: ignore[assignment]
        box = QComboBox()
        box.setFixedWidth(EDITOR_WIDTH)
        for key, words in choices.items():
            box.addItem(words, key)

        keys = list(choices)

        def show(value: object) -> None:
            box.setCurrentIndex(keys.index(value) if value in keys else 0)

        self.bind(box, all_paths[0], show, more=all_paths[1:])
        # Not the box's own data: Qt makes plain texts of enumerations.
        box.activated.connect(lambda index: self.write(keys[index], *all_paths))
        self.add_row(label, box, hint, in_force=in_force)
        return box

    def add_whole(
        self,
        path: SettingPath,
        label: str,
        minimum: int,
        maximum: int,
        hint: str = "",
        *,
        step: int = 1,
        suffix: str = "",
        special: str = "",
        in_force: str = "",
        as_float: bool = False,
    ) -> QSpinBox:
        """A whole number; `special` are the words for the minimum."""
        box = QSpinBox()
        box.setRange(minimum, maximum)
        box.setSingleStep(step)
        box.setSuffix(suffix)
        box.setSpecialValueText(special)
        box.setGroupSeparatorShown(True)
        self.bind(box, path, lambda value: box.setValue(round(value)))
        box.valueChanged.connect(lambda number: self.write(float(number) if as_float else number, path))
        self._prepare_spin(box)
        self.add_row(label, box, hint, in_force=in_force)
        return box

    def add_number(
        self,
        path: SettingPath,
        label: str,
        minimum: float,
        maximum: float,
        hint: str = "",
        *,
        step: float = 0.05,
        decimals: int = 2,
        suffix: str = "",
        special: str = "",
        scale: float = 1.0,
        as_whole: bool = False,
    ) -> QDoubleSpinBox:
        """A number that is shown times `scale`; with `as_whole` the setting itself is a whole number."""
        box = QDoubleSpinBox()
        box.setDecimals(decimals)
        box.setRange(minimum, maximum)
        box.setSingleStep(step)
        box.setSuffix(suffix)
        box.setSpecialValueText(special)
        self.bind(box, path, lambda value: box.setValue(value * scale))

        def write(shown: float) -> None:
            exact = shown / scale
            self.write(round(exact) if as_whole else round(exact, 6), path)

        box.valueChanged.connect(write)
        self._prepare_spin(box)
        self.add_row(label, box, hint)
        return box

    def add_line(self, path: SettingPath, label: str, hint: str = "", *, placeholder: str = "") -> QLineEdit:
        line = QLineEdit()
        line.setPlaceholderText(placeholder)
        self.bind(line, path, line.setText)
        line.editingFinished.connect(lambda: self.write(line.text().strip(), path))
        self.add_row(label, line, hint, is_wide=True)
        return line

    def add_text(self, path: SettingPath, label: str, hint: str = "", *, height: int = 110) -> QPlainTextEdit:
        """A longer text, written when the typing pauses."""
        text = QPlainTextEdit()
        text.setTabChangesFocus(True)
        text.setFixedHeight(height)
        self.bind_text(text, path)
        self.add_row(label, text, hint, is_wide=True, is_high=True)
        return text

    def bind_text(self, text: QPlainTextEdit, path: SettingPath) -> None:
        """Let a text follow a setting, and write it when the typing pauses."""
        pause = QTimer(text)
        pause.setSingleShot(True)
        pause.setInterval(_TYPING_MS)
        pause.timeout.connect(lambda: self.write(text.toPlainText(), path))
        text.textChanged.connect(pause.start)
        self._typing.append(pause)

        def show(value: str) -> None:
            if text.toPlainText() != value and not pause.isActive():
                text.setPlainText(value)

        self.bind(text, path, show)

    def flush(self) -> None:
        """Write what was typed and is still waiting for a pause."""
        for pause in self._typing:
            if pause.isActive():
                pause.stop()
                pause.timeout.emit()

    def bind(
        self, editor: QWidget, path: SettingPath, show: Callable[[Any], object], *, more: tuple[SettingPath, ...] = ()
    ) -> None:
        """Let an editor follow a setting, which also belongs to what Reset resets."""
        editor.setObjectName(".".join(map(str, path)))
        editor.installEventFilter(self._guard)
        editor.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._paths += [path, *more]
        self.reset_button.show()
        if isinstance(editor, QLineEdit | QAbstractSpinBox):
            line = editor if isinstance(editor, QLineEdit) else editor.lineEdit()
            line.textEdited.connect(lambda: self._half_typed.add(editor))
            editor.editingFinished.connect(lambda: self._half_typed.discard(editor))

        def refresh() -> None:
            if editor in self._half_typed or not self.is_there():
                return
            was_blocked = editor.blockSignals(True)
            show(self.store.value(self.locate(path)))
            editor.blockSignals(was_blocked)

        refresh()
        self._refreshers.append(refresh)

    def write(self, value: object, *paths: SettingPath) -> None:
        if self.is_there():
            self.store.set_value(value, *(self.locate(path) for path in paths))

    def show_in_force(self, key: str, text: str) -> None:
        """What the engine reports, beside what was asked for; an empty text where both are the same."""
        label = self._in_force[key]
        label.setText(self.tr("in force: {value}").format(value=text) if text else "")

    def in_force(self, key: str) -> str:
        """The text beside a row."""
        return self._in_force[key].text()

    # For the dialog and tests.

    def editor(self, *path: str | int) -> QWidget:
        """The editor of a setting. Raises KeyError."""
        found = self.findChild(QWidget, ".".join(map(str, path)))
        if not isinstance(found, QWidget):
            raise KeyError(path)
        return found

    def refresh(self) -> None:
        """Show what the settings are now."""
        for each in self._refreshers:
            each()

    def reset(self) -> None:
        self.flush()
        self.store.reset(self.locate(path) for path in self._paths)

    def restyle(self) -> None:
        self._title.setFont(self.theme.font(4, is_bold=True))
        for label in self._headings:
            label.setFont(self.theme.font(0, is_bold=True))
        for label in self._small:
            label.setFont(self.theme.font(-2))

    def _prepare_spin(self, box: QAbstractSpinBox) -> None:
        box.setKeyboardTracking(False)
        box.setFixedWidth(EDITOR_WIDTH)
        # The style sheet's padding is lost on a field without buttons.
        box.lineEdit().setTextMargins(10, 0, 0, 0)

    def _small_label(self, text: str) -> QLabel:
        return self._in_small(QLabel(text))

    def _in_small(self, label: QLabel) -> QLabel:
        label.setObjectName("dim")
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setFont(self.theme.font(-2))
        self._small.append(label)
        return label


def in_row(*widgets: QWidget, wide: QWidget | None = None) -> QWidget:
    """Widgets side by side; the room that they leave goes to `wide`, one of them, or stays empty at the end."""
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    for widget in widgets:
        row.addWidget(widget, int(widget is wide))
    if wide is None:
        row.addStretch(1)
    return holder


def _describe(editor: QWidget, hint: str) -> None:
    """Say what stands below an editor with it, or with each control that it is made of."""
    for part in (editor, *editor.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)):
        if part is editor or (hint and part.focusPolicy() is not Qt.FocusPolicy.NoFocus):
            part.setAccessibleDescription(hint)
