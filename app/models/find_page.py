"""Find: search the hub, see what a model needs on this machine, and download the right quantization."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QDate, QLocale, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSlider,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.core.engine_texts import translated
from app.models.catalog_lines import catalog_lines
from app.models.downloads_model import DownloadsModel
from app.models.line_list import Line, LineList
from app.models.model_card_dialog import ModelCardDialog
from app.models.quantization_table import QuantizationItem, QuantizationTable
from app.models.search_filters import SearchFilters, licence_name
from app.ui.announcement import announce
from app.ui.icon_button import IconButton
from app.ui.key_filters import PreeditFilter
from app.ui.quantities import format_bytes, format_count, format_params, format_sentences
from app.ui.style_sheet import set_clear_icon
from app.ui.theme import Theme
from engine.protocol import CatalogListed, HubModel, KvType, Shape

SEARCH_MS = 350
CONTEXTS = (2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144)
KV_TYPES = (KvType.F16, KvType.Q8_0, KvType.Q4_0)


class FindPage(QWidget):
    """Signals say what the user looks for; setters show what came."""

    search_requested = Signal(str)
    more_requested = Signal()
    repo_selected = Signal(str)
    fit_requested = Signal(int, object)
    """Context in tokens and KvType."""
    quantization_chosen = Signal(int)
    web_requested = Signal()
    """Open the repository's page in the browser."""

    def __init__(self, theme: Theme, downloads: DownloadsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.table = QuantizationTable(theme, downloads)
        self.table.chosen.connect(self.quantization_chosen)
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Search models"))
        self.field.setAccessibleName(self.tr("Search models on the hub"))
        self.field.setClearButtonEnabled(True)
        for button in self.field.findChildren(QToolButton):
            button.setAccessibleName(self.tr("Clear the search"))
        self.filters = SearchFilters()
        self.filters.changed.connect(self._search)
        self.results = LineList(theme, self.tr("Search results"))
        self.results.selected.connect(self.repo_selected)
        self.results.end_reached.connect(self.more_requested)
        self.status = QLabel()
        self.status.setObjectName("dim")
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.status.setWordWrap(True)
        self.suggestion = self._build_link()
        self._on_suggestion: Callable[[], None] = self._search
        self.suggestion.clicked.connect(self._follow_suggestion)
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(SEARCH_MS)
        self._delay.timeout.connect(self._search)
        self.field.textEdited.connect(lambda _text: self._delay.start())
        self.field.returnPressed.connect(self._search)
        PreeditFilter(self.field)
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(self.field)
        left.addWidget(self.filters)
        left.addWidget(self.status)
        left.addWidget(self.suggestion, 0, Qt.AlignmentFlag.AlignLeft)
        left.addWidget(self.results, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(20)
        side = QWidget()
        side.setLayout(left)
        left.setContentsMargins(0, 0, 0, 0)
        side.setFixedWidth(330)
        row.addWidget(side)
        self._hint = QLabel()
        self._hint.setObjectName("dim")
        self._hint.setWordWrap(True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint.setContentsMargins(80, 0, 80, 0)
        self._wanted_context = 0
        self._stack = QStackedWidget()
        self._stack.addWidget(self._hint)
        self._stack.addWidget(self._build_detail())
        row.addWidget(self._stack, 1)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_status(self, text: str, *, is_warning: bool = False) -> None:
        """What the search is doing, or why it could not be done."""
        self.suggestion.hide()
        self.status.setText(text)
        self.status.setVisible(bool(text))
        color = self._theme.tokens.warn if is_warning else self._theme.tokens.dim
        self.status.setStyleSheet(f"color: {color};")
        announce(self, text)

    def set_nothing_found(self) -> None:
        """Say so, and offer what finds more."""
        if self.filters.is_narrow:
            self.set_status(self.tr("Nothing was found with these filters."))
            self._suggest(self.tr("Search without filters"), self._widen)
        else:
            self.set_status(self.tr("Nothing was found. Try fewer words, or a part of the name."))
            self._suggest(self.tr("Show what is worth starting with"), self._widen)

    def set_search_failure(self, sentence: str) -> None:
        """Why there are no results, and a way to ask again."""
        self.set_status(sentence, is_warning=True)
        self._suggest(self.tr("Try again"), self._search)

    def clear_search(self) -> None:
        """Take the words back: what is worth starting with comes again."""
        self.field.clear()
        self._search()

    def set_results(self, models: Sequence[HubModel], *, is_more: bool = False) -> None:
        """The first page, or one more."""
        lines = [self._line(model) for model in models]
        if is_more:
            self.results.append_lines(lines)
        else:
            self.results.set_lines(lines)
            self.results.scrollToTop()

    def set_catalog(self, catalog: CatalogListed) -> None:
        """Before a search: what is worth starting with, also without a connection."""
        self.results.set_lines(catalog_lines(catalog))
        self.set_status(translated(catalog.notice) or self.tr("Worth starting with. Type to search the hub."))
        best = next((entry for entry in catalog.entries if entry.repo == catalog.recommended), None)
        texts = [self.tr("Choose a model to see what each of its quantizations needs here, before any download.")]
        if best is not None:
            text = self.tr("For this computer: {name}, {reason}.")
            texts.insert(0, text.format(name=best.name, reason=translated(catalog.reason)))
        self._hint.setText("\n\n".join(texts))

    def set_repo(self, title: str) -> None:
        """A repository was chosen; its table follows."""
        self._title.setText(title)
        self._card = ""
        for label in (self._facts, self._about):
            label.clear()
        self._card_button.setEnabled(False)
        self._note.clear()
        self.retry.hide()
        self.table.rows.set_items(())
        self._show_table(is_shown=True)
        self._stack.setCurrentWidget(self._detail)

    def set_card(self, model: HubModel, card: str) -> None:
        """Licence, gate and popularity, and the repository's own words."""
        facts = [licence_name(model.licence) or self.tr("no licence named")]
        if model.is_gated:
            facts.append(self.tr("gated: accept the licence on its page, then put your token into the settings"))
        facts.append(self.tr("{n} downloads", None, model.downloads).format(n=format_count(model.downloads)))
        if model.updated:
            day = QDate.fromString(model.updated, Qt.DateFormat.ISODate)
            facts.append(self.tr("changed {day}").format(day=QLocale().toString(day, QLocale.FormatType.ShortFormat)))
        self._about.setText(" · ".join(facts))
        self._card = card
        self._card_button.setEnabled(bool(card))

    def set_shape(self, shape: Shape) -> None:
        """What the header says, and what reading it cost."""
        n_heads = max(shape.n_head_kv, default=0)
        facts = [
            self.tr("{n} layers", None, shape.n_layers).format(n=shape.n_layers),
            self.tr("{n} KV heads", None, n_heads).format(n=n_heads),
            *([translated(shape.traits)] if shape.traits else []),
        ]
        if shape.n_requests:
            text = self.tr("header read in {n} requests, {size}", None, shape.n_requests)
            facts.append(text.format(n=shape.n_requests, size=format_bytes(shape.n_fetched_bytes)))
        self._facts.setText(" · ".join(facts))
        last = next((index for index, n_ctx in enumerate(CONTEXTS) if n_ctx >= shape.n_ctx_train), len(CONTEXTS) - 1)
        wanted = self._wanted_context
        self._slider.setMaximum(max(0, last))
        self._slider.setValue(min(wanted, last))
        self._wanted_context = wanted

    def set_items(self, items: Sequence[QuantizationItem], n_ctx_max: int = 0) -> None:
        """The table's rows at the chosen context and KV type."""
        self.table.rows.set_items(items)
        best = next((item.fit for item in items if item.fit.is_recommended), None)
        texts = []
        if best is not None:
            texts.append(self.tr("{name}: {reason}.").format(name=best.name, reason=translated(best.reason)))
        if n_ctx_max:
            texts.append(
                self.tr("The longest context that fits whole is {n} tokens.", None, n_ctx_max).format(
                    n=format_count(n_ctx_max)
                )
            )
        if any(item.fit.decode_tps and not item.fit.is_measured for item in items):
            texts.append(
                self.tr(
                    "A speed after ≈ is expected from this computer's measured bandwidth, until a chat has measured it."
                )
            )
        self._note.setText(format_sentences(texts))
        self.retry.hide()

    def set_failure(self, sentence: str, *, is_passing: bool = False) -> None:
        """Why the repository cannot be shown; one that `is_passing` may be asked for again."""
        self._note.setText(sentence)
        self.retry.setVisible(is_passing)
        self._show_table(is_shown=bool(self.table.rows.items))
        announce(self, sentence)

    def _show_table(self, *, is_shown: bool) -> None:
        """Without rows to come neither they nor what would change them."""
        self._choices.setVisible(is_shown)
        self.table.setVisible(is_shown)
        self._note.setStyleSheet("" if is_shown else f"color: {self._theme.tokens.note};")

    @property
    def n_ctx(self) -> int:
        return CONTEXTS[self._slider.value()]

    @property
    def kv_type(self) -> KvType:
        return KV_TYPES[self._kv.checkedId()]

    def _build_detail(self) -> QFrame:
        self._detail = QFrame()
        self._detail.setObjectName("modelCard")
        self._title, self._facts, self._about = QLabel(), QLabel(), QLabel()
        for label in (self._title, self._facts, self._about):
            label.setTextFormat(Qt.TextFormat.PlainText)  # Words of strangers.
        for label in (self._facts, self._about):
            label.setObjectName("dim")
            label.setWordWrap(True)
        self._title.setWordWrap(True)
        self._card = ""
        self._card_button = IconButton(self._theme, "", self.tr("Model card"), kind="link", size_delta=-1)
        self._card_button.clicked.connect(self._show_card)
        self._web_button = IconButton(self._theme, "", self.tr("Open on the hub"), kind="link", size_delta=-1)
        self._web_button.clicked.connect(self.web_requested)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._card_button)
        head.addWidget(self._web_button)
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setRange(0, len(CONTEXTS) - 1)
        self._slider.setValue(2)
        self._slider.setPageStep(1)
        self._wanted_context = self._slider.value()
        self._slider.setMaximumWidth(360)
        self._slider.setAccessibleName(self.tr("Context in tokens"))
        self._context = QLabel(format_count(self.n_ctx))
        self._context.setMinimumWidth(64)
        self._slider.valueChanged.connect(self._on_fit_changed)
        self._kv = QButtonGroup(self)
        self._choices = QWidget()
        choices = QHBoxLayout(self._choices)
        choices.setContentsMargins(0, 4, 0, 0)
        choices.setSpacing(14)
        choices.addWidget(QLabel(self.tr("Context")))
        choices.addWidget(self._slider, 1)
        choices.addWidget(self._context)
        choices.addStretch(1)
        choices.addWidget(QLabel(self.tr("KV cache")))
        for number, kind in enumerate(KV_TYPES):
            button = QPushButton(str(kind))
            button.setObjectName("choice")
            button.setCheckable(True)
            button.setAccessibleName(self.tr("KV cache type {kind}").format(kind=kind))
            self._kv.addButton(button, number)
            choices.addWidget(button)
        self._kv.button(0).setChecked(True)
        self._kv.idToggled.connect(lambda _id, is_on: self._on_fit_changed() if is_on else None)
        self._note = QLabel()
        self._note.setObjectName("dim")
        self._note.setWordWrap(True)
        self.retry = self._build_link(self.tr("Try again"))
        self.retry.clicked.connect(lambda: self.repo_selected.emit(self._title.text()))
        column = QVBoxLayout(self._detail)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._about)
        column.addWidget(self._facts)
        column.addWidget(self._choices)
        column.addWidget(self.table, 1000)
        column.addWidget(self._note)
        column.addWidget(self.retry, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)
        return self._detail

    def _build_link(self, text: str = "") -> IconButton:
        """Below a sentence and in line with it, when there is something to be done about it."""
        link = IconButton(self._theme, "", text, kind="link", size_delta=-1)
        link.setStyleSheet("padding-left: 0;")
        link.hide()
        return link

    def _follow_suggestion(self) -> None:
        self._on_suggestion()

    def _suggest(self, text: str, action: Callable[[], None]) -> None:
        self._on_suggestion = action
        self.suggestion.setText(text)
        self.suggestion.setAccessibleName(text)
        self.suggestion.show()

    def _show_card(self) -> None:
        dialog = ModelCardDialog(self._theme, self._title.text(), self._card, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _on_fit_changed(self) -> None:
        self._wanted_context = self._slider.value()
        self._context.setText(format_count(self.n_ctx))
        self.fit_requested.emit(self.n_ctx, self.kv_type)

    def _search(self) -> None:
        self._delay.stop()
        self.search_requested.emit(self.field.text().strip())

    def _widen(self) -> None:
        if self.filters.is_narrow:
            self.filters.reset(keeps_order=True)
        else:
            self.filters.reset()
            self.field.clear()
        self.field.setFocus()
        self._search()

    def _line(self, model: HubModel) -> Line:
        facts = [licence_name(model.licence)] if model.licence else []
        if model.n_params:
            facts.append(format_params(model.n_params))
        if model.is_gated:
            facts.insert(0, self.tr("gated: accept the licence first"))
        else:
            facts.append(self.tr("{n} downloads", None, model.downloads).format(n=format_count(model.downloads)))
        return Line(key=model.repo, title=model.repo, facts=" · ".join(facts))

    def _restyle(self) -> None:
        set_clear_icon(self.field, self._theme)
        self._title.setFont(self._theme.font(1, is_bold=True))
        self.table.horizontalHeader().setFont(self._theme.font(-2))
        for label in (self._facts, self._about, self._note, self._hint, self.status, self.filters):
            label.setFont(self._theme.font(-1))
