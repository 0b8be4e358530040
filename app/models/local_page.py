"""On this computer: every model found, what it is, and what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, Qt, QUrl, Signal, SignalInstance
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.engine_texts import translated
from app.models.empty_page import EmptyPage
from app.models.line_list import Line, LineList
from app.models.model_card_figures import ModelCardFigures
from app.ui.announcement import announce
from app.ui.icon_button import IconButton
from app.ui.quantities import format_bytes, format_context, format_mix, format_sentences, format_share
from app.ui.theme import Theme
from engine.protocol import Estimated, ModelEntry


class LocalPage(QWidget):
    """Signals carry the model_id."""

    load_requested = Signal(str)
    unload_requested = Signal(str)
    remove_requested = Signal(str)
    keep_warm_changed = Signal(str, bool)
    quantize_requested = Signal(str)
    settings_requested = Signal(str)
    """How it is loaded."""
    folder_requested = Signal()
    find_requested = Signal()
    """Show where models are searched."""
    verify_requested = Signal(str)
    verify_stopped = Signal()
    trash_requested = Signal()
    """Empty the trash."""
    repo_requested = Signal(str)
    """Show the repository that a model came from: what is missing can be fetched there."""
    estimate_requested = Signal(str)
    """Of the one that is shown: whether it fits here, and how fast it is."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._models: dict[str, ModelEntry] = {}
        self._checking = ""
        self._loading = ""
        self._estimates: dict[str, Estimated] = {}
        self._asked = ""
        self._warm: frozenset[str] = frozenset()
        self.list = LineList(theme, self.tr("Models on this computer"))
        self.list.selected.connect(self._on_selected)
        self.list.opened.connect(self.load_requested)
        self._folder = IconButton(theme, "folder", self.tr("Add a folder…"), kind="quiet", size_delta=-1)
        self._folder.clicked.connect(self.folder_requested)
        text = self.tr("No models yet. Those of LM Studio, Ollama and the hub cache are found too.")
        self._empty = EmptyPage(theme, text)
        self._empty.add_button(self.tr("Find a model")).clicked.connect(self.find_requested)
        self._empty.add_button(self.tr("Add a folder…")).clicked.connect(self.folder_requested)
        side = QWidget()
        side.setFixedWidth(420)
        left = QVBoxLayout(side)
        left.setContentsMargins(0, 0, 0, 0)
        left.setSpacing(8)
        left.addWidget(self.list, 1)
        left.addLayout(self._build_foot())
        models = QWidget()
        row = QHBoxLayout(models)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(20)
        row.addWidget(side)
        row.addWidget(self._build_detail(), 1)
        self._stack = QStackedWidget()
        self._stack.addWidget(models)
        self._stack.addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)
        theme.changed.connect(self._restyle)
        theme.changed.connect(self._show_details)
        self._restyle()

    def set_models(self, models: Sequence[ModelEntry], keep_warm: Sequence[str] = ()) -> None:
        """Everything the library found."""
        self._models = {model.model_id: model for model in models}
        self._warm = frozenset(keep_warm)
        self.list.set_lines([self._line(model) for model in models])
        self._stack.setCurrentIndex(0 if models else 1)
        if models and not self.list.current_key:
            self.list.select(next((model.model_id for model in models if model.is_loaded), models[0].model_id))
        self._show_details()

    def set_loading(self, model_id: str) -> None:
        """The model that is on its way into memory; empty when there is none."""
        if model_id != self._loading:
            self._loading = model_id
            self.list.set_lines([self._line(model) for model in self._models.values()])
            self._show_details()

    def set_estimate(self, model_id: str, estimate: Estimated) -> None:
        """What a model comes to on this computer, and how fast it is."""
        self._estimates[model_id] = estimate
        if self.list.current_key == model_id:
            self._show_figures()

    def forget_estimates(self) -> None:
        """Settings, the memory that is free, or what was measured have changed."""
        self._asked = ""
        self._show_figures()

    def set_disk(self, used_bytes: int, trash_bytes: int) -> None:
        """What all models take, and what the trash would give back."""
        self._disk.setText(self.tr("{size} in all").format(size=format_bytes(used_bytes)) if used_bytes else "")
        self._in_trash.setText(self.tr("{size} in the trash").format(size=format_bytes(trash_bytes)))
        for widget in (self._in_trash, self._trash):
            widget.setVisible(trash_bytes > 0)

    def set_check(self, model_id: str, fraction: float) -> None:
        """A model is being compared with its hash."""
        self._checking = model_id
        self._say_check(self.tr("Verifying, {share}").format(share=format_share(fraction)))
        self._show_verify()

    def end_check(self, model_id: str, sentence: str, *, is_warning: bool = False) -> None:
        """What came of it."""
        self._checking = ""
        self._say_check(sentence if self.list.current_key == model_id else "", is_warning=is_warning)
        announce(self, self._check.text())
        self._show_verify()

    @property
    def current(self) -> ModelEntry | None:
        return self._models.get(self.list.current_key)

    def _build_foot(self) -> QVBoxLayout:
        """What all of them take, and below it what the trash would give back."""
        self._disk, self._in_trash = QLabel(), QLabel()
        self._trash = IconButton(self._theme, "", self.tr("Empty the trash"), kind="link", size_delta=-1)
        self._trash.clicked.connect(self.trash_requested)
        above, below = QHBoxLayout(), QHBoxLayout()
        above.setContentsMargins(5, 0, 14, 0)  # In line with what the list says.
        below.setContentsMargins(0, 0, 10, 0)
        above.addWidget(self._folder)
        above.addStretch(1)
        above.addWidget(self._disk)
        below.addStretch(1)
        below.addWidget(self._in_trash)
        below.addWidget(self._trash)
        for label in (self._disk, self._in_trash):
            label.setObjectName("dim")
        foot = QVBoxLayout()
        foot.setSpacing(0)
        foot.addLayout(above)
        foot.addLayout(below)
        self.set_disk(0, 0)
        return foot

    def _build_detail(self) -> QFrame:
        self._detail = QFrame()
        self._detail.setObjectName("modelCard")
        self._title = QLabel()
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setWordWrap(True)
        self._problem = QLabel()
        self._problem.setTextFormat(Qt.TextFormat.PlainText)
        self._problem.setWordWrap(True)
        self.figures = ModelCardFigures(self._theme)
        self._form = QFormLayout()
        self._form.setHorizontalSpacing(18)
        self._form.setVerticalSpacing(7)
        self._names: list[QLabel] = []
        self._values: dict[str, QLabel] = {}
        for key, name in (
            ("quantization", self.tr("Quantization")), ("mix", self.tr("Tensor types")),
            ("traits", self.tr("Architecture")), ("licence", self.tr("Licence")), ("used", self.tr("Last loaded")),
            ("source", self.tr("From")), ("path", self.tr("File")),
        ):  # fmt: skip
            label = QLabel(name)
            label.setObjectName("dim")
            label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
            label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
            self._names.append(label)
            value = self._values[key] = QLabel()
            value.setWordWrap(True)
            value.setTextFormat(Qt.TextFormat.PlainText)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._form.addRow(label, value)
        self.load_button = IconButton(self._theme, "", self.tr("Load"), kind="primary")
        self._unload = IconButton(self._theme, "", self.tr("Unload"), kind="plain")
        self.fetch_button = IconButton(self._theme, "", self.tr("Download it again…"), kind="primary")
        self.fetch_button.clicked.connect(self._on_fetch)
        self._keep = QCheckBox(self.tr("Keep warm"))
        self._keep.setToolTip(self.tr("Loads at the start, and never leaves memory for another model."))
        self._keep.toggled.connect(self._on_keep)
        self._settings = IconButton(self._theme, "", self.tr("Loading settings…"), kind="plain")
        self._quantize = IconButton(self._theme, "", self.tr("Make another quantization…"), kind="plain")
        self.verify_button = IconButton(self._theme, "", self.tr("Verify"), kind="plain")
        self.verify_button.clicked.connect(self._on_verify)
        self._check = QLabel()
        self._check.setTextFormat(Qt.TextFormat.PlainText)
        self._check.setWordWrap(True)
        self._reveal = IconButton(self._theme, "folder", self.tr("Show folder"), kind="plain")
        self._reveal.clicked.connect(self._on_reveal)
        self._remove = IconButton(self._theme, "trash", self.tr("Delete"), kind="plain")
        for button, signal in (
            (self.load_button, self.load_requested), (self._unload, self.unload_requested),
            (self._settings, self.settings_requested), (self._quantize, self.quantize_requested),
            (self._remove, self.remove_requested),
        ):  # fmt: skip
            button.clicked.connect(lambda _checked=False, wanted=signal: self._tell(wanted))
        actions, more = QHBoxLayout(), QHBoxLayout()
        for widget in (self.load_button, self.fetch_button, self._unload, self._keep, self._settings):
            actions.addWidget(widget)
        actions.addStretch(1)
        for widget in (self._quantize, self.verify_button, self._reveal, self._remove):
            more.addWidget(widget)
        more.addStretch(1)
        column = QVBoxLayout(self._detail)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(14)
        column.addWidget(self._title)
        column.addWidget(self._problem)
        column.addWidget(self.figures)
        column.addLayout(actions)
        column.addLayout(self._form)
        column.addStretch(1)
        column.addWidget(self._check)
        column.addLayout(more)
        return self._detail

    def _show_details(self) -> None:
        model = self.current
        self._detail.setVisible(model is not None)
        if model is None:
            return
        self._title.setText(model.name)
        is_away = model.state == "missing"
        problem = translated(model.problem) or self._use(model.kind)
        if is_away:
            back = self.tr("Connect the drive, or bring the folder back, and the model is here again.")
            problem = format_sentences((problem, back))
        if problem != self._problem.text():
            announce(self, problem)
        self._problem.setText(problem)
        self._problem.setVisible(bool(self._problem.text()))
        self._problem.setStyleSheet(f"color: {self._theme.tokens.warn if model.problem else self._theme.tokens.dim};")
        bits = self.tr("{bits} bits").format(bits=f"{model.bits_per_weight:.1f}") if model.bits_per_weight else ""
        for key, text in {
            "quantization": " · ".join(part for part in (model.quantization, bits) if part),
            "mix": format_mix(model.tensor_mix),
            "traits": translated(model.traits),
            "licence": model.licence,
            "used": _day(model.last_used) if model.last_used else "",
            "source": self._source(model),
            "path": model.path,
        }.items():
            self._form.setRowVisible(self._values[key], bool(text))
            self._values[key].setText(text)
        self._show_figures()
        is_chat = model.state == "ready" and model.kind == "chat"
        is_loading = model.model_id == self._loading and not model.is_loaded
        self.load_button.setVisible(is_chat and not model.is_loaded)
        self.load_button.setEnabled(not is_loading)
        self.load_button.setText(self.tr("Loading…") if is_loading else self.tr("Load"))
        self.fetch_button.setVisible(model.state in ("incomplete", "damaged") and model.is_ours and bool(model.repo))
        self._unload.setVisible(model.is_loaded)
        self._keep.setVisible(is_chat)
        self._keep.blockSignals(True)
        self._keep.setChecked(model.model_id in self._warm)
        self._keep.blockSignals(False)
        self._settings.setVisible(is_chat)
        self._quantize.setVisible(is_chat)
        self._show_verify()
        for button in (self._reveal, self._remove):
            button.setVisible(not is_away)
        self._remove.setEnabled(model.is_ours and not model.is_loaded)
        self._remove.setToolTip(self._why_not_removable(model))

    def _show_figures(self) -> None:
        if (model := self.current) is None:
            return
        is_chat = model.state in ("ready", "in_use") and model.kind == "chat"
        self.figures.show_model(model, self._estimates.get(model.model_id) if is_chat else None)
        if is_chat and self._asked != model.model_id:
            self._asked = model.model_id
            self.estimate_requested.emit(model.model_id)

    def _line(self, model: ModelEntry) -> Line:
        facts = [model.quantization, format_bytes(model.size_bytes) if model.size_bytes else ""]
        if model.kind != "chat" and model.state == "ready":
            facts.insert(0, self._kind(model.kind))
        if model.n_ctx_train:
            facts.append(self.tr("{n} context").format(n=format_context(model.n_ctx_train)))
        facts.append(self._source(model))
        states = {
            "ready": ("", "dim"), "missing": (self.tr("missing"), "note"), "damaged": (self.tr("damaged"), "warn"),
            "incomplete": (self.tr("incomplete"), "note"),
        }  # fmt: skip
        if model.model_id == self._loading:
            states["ready"] = (self.tr("loading"), "dim")
        state, color = (self.tr("loaded"), "good") if model.is_loaded else states.get(model.state, ("", "dim"))
        return Line(model.model_id, model.name, " · ".join(fact for fact in facts if fact), state, color)

    def _kind(self, kind: str) -> str:
        return {
            "embedding": self.tr("embeddings"), "mmproj": self.tr("image part of another model"),
            "lora": self.tr("adapter"), "vocab": self.tr("vocabulary only"),
        }.get(kind, self.tr("no chat model"))  # fmt: skip

    def _use(self, kind: str) -> str:
        """What a file that is no chat model is for; empty for one that is."""
        return {
            "chat": "",
            "embedding": self.tr("Turns text into numbers for search. It cannot answer; the local API serves it."),
            "mmproj": self.tr("Lets the model that it was made for see images. It is no model by itself."),
            "lora": self.tr(
                "Changes how the model that it was made for answers; it is loaded together with that model."
            ),
            "vocab": self.tr("Holds only a vocabulary, no weights."),
        }.get(kind, self.tr("This file is no chat model."))

    def _source(self, model: ModelEntry) -> str:
        return {
            "ours": self.tr("Firstlight"), "hub_cache": self.tr("hub cache"), "lmstudio": "LM Studio",
            "ollama": "Ollama", "folder": self.tr("your folder"), "starter": self.tr("came with Firstlight"),
        }[model.source]  # fmt: skip

    def _why_not_removable(self, model: ModelEntry) -> str:
        if model.is_loaded:
            return self.tr("Unload it first.")
        if not model.is_ours:
            return self.tr("Firstlight did not download it, so it is not deleted from here.")
        return self.tr("Moves it to Firstlight's trash; it can be taken back.")

    def _tell(self, signal: SignalInstance) -> None:
        if (model := self.current) is not None:
            signal.emit(model.model_id)

    def _on_fetch(self) -> None:
        if (model := self.current) is not None:
            self.repo_requested.emit(model.repo)

    def _on_selected(self, model_id: str) -> None:
        if self._checking != model_id:
            self._say_check("")
        self._show_details()

    def _on_verify(self) -> None:
        if self._checking:
            self.verify_stopped.emit()
        else:
            self._tell(self.verify_requested)

    def _show_verify(self) -> None:
        model = self.current
        self.verify_button.setVisible(
            model is not None and model.is_ours and model.state == "ready" and bool(model.repo)
        )
        self.verify_button.setText(self.tr("Stop verifying") if self._checking else self.tr("Verify"))

    def _say_check(self, text: str, *, is_warning: bool = False) -> None:
        self._check.setText(text)
        self._check.setStyleSheet(f"color: {self._theme.tokens.warn if is_warning else self._theme.tokens.dim};")

    def _on_keep(self, is_kept: bool) -> None:
        if (model := self.current) is not None:
            self.keep_warm_changed.emit(model.model_id, is_kept)

    def _on_reveal(self) -> None:
        if (model := self.current) is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(model.path).parent)))

    def _restyle(self) -> None:
        self._title.setFont(self._theme.font(3, is_bold=True))
        for label in (self._disk, self._in_trash, *self._names, *self._values.values()):
            label.setFont(self._theme.font(-1))


def _day(when: float) -> str:
    return QLocale().toString(QDateTime.fromSecsSinceEpoch(int(when)), QLocale.FormatType.ShortFormat)
