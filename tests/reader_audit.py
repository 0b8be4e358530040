"""What a screen reader or the keyboard cannot do in a window, found through Qt's accessibility interfaces."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QKeyEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QWidget,
)

from app.ui.accessible_announcer import Announcement
from engine.settings import Settings

Role = QAccessible.Role
CONTROLS = {
    Role.Button, Role.ButtonMenu, Role.CheckBox, Role.RadioButton, Role.ComboBox, Role.EditableText, Role.List,
    Role.Slider, Role.SpinBox, Role.PageTabList, Role.Table, Role.ProgressBar, Role.Chart, Role.Graphic,
}  # fmt: skip
FIELDS = {Role.ComboBox, Role.SpinBox, Role.Slider, Role.EditableText}
DEFAULTS = {
    "TextDialog": {"Rename", "Create", "Save"}, "CompareDialog": {"Try", "Cancel"}, "ExportDialog": {"Export…"},
    "ImportReportDialog": {"Close", "Keep as presets"}, "AblationDialog": {"Measure", "Cancel"},
    "PartDialog": {"Attach this part", "Attach all of it"}, "ProgressDialog": {"Stop"}, "PromptDialog": {"Close"},
    "PromptForm": {"Insert"}, "QMessageBox": {"Open"}, "QuantizeDialog": {"Make it"},
}  # fmt: skip
"""The button that Enter presses in a field; no other dialog may have one, but for the settings, which leave Enter."""

_DATA = {"", Settings().default_preset}
"""What is shown as the settings hold it."""

_CHINESE = Path(__file__).resolve().parent.parent / "resources" / "translations" / "firstlight_zh_CN.ts"


def tree(window: QWidget) -> Iterator[QAccessibleInterface]:
    """Everything that can be seen in `window`, as an assistive technology walks it."""
    waiting = [QAccessible.queryAccessibleInterface(window)]
    while waiting:
        interface = waiting.pop()
        yield interface
        children = [interface.child(number) for number in range(interface.childCount())]
        waiting += [child for child in reversed(children) if child is not None and not child.state().invisible]


def name(interface: QAccessibleInterface) -> str:
    return interface.text(QAccessible.Text.Name)


def widgets(window: QWidget) -> list[tuple[QWidget, QAccessibleInterface]]:
    found = [(interface.object(), interface) for interface in tree(window)]
    return [(each, interface) for each, interface in found if isinstance(each, QWidget) and each.isVisible()]


def faults_of_names(window: QWidget) -> list[str]:
    """Controls, items and pictures that are not named, or not by what they are."""
    faults, names = [], Counter[tuple[Role, str]]()
    for interface in tree(window):
        is_item = interface.role() in (Role.MenuItem, Role.PageTab, Role.ColumnHeader, Role.ListItem)
        # A gap between the groups of a list is no item: it cannot be chosen.
        if is_item and not (name(interface) or interface.state().disabled or isinstance(interface.object(), QWidget)):
            faults.append(f"no name: {interface.role()} in {_described(interface.parent())}")
    for widget, interface in widgets(window):
        said, role = name(interface).strip(), interface.role()
        takes_keys = _takes_keys(widget)
        is_picture = role is Role.Graphic and not (widget.parentWidget() and widget.parentWidget().accessibleName())
        if not said and (takes_keys or (role in CONTROLS and (role is not Role.Graphic or is_picture))):
            faults.append(f"no name: {_described(interface)}")
        elif takes_keys and not re.search(r"\w", said):
            faults.append(f"named by a symbol: {_described(interface)}")
        elif isinstance(widget, QAbstractButton) and re.search(r"^\S+\.(svg|png|qss|json)$", said):
            faults.append(f"named by a file: {_described(interface)}")
        shown = widget.text() if isinstance(widget, QLabel) else ""
        if re.search(r"\w", shown) and _squashed(shown) not in _squashed(said):
            faults.append(f"a text that is not said: {shown!r}, but {said!r}")
        is_painted = type(widget).paintEvent is not _painting_of_qt(type(widget))
        if is_painted and role in (Role.Client, Role.Border) and not interface.childCount():
            faults.append(f"a picture without words: {_described(interface)}")
        if takes_keys and isinstance(widget, QAbstractButton):
            names[role, said] += 1
        faults += _faults_of_field(widget, interface) if takes_keys and role in FIELDS else []
    if isinstance(window, QDialog):
        faults += [f"more than one: {said!r}" for (_, said), count in names.items() if count > 1]
        faults += [] if window.windowTitle() else ["a dialog without a title"]
    return faults


def _faults_of_field(widget: QWidget, interface: QAccessibleInterface) -> list[str]:
    labels = [name(label) for label, _ in interface.relations(QAccessible.RelationFlag.Label)]
    if isinstance(widget, QComboBox):  # On Linux its own name is what is chosen in it.
        return [] if any(labels) else [f"a list box without a label: {_described(interface)}"]
    if labels and name(interface) not in labels:
        return [f"labelled {labels}, but named otherwise: {_described(interface)}"]
    return [] if labels or widget.accessibleName() else [f"neither label nor name: {_described(interface)}"]


def faults_of_keys(window: QWidget) -> list[str]:
    """What Tab does not come by or does not leave, where Escape is swallowed, and what Enter would press."""
    faults = []
    wanted = [widget for widget in window.findChildren(QWidget) if _takes_tab(widget, window)]
    start = QApplication.focusWidget()
    if start is None:
        return ["nothing has the focus"] if wanted else []
    seen: list[QWidget] = []
    while len(seen) <= 3 * len(wanted) + 2:  # Messages come and go with the focus.
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        if now is None or now in seen:
            break
        seen.append(now)
    faults += [
        f"Tab does not come by: {_described(QAccessible.queryAccessibleInterface(widget))}"
        for widget in wanted
        if widget not in seen
    ]
    if isinstance(window, QDialog):
        faults += _faults_of_dialog(window, seen)
    start.setFocus()
    return faults


def _faults_of_dialog(dialog: QDialog, stops: list[QWidget]) -> list[str]:
    faults = []
    watch = _EscapeWatch(dialog)
    for stop in stops:
        watch.has_come = False
        stop.setFocus()
        QApplication.sendEvent(stop, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier))
        if not watch.has_come and not isinstance(stop, QKeySequenceEdit):  # Which takes every key as one to be kept.
            faults.append(f"keeps Escape: {_described(QAccessible.queryAccessibleInterface(stop))}")
    dialog.removeEventFilter(watch)
    keys = Counter(
        QKeySequence.mnemonic(button.text()).toString()
        for button in dialog.findChildren(QAbstractButton)
        if button.isVisible()
    )
    faults += [f"a letter for two: {key}" for key, count in keys.items() if key and count > 1]
    return faults


def fault_of_default(dialog: QDialog) -> list[str]:
    """What Enter presses in a field, in English."""
    kind = type(dialog).__name__
    pressed = {each.text() for each in dialog.findChildren(QPushButton) if each.isDefault() and each.isVisible()}
    is_on_button = isinstance(QApplication.focusWidget(), QPushButton)
    if kind == "SettingsDialog" or is_on_button or pressed <= DEFAULTS.get(kind, set()):
        return []
    return [f"Enter would press {pressed} in {kind}"]


class _EscapeWatch(QObject):
    """Sees whether Escape comes to the dialog, and keeps it open."""

    def __init__(self, dialog: QDialog) -> None:
        super().__init__(dialog)
        self.has_come = False
        dialog.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_escape = isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress
        self.has_come = self.has_come or is_escape
        return is_escape


def english_texts(window: QWidget) -> list[str]:
    """Names, descriptions and values that are still in English where a translation is known."""
    kinds = (QAccessible.Text.Name, QAccessible.Text.Description, QAccessible.Text.Value)
    said = {interface.text(kind) for interface in tree(window) for kind in kinds if not _is_own(interface)}
    return sorted(text for text in said if text not in _DATA and _is_english(text))


def told(window: QWidget) -> list[str]:
    """What was said in `window` beside the focus, in its order."""
    return [voice.text for voice in window.findChildren(Announcement)]


def unsaid(window: QWidget, warn: str) -> list[str]:
    """The sentences in the colour of warnings that nobody was told; figures are no sentences."""
    said = {text for each in QApplication.topLevelWidgets() for text in told(each)}
    shown = (each.text() for each in window.findChildren(QLabel) if each.isVisible() and warn in each.styleSheet())
    return [text for text in shown if text.endswith((".", "。")) and not any(text in voice for voice in said)]


def _is_own(interface: QAccessibleInterface) -> bool:
    """What the user or a model wrote, or the name of a thing."""
    return interface.role() in (Role.ListItem, Role.TreeItem, Role.Cell, Role.EditableText)


@functools.cache
def _translated() -> re.Pattern[str]:
    """Every text that has a translation, with anything in its places."""
    patterns = []
    for message in ElementTree.parse(_CHINESE).getroot().iter("message"):
        source, translation = message.findtext("source") or "", message.findtext("translation") or ""
        source = re.sub(r"&(?=\w)", "", source)
        plain = re.sub(r"\{[^}]*\}", "", source)
        if source != translation and re.search(r"[A-Za-z]{3}", plain) and re.search("[\u4e00-\u9fff]", translation):
            patterns.append(".+".join(map(re.escape, re.split(r"\{[^}]*\}", source))))
    return re.compile("|".join(sorted(set(patterns))))


def _is_english(text: str) -> bool:
    return not re.search("[\u4e00-\u9fff]", text) and _translated().fullmatch(text) is not None


def _takes_keys(widget: QWidget) -> bool:
    return widget.focusPolicy() is not Qt.FocusPolicy.NoFocus and widget.isEnabled() and widget.focusProxy() is None


def _takes_tab(widget: QWidget, window: QWidget) -> bool:
    if not (widget.isVisible() and widget.window() is window and _takes_keys(widget)):
        return False
    # Of several buttons that exclude each other Tab comes by one, and the arrow keys by the others.
    is_one_of_many = isinstance(widget, QAbstractButton) and (
        isinstance(widget, QRadioButton) or (widget.group() is not None and widget.group().exclusive())
    )
    is_inner = isinstance(widget, QLineEdit) and isinstance(widget.parentWidget(), QKeySequenceEdit)
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and not is_one_of_many and not is_inner


def _painting_of_qt(kind: type) -> object:
    """How the nearest class of Qt's own paints."""
    return next(each for each in kind.__mro__ if each.__module__.startswith("PySide6")).paintEvent  # type: ignore[attr-defined]


def _squashed(text: str) -> str:
    return re.sub(r"[\s\u2060&]+|<[^>]+>", "", text)


def _described(interface: QAccessibleInterface | None) -> str:
    if interface is None:
        return "nothing"
    widget = interface.object()
    places = []
    while isinstance(widget, QObject) and len(places) < 3:
        places.append(f"{type(widget).__name__}#{widget.objectName()}".rstrip("#"))
        widget = widget.parent()
    return f"{name(interface)!r}, {interface.role().name} {' in '.join(places)}"
