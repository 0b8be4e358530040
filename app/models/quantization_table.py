"""The quantization table: what each one needs against this machine, how fast it should run, and which to take."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.core.engine_texts import translated
from app.models.downloads_model import GOING_ON, DownloadsModel
from app.models.painted_text import PaintedText
from app.ui.quantities import format_bytes, format_change, format_list, format_rate, format_seconds, format_share
from app.ui.theme import Theme
from engine.protocol import FitRow, Pull

ROW_HEIGHT = 50
_PAD = 8
_MEASURED = 4
"""Of the texts of a column as many of the longest are measured."""
ItemRole = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex


def quality_texts() -> dict[str, str]:
    """What quantizations of each quality keep of the original."""
    translate = QCoreApplication.translate
    return {
        "original": translate("QuantizationModel", "the original"),
        "as_good": translate("QuantizationModel", "as good as the original"),
        "hard_to_tell": translate("QuantizationModel", "hard to tell apart"),
        "close": translate("QuantizationModel", "close to the original"),
        "noticeable": translate("QuantizationModel", "noticeable loss"),
        "heavy": translate("QuantizationModel", "heavy loss"),
    }


@dataclass(frozen=True, slots=True)
class QuantizationItem:
    """One row: of these files of a repository, which the DownloadsModel knows by both where they are on their way."""

    fit: FitRow
    memory_bytes: int = 0
    """What the device has; the bar's whole."""
    repo: str = ""
    files: tuple[str, ...] = ()
    is_here: bool = False
    """On this computer already."""


class QuantizationModel(QAbstractTableModel):
    """Rows of QuantizationItem; columns are quantization, file, bits, keeps, memory, expect, action, which is a view of
    the row's download.
    """

    NAME, FILE, BITS, KEEPS, MEMORY, EXPECT, ACTION = range(7)

    def __init__(self, downloads: DownloadsModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._downloads = downloads
        downloads.changed.connect(self._on_downloads_changed)
        self._items: list[QuantizationItem] = []
        self._heads = (
            self.tr("Quantization"), self.tr("File"), self.tr("Bits"), self.tr("Keeps"),
            self.tr("Memory"), self.tr("Speed"), "",
        )  # fmt: skip
        self._action_head = self.tr("Action")
        self.paused = self.tr("paused at {share}").format(share=format_share(0.99))
        self.quality = quality_texts()

    def set_items(self, items: Sequence[QuantizationItem]) -> None:
        """Show these rows; the same quantizations in the same order are updated in place."""
        names = [item.fit.name for item in self._items]
        if names == [item.fit.name for item in items]:
            self._items = list(items)
            if items:
                self.dataChanged.emit(self.index(0, 0), self.index(len(items) - 1, self.ACTION))
            return
        self.beginResetModel()
        self._items = list(items)
        self.endResetModel()

    def item(self, row: int) -> QuantizationItem:
        return self._items[row]

    @property
    def items(self) -> tuple[QuantizationItem, ...]:
        return tuple(self._items)

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._items)

    def columnCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._heads)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self._heads[section]
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return self._heads[section] or self._action_head
            if role == Qt.ItemDataRole.TextAlignmentRole:
                right = section in (self.FILE, self.BITS, self.EXPECT)
                side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        item = self._items[index.row()]
        if role == ItemRole:
            return item
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.text(item, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tooltip(item, index.column())
        return None

    def verdict(self, item: QuantizationItem) -> str:
        """Whether it fits, in words."""
        fit = item.fit
        need = format_bytes(fit.weights_bytes + fit.kv_bytes + fit.compute_bytes)
        words = {
            "fits": self.tr("{need} · fits"),
            "fits_tight": self.tr("{need} · fits, little room"),
            "partial": self.tr("{need} · experts of {n} layers on the CPU", None, fit.n_cpu_moe)
            if fit.n_cpu_moe
            else self.tr("{need} · fits with {layers} of {all} layers", None, fit.n_layers),
            "cpu_only": self.tr("{need} · CPU only"),
            "too_large": self.tr("{need} · does not fit"),
        }
        return words[fit.verdict].format(need=need, layers=fit.n_gpu_layers, all=fit.n_layers, n=fit.n_cpu_moe)

    def text(self, item: QuantizationItem, column: int) -> str:
        """What a cell says."""
        fit = item.fit
        match column:
            case self.NAME:
                return self.tr("{name} recommended").format(name=fit.name) if fit.is_recommended else fit.name
            case self.FILE:
                return format_bytes(fit.file_bytes)
            case self.BITS:
                return f"{fit.bits_per_weight:.1f}"
            case self.KEEPS:
                return self.quality[fit.quality]
            case self.MEMORY:
                return self.verdict(item)
            case self.EXPECT:
                return format_list((self.speed(fit), self.wait(fit)))
        return self.action(item)

    def wait(self, fit: FitRow) -> str:
        """How long the first token of a long prompt takes; of what was measured, how far off the expectation was."""
        if fit.is_measured and fit.expected_tps and fit.decode_tps:
            off = format_change(fit.expected_tps / fit.decode_tps - 1)
            return self.tr("{rate} expected, {off}").format(rate=format_rate(fit.expected_tps), off=off)
        if fit.ttft_1000 is None:
            return ""
        return self.tr("TTFT {time}").format(time=format_seconds(fit.ttft_1000))

    def speed(self, fit: FitRow) -> str:
        """What was measured stands plain, what is expected behind an ≈."""
        if not fit.decode_tps:
            return "–"
        text = self.tr("{rate} tok/s") if fit.is_measured else self.tr("≈ {rate} tok/s")
        return text.format(rate=format_rate(fit.decode_tps))

    def action(self, item: QuantizationItem) -> str:
        """The text of the last column."""
        pull = self.pull(item)
        if item.is_here:
            return self.tr("On this computer")
        if pull is None or pull.state in ("cancelled", "finished"):
            return self.tr("Download")
        if pull.state == "failed":
            return self.tr("Try again")
        share = format_share(pull.done_bytes / pull.total_bytes if pull.total_bytes else 0.0)
        if pull.state == "paused":
            return self.tr("paused at {share}").format(share=share)
        left = format_seconds(pull.seconds_left) if pull.seconds_left else ""
        return " · ".join(part for part in (share, left) if part)

    def pull(self, item: QuantizationItem) -> Pull | None:
        """Its download."""
        return self._downloads.pull_of(item.repo, item.files)

    def _on_downloads_changed(self, pulls: Sequence[Pull]) -> None:
        changed = {(pull.repo, pull.files) for pull in pulls}
        if any((item.repo, item.files) in changed for item in self._items):
            self.dataChanged.emit(self.index(0, self.ACTION), self.index(len(self._items) - 1, self.ACTION))

    def _kind(self, fit: FitRow) -> str:
        """Where the speed comes from, and how far off the expectation was."""
        if not fit.is_measured:
            return self.tr("expected from this machine's measured bandwidth")
        if not fit.expected_tps or not fit.decode_tps:
            return self.tr("measured here")
        off = fit.expected_tps / fit.decode_tps - 1
        text = self.tr("measured here; {rate} tok/s had been expected, {off}")
        return text.format(rate=format_rate(fit.expected_tps), off=format_change(off))

    def _tooltip(self, item: QuantizationItem, column: int) -> str:
        fit = item.fit
        if column == self.MEMORY:
            text = self.verdict(item) + "\n"
            text += self.tr("Weights {weights}, KV cache {kv}, compute buffers {compute}")
            return text.format(
                weights=format_bytes(fit.weights_bytes), kv=format_bytes(fit.kv_bytes),
                compute=format_bytes(fit.compute_bytes),
            )  # fmt: skip
        if column == self.EXPECT and fit.ttft_1000 is not None:
            text = self.tr("First token of a 1,000-token prompt after {ttft}; {kind}.")
            return text.format(ttft=format_seconds(fit.ttft_1000), kind=self._kind(fit))
        return translated(fit.reason) if column == self.NAME else ""


_LEAST = {
    QuantizationModel.NAME: 110, QuantizationModel.FILE: 64, QuantizationModel.BITS: 46, QuantizationModel.KEEPS: 90,
    QuantizationModel.EXPECT: 118, QuantizationModel.ACTION: 92,
}  # fmt: skip
"""Pixels that a column takes at least: it does not jump with every figure."""


class _Delegate(QStyledItemDelegate):
    """Paints a row as in the design: one quiet line, the recommended one tinted, memory as a bar."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        theme.changed.connect(self._read_theme)
        self._read_theme()

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(60, ROW_HEIGHT)

    def _read_theme(self) -> None:
        """Fonts and colours are made once: a scrolling table paints thousands of cells a second."""
        theme = self._theme
        names = ("accent", "accent_soft", "dim", "ink", "p2", "p3", "p5", "p6", "user", "warn")
        self._colors = {name: theme.color(name) for name in names}
        self._line = QPen(theme.color("line"), 1)
        self._plain = PaintedText(theme.font(-1.5))
        self._bold = PaintedText(theme.font(-1.5, is_bold=True))
        self._small = PaintedText(theme.font(-2.5))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        # Straight from the model: through QModelIndex every value would be wrapped and unwrapped.
        rows = index.model()
        assert isinstance(rows, QuantizationModel)
        item, column = rows.item(index.row()), index.column()
        area = QRectF(option.rect)
        if item.fit.is_recommended:
            painter.fillRect(area, self._colors["accent_soft"])
        elif option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, self._colors["user"])
        painter.setPen(self._line)
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        area.adjust(_PAD, 0, -_PAD, 0)
        match column:
            case QuantizationModel.NAME:
                self._paint_name(painter, area, item)
            case QuantizationModel.MEMORY:
                self._paint_memory(painter, area, item, rows.verdict(item))
            case QuantizationModel.EXPECT:
                self._paint_speed(painter, area, rows.speed(item.fit), rows.wait(item.fit))
            case _:
                self._paint_text(painter, area, rows, index)

    def widths(self, rows: QuantizationModel) -> Iterator[tuple[int, int]]:
        """What the columns need for their words, all but the bar's."""
        items = rows.items
        recommended = [item for item in items if item.fit.is_recommended]
        texts: dict[int, list[tuple[PaintedText, str]]] = {
            rows.NAME: [(self._bold, each.fit.name) for each in items],
            rows.FILE: [(self._plain, rows.text(each, rows.FILE)) for each in items],
            rows.KEEPS: [(self._plain, words) for words in rows.quality.values()],
            rows.EXPECT: [(self._small, rows.wait(each.fit)) for each in items],
            rows.ACTION: [(self._plain, words) for words in (rows.paused, *map(rows.action, items))],
        }
        mark = self.tr("recommended")
        texts[rows.NAME] += [(self._bold, f"{each.fit.name} {mark}") for each in recommended]
        for column, least in _LEAST.items():
            longest = sorted(texts.get(column, []), key=lambda each: len(each[1]))[-_MEASURED:]
            yield column, max([least, *(math.ceil(text.width(words)) + 2 * _PAD for text, words in longest)])

    def _paint_name(self, painter: QPainter, area: QRectF, item: QuantizationItem) -> None:
        text = self._bold if item.fit.is_recommended else self._plain
        painter.setPen(self._colors["ink"])
        text.paint(painter, area, item.fit.name)
        if item.fit.is_recommended:
            painter.setPen(self._colors["accent"])
            left = text.width(item.fit.name) + 5
            self._plain.paint(painter, area.adjusted(left, 0, 0, 0), self.tr("recommended"))

    def _paint_text(self, painter: QPainter, area: QRectF, rows: QuantizationModel, index: _Index) -> None:
        item, column = rows.item(index.row()), index.column()
        color = "dim" if column == QuantizationModel.KEEPS else "ink"
        if column == QuantizationModel.ACTION:
            pull = rows.pull(item)
            color = "dim" if item.is_here or (pull is not None and pull.state in GOING_ON) else "accent"
        painter.setPen(self._colors[color])
        self._plain.paint(painter, area, rows.text(item, column), is_right=column != QuantizationModel.KEEPS)

    def _paint_speed(self, painter: QPainter, area: QRectF, speed: str, wait: str) -> None:
        painter.setPen(self._colors["ink"])
        if wait:
            above, area = _halves(area, self._plain.height, self._small.height)
            self._plain.paint(painter, above, speed, is_right=True)
            painter.setPen(self._colors["dim"])
            self._small.paint(painter, area, wait, is_right=True)
        else:
            self._plain.paint(painter, area, speed, is_right=True)

    def _paint_memory(self, painter: QPainter, area: QRectF, item: QuantizationItem, text: str) -> None:
        fit = item.fit
        bar = QRectF(area.left(), area.top() + 9, area.width(), 12)
        needed = fit.weights_bytes + fit.kv_bytes + fit.compute_bytes
        whole = max(item.memory_bytes, needed, 1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._colors["p6"])
        painter.drawRoundedRect(bar, 3, 3)
        painter.setBrush(self._colors["p5"])
        weights = fit.weights_bytes / whole * bar.width()
        painter.drawRoundedRect(QRectF(bar.left(), bar.top(), max(weights, 6.0), bar.height()), 3, 3)
        left = bar.left() + weights
        for size, color in ((fit.kv_bytes, "p2"), (fit.compute_bytes, "p3")):
            width = size / whole * bar.width()
            painter.fillRect(QRectF(left, bar.top(), width, bar.height()), self._colors[color])
            left += width
        if 0 < item.memory_bytes < needed:
            limit = bar.left() + item.memory_bytes / whole * bar.width()
            painter.fillRect(QRectF(limit - 1, bar.top() - 2, 2, bar.height() + 4), self._colors["warn"])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(self._colors["warn" if fit.verdict == "too_large" else "dim"])
        below = QRectF(area.left(), bar.bottom() + 2, area.width(), area.bottom() - bar.bottom() - 4)
        self._small.paint(painter, below, text)


class QuantizationTable(QTableView):
    """Emits `chosen(row)` for a click on the action, or Enter on a row."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, downloads: DownloadsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = QuantizationModel(downloads, self)
        self.setObjectName("quantizations")
        self.setModel(self._rows)
        self._delegate = _Delegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(self.tr("Quantizations"))
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)  # Tab goes on; the arrows go from cell to cell.
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setSectionResizeMode(QuantizationModel.MEMORY, QHeaderView.ResizeMode.Stretch)
        self.activated.connect(lambda index: self.chosen.emit(index.row()))
        for changed in (self._rows.dataChanged, self._rows.modelReset):
            changed.connect(self._on_rows_changed)
        theme.changed.connect(self.viewport().update)

    @property
    def rows(self) -> QuantizationModel:
        return self._rows

    def _on_rows_changed(self) -> None:
        if self._rows.rowCount():  # An empty one is filled soon, and would only jump.
            self.fit()

    def fit(self) -> None:
        """No more height than the rows need, so that what follows stands right below them; the bar takes what is left
        of the width.
        """
        for column, width in self._delegate.widths(self._rows):
            self.setColumnWidth(column, width)
        self.setMaximumHeight(self.horizontalHeader().sizeHint().height() + ROW_HEIGHT * self._rows.rowCount() + 2)

    def model(self) -> QAbstractItemModel:
        return self._rows

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton and index.column() == QuantizationModel.ACTION:
            self.chosen.emit(index.row())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        on_action = self.indexAt(event.position().toPoint()).column() == QuantizationModel.ACTION
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if on_action else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)


def _halves(area: QRectF, above: float, below: float) -> tuple[QRectF, QRectF]:
    """Two lines of these heights, together in the middle of the area."""
    top = area.center().y() - (above + below) / 2
    return QRectF(area.left(), top, area.width(), above), QRectF(area.left(), top + above, area.width(), below)
