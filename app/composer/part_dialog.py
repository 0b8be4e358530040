"""Which part of a long attachment the model is given: a look into it, and a choice when it is too long."""

from __future__ import annotations

import enum
import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.composer.range_map import RangeMap
from app.composer.text_part import Cuts, TokenCurve, Unit, from_beginning, to_end
from app.ui.announcement import announce
from app.ui.choice_box import ChoiceBox
from app.ui.quantities import format_count
from app.ui.theme import Theme
from engine.store.chat_values import Attachment

EXCERPT = 1_200
"""Characters that are shown of the part's beginning and end."""
_MIN_WIDTH, _MARGIN = 560, 22
MAX_INSERTED = 1_500_000
"""Characters; writing more into the message would hold up the window for longer than one notices."""


class PartChoice(enum.Enum):
    ALL = 0
    BEGINNING = 1
    END = 2
    RANGE = 3


class PartDialog(QDialog):
    """Signals: `part_chosen(Attachment)` with the part, `insert_requested` to write the part into the message,
    `range_changed(start, end)` when another part is to be counted, in characters.
    """

    part_chosen = Signal(object)
    insert_requested = Signal(str)
    range_changed = Signal(int, int)

    def __init__(
        self, theme: Theme, attachment: Attachment, n_tokens: float, room: float, parent: QWidget | None = None
    ) -> None:
        """`n_tokens` of the whole text, as far as known, and `room` for it beside the rest of the message: infinite
        while nothing is known of it.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("partDialog")
        self.setWindowTitle(attachment.name)
        self.resize(660, 470)
        self._theme, self.attachment, self.room = theme, attachment, room
        self.curve = TokenCurve(len(attachment.text), n_tokens)
        self._cuts = Cuts(attachment.text, attachment.pages)
        self._choice = PartChoice.ALL
        self._range = (0, self._cuts.n_units)
        self._exact: int | None = None
        self._margin = 1.0
        self._build()
        self.map.set_text(attachment.text, attachment.pages)
        part = attachment.part
        if part is not None:
            self._choice = PartChoice.RANGE
            self._range = self._cuts.unit_at(part[0]), self._cuts.unit_at(max(part[0], part[1] - 1)) + 1
        elif n_tokens > room:
            self._choice = PartChoice.BEGINNING
        self._buttons.button(self._choice.value).setChecked(True)
        self._apply()
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def part(self) -> tuple[int, int]:
        """The chosen characters, from and to."""
        return self._cuts.place(self._range[0]), self._cuts.place(self._range[1])

    @property
    def n_tokens(self) -> float:
        """Tokens of the chosen part: exact once they are counted."""
        return self.curve.between(*self.part) if self._exact is None else self._exact

    def curve_refined(self) -> None:
        """The curve knows more now: fit the part anew where it follows the room, and show its tokens."""
        self._apply()

    def set_exact(self, part: tuple[int, int], n_tokens: int) -> None:
        """The count of a part; one that was to fit and does not is made smaller."""
        if part != self.part:
            return
        self._exact = n_tokens
        is_fitted = self._choice in (PartChoice.BEGINNING, PartChoice.END) and self._range[1] - self._range[0] > 1
        if is_fitted and n_tokens > self.room > 0:
            self._margin *= self.room / n_tokens * 0.995
            self._apply()
        else:
            self._show()

    def accept(self) -> None:
        whole = (0, len(self.attachment.text))
        self.part_chosen.emit(self.part if self.part != whole else None)
        super().accept()

    def _build(self) -> None:
        self._title, self._facts = QLabel(self.attachment.name), QLabel()
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._facts.setObjectName("dim")
        self.map = RangeMap(self._theme)
        self.map.range_dragged.connect(self._on_dragged)
        self.first, self.last = QSpinBox(), QSpinBox()
        self.unit = ChoiceBox()
        for unit, words in (
            (Unit.PAGE, self.tr("Pages")), (Unit.LINE, self.tr("Lines")), (Unit.SECTION, self.tr("Sections")),
        ):  # fmt: skip
            if unit is self._cuts.unit or (unit is Unit.LINE and self.attachment.pages):
                self.unit.addItem(words, unit)
        self.unit.setAccessibleName(self.tr("Cut between"))
        self.unit.activated.connect(self._on_unit)
        self.first.setAccessibleName(self.tr("From"))
        self.last.setAccessibleName(self.tr("To"))
        self._to, self._of, self._count = QLabel(self.tr("to")), QLabel(), QLabel()
        self._of.setObjectName("dim")
        for box in (self.first, self.last):
            box.setGroupSeparatorShown(True)
            box.setKeyboardTracking(False)
            box.setMinimumWidth(84)
            # The style sheet's padding is lost on a field without buttons.
            box.lineEdit().setTextMargins(7, 0, 0, 0)
            box.valueChanged.connect(self._on_typed)
        bounds = self._bounds = QHBoxLayout()
        bounds.setSpacing(8)
        for widget in (self.unit, self.first, self._to, self.last, self._of):
            bounds.addWidget(widget)
        bounds.addStretch(1)
        bounds.addWidget(self._count)
        excerpts = QHBoxLayout()
        excerpts.setSpacing(14)
        self._excerpts = {}
        for name, words in (("begin", self.tr("Begins with")), ("end", self.tr("Ends with"))):
            label, text = QLabel(words), QPlainTextEdit()
            label.setObjectName("dim")
            text.setReadOnly(True)
            text.setTabChangesFocus(True)
            text.setAccessibleName(words)
            self._excerpts[name] = (label, text)
            column = QVBoxLayout()
            column.setSpacing(4)
            column.addWidget(label)
            column.addWidget(text, 1)
            excerpts.addLayout(column)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, 18, _MARGIN, 16)
        column.setSpacing(10)
        column.addWidget(self._title)
        column.addWidget(self._facts)
        self._choices = self._build_choices()
        column.addLayout(self._choices)
        column.addWidget(self.map)
        column.addLayout(bounds)
        column.addLayout(excerpts, 1)
        column.addLayout(self._build_actions())

    def _build_choices(self) -> QHBoxLayout:
        self._buttons = QButtonGroup(self)
        row = QHBoxLayout()
        row.setSpacing(8)
        for choice, words in (
            (PartChoice.ALL, self.tr("Everything")), (PartChoice.BEGINNING, self.tr("From the beginning")),
            (PartChoice.END, self.tr("Up to the end")), (PartChoice.RANGE, self.tr("A range")),
        ):  # fmt: skip
            button = QPushButton(words)
            button.setObjectName("choice")
            button.setCheckable(True)
            button.setAutoDefault(False)
            self._buttons.addButton(button, choice.value)
            row.addWidget(button)
        row.addStretch(1)
        self._buttons.idClicked.connect(lambda number: self._choose(PartChoice(number)))
        return row

    def _build_actions(self) -> QHBoxLayout:
        self.insert = insert = QPushButton(self.tr("Put it into the message"))
        cancel = QPushButton(self.tr("Cancel"))
        insert.setObjectName("link")
        insert.setStyleSheet("padding-left: 0;")  # It begins where all lines do.
        insert.setToolTip(self.tr("As text that you can edit, instead of a file"))
        self.go = QPushButton()
        self.go.setDefault(True)
        insert.clicked.connect(self._insert)
        cancel.clicked.connect(self.reject)
        self.go.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.addWidget(insert)
        row.addStretch(1)
        row.addWidget(cancel)
        row.addWidget(self.go)
        return row

    def _insert(self) -> None:
        self.insert_requested.emit(self.attachment.text[slice(*self.part)])
        self.reject()

    def _choose(self, choice: PartChoice) -> None:
        self._choice, self._margin = choice, 1.0
        self._apply()

    def _on_unit(self) -> None:
        part = self.part
        pages = self.attachment.pages if self.unit.currentData() is Unit.PAGE else ()
        self._cuts = Cuts(self.attachment.text, pages)
        self._range = self._cuts.unit_at(part[0]), self._cuts.unit_at(max(part[0], part[1] - 1)) + 1
        self._apply()

    def _on_dragged(self, start: int, end: int) -> None:
        first = min(self._cuts.nearest(start), self._cuts.n_units - 1)
        self._set_range(first, max(first + 1, self._cuts.nearest(end)))

    def _on_typed(self) -> None:
        first = self.first.value() - 1
        self._set_range(first, max(first + 1, self.last.value()))

    def _set_range(self, first: int, last: int) -> None:
        if (first, last) != self._range:
            self._choice, self._range = PartChoice.RANGE, (first, last)
            self._buttons.button(PartChoice.RANGE.value).setChecked(True)
            self._apply()

    def _apply(self) -> None:
        """Follow the choice, and ask for the count of what it gives where that is another part than before."""
        before, room = self.part, self.room * self._margin
        if self._choice is PartChoice.ALL:
            self._range = 0, self._cuts.n_units
        elif self._choice is PartChoice.BEGINNING:
            self._range = from_beginning(self._cuts, self.curve, room)
        elif self._choice is PartChoice.END:
            self._range = to_end(self._cuts, self.curve, room)
        if self.part != before:
            self._exact = None
            self.range_changed.emit(*self.part)
        self._show()

    def _show(self) -> None:
        (first, last), (start, end) = self._range, self.part
        for box, value in ((self.first, first + 1), (self.last, last)):
            box.blockSignals(True)
            box.setRange(1, self._cuts.n_units)
            box.setValue(value)
            box.blockSignals(False)
        self._of.setText(self.tr("of {n}").format(n=format_count(self._cuts.n_units)))
        excess = self.n_tokens - self.room
        fits_to = end if excess <= 0 else self._place_after(start, max(0, self.room))
        self.map.set_range(start, end, fits_to)
        about = "" if self._exact is not None else self.tr("about ")
        n, total = round(self.n_tokens), round(self.curve.total)
        words = self.tr("{about}{n} tokens", None, n).format(about=about, n=format_count(n))
        if excess > 0:
            words += self.tr(" · {n} too many").format(n=format_count(excess))
        if words != self._count.text():
            announce(self, words)
        self._count.setText(words)
        said = self.tr("{first} to {last} {of}, {count}")
        counts = format_count(first + 1), format_count(last)
        self.map.setAccessibleDescription(said.format(first=counts[0], last=counts[1], of=self._of.text(), count=words))
        self._count.setStyleSheet(f"color: {self._theme.tokens.warn if excess > 0 else self._theme.tokens.ink};")
        widest = max(row.minimumSize().width() for row in (self._choices, self._bounds))
        self.setMinimumWidth(max(_MIN_WIDTH, widest + 2 * _MARGIN))
        facts = self.tr("{n} tokens", None, total).format(n=format_count(total))
        if self.room < 0:
            facts = self.tr("{n} tokens · the rest of the message is already {excess} too long", None, total).format(
                n=format_count(total), excess=format_count(-self.room)
            )
        elif math.isfinite(self.room):
            facts = self.tr("{n} tokens · room for {room} in this message", None, total).format(
                n=format_count(total), room=format_count(self.room)
            )
        self._facts.setText(facts)
        text = self.attachment.text
        for name, piece in (
            ("begin", text[start : min(end, start + EXCERPT)]),
            ("end", text[max(start, end - EXCERPT) : end]),
        ):
            box_of_text = self._excerpts[name][1]
            if box_of_text.toPlainText() != piece.strip("\n"):
                box_of_text.setPlainText(piece.strip("\n"))
        bar = self._excerpts["end"][1].verticalScrollBar()
        bar.setValue(bar.maximum())
        self.insert.setEnabled(end - start <= MAX_INSERTED)
        is_all = (start, end) == (0, len(text))
        self.go.setText(self.tr("Attach all of it") if is_all else self.tr("Attach this part"))

    def _place_after(self, start: int, n_tokens: float) -> int:
        """The place up to which `n_tokens` reach from `start`."""
        low, high = start, len(self.attachment.text)
        while high - low > 1:
            middle = (low + high) // 2
            if self.curve.between(start, middle) <= n_tokens:
                low = middle
            else:
                high = middle
        return low

    def _restyle(self) -> None:
        theme, tokens = self._theme, self._theme.tokens
        self.setPalette(theme.palette())
        self.setFont(theme.font(-1))
        self._title.setFont(theme.font(3, is_bold=True))
        self.unit.setMinimumHeight(self.first.sizeHint().height())
        for label, text in self._excerpts.values():
            label.setFont(theme.font(-2))
            text.setFont(theme.mono_font(-2))
        self.setStyleSheet(
            f"#choice {{ border-radius: 11px; padding: 3px 12px; }}"
            f"#choice:checked {{ background: {tokens.accent_soft}; border-color: {tokens.accent};"
            f" color: {tokens.accent}; }}"
        )
        self._show()
