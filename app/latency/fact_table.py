"""Small tables of the latency panel: names at the left, figures at the right."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.latency.panel_card import SMALL
from app.ui.theme import Theme


class FactRows(QWidget):
    """Cells that are made when they are first needed, and hidden while they are not."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._cells: dict[tuple[int, int], QLabel] = {}
        self._colors: dict[tuple[int, int], str] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        theme.changed.connect(self._restyle)

    @property
    def texts(self) -> list[str]:
        """What is shown, line by line."""
        return [cell.text() for _, cell in sorted(self._cells.items()) if not cell.isHidden()]

    def clear(self) -> None:
        for cell in self._cells.values():
            cell.setVisible(False)

    def set_cell(self, line: int, column: int, text: str, *, color: str = "ink", tooltip: str = "") -> None:
        cell = self._cells.get((line, column))
        if cell is None:
            cell = self._cells[line, column] = QLabel()
            side = Qt.AlignmentFlag.AlignLeft if column == 0 else Qt.AlignmentFlag.AlignRight
            cell.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
            cell.setFont(self._theme.font(SMALL - 0.5))
            cell.setWordWrap(column == 0)  # A long name takes a second line before the panel's card grows too wide.
            self._grid.addWidget(cell, line, column)
        if self._colors.get((line, column)) != color:
            self._colors[line, column] = color
            self._paint(cell, color)
        cell.setText(text)
        cell.setToolTip(tooltip)
        cell.setVisible(True)

    def _restyle(self) -> None:
        for place, cell in self._cells.items():
            cell.setFont(self._theme.font(SMALL - 0.5))
            self._paint(cell, self._colors[place])

    def _paint(self, cell: QLabel, color: str) -> None:
        # Of this class alone: a tooltip would take it too.
        cell.setStyleSheet(f".QLabel {{ color: {getattr(self._theme.tokens, color)}; background: transparent; }}")


class FactTable(FactRows):
    """Two columns: what it is, and its figure."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._rows: list[tuple[str, str, str]] = []

    def set_rows(self, rows: Sequence[tuple[str, str, str]]) -> None:
        """Name, figure and tooltip of each row; unchanged ones cost nothing."""
        if list(rows) == self._rows:
            return
        self._rows = list(rows)
        self.clear()
        for line, (name, figure, tooltip) in enumerate(rows):
            self.set_cell(line, 0, name, color="dim", tooltip=tooltip)
            self.set_cell(line, 1, figure, tooltip=tooltip)
