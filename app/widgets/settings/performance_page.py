"""Settings: what stays warm, how models are loaded, and what is prepared ahead; beside it what is in force."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QPushButton

from app.quantities import format_count
from app.settings_state import LOAD, PER_MODEL, Path, SettingsState
from app.theme import Theme
from app.widgets.settings.form import SettingsPage
from app.widgets.settings.text_list import TextList
from engine.protocol.values import EffectiveSettings, KvType, ModelSettings, Speculative, Switch

_KV_TYPES = (KvType.F16, KvType.BF16, KvType.Q8_0, KvType.Q4_0)
"""Those that run with flash attention on every device when K and V are equal."""
_GB = 1e-9


class PerformancePage(SettingsPage):
    """`reload_requested` when the user wants the model loaded again with the settings as they are now."""

    reload_requested = Signal()

    def __init__(self, state: SettingsState, theme: Theme) -> None:
        super().__init__(state, theme)
        self.set_title(self.tr("Performance"))
        self._effective: EffectiveSettings | None = None
        self._model_id = ""
        self._add_warm()
        self._add_ahead()
        self._add_loading()
        self.set_effective(None)

    def _add_warm(self) -> None:
        self.add_heading(self.tr("Kept in memory"))
        kept = TextList(self.theme, name=self.tr("Models that stay loaded"))
        self.bind(kept, ("models", "keep_warm"), kept.set_texts)
        kept.changed.connect(lambda texts: self.write(texts, ("models", "keep_warm")))
        kept.set_placeholder(self.tr("None. “Keep warm” in the list of models adds one."))
        self.add_row(self.tr("Always loaded"), kept, is_wide=True)
        self.add_whole(
            ("performance", "max_warm_models"),
            self.tr("Models at once"),
            1,
            16,
            self.tr("When one more is wanted, the one that was used least lately leaves."),
        )
        self.add_whole(
            ("performance", "idle_unload_minutes"),
            self.tr("Unload when idle"),
            0,
            1440,
            self.tr("An unloaded model has to be read from disk before its next answer."),
            suffix=self.tr(" min"),
            special=self.tr("Never"),
            as_float=True,
        )
        self.add_number(
            ("performance", "warm_memory_bytes"),
            self.tr("Memory for models"),
            0,
            4096,
            self.tr("All loaded models together."),
            step=1,
            decimals=1,
            suffix=self.tr(" GB"),
            special=self.tr("Half of what is free"),
            scale=_GB,
            as_whole=True,
        )

    def _add_ahead(self) -> None:
        self.add_heading(self.tr("Ahead of the first token"))
        self.add_switch(
            ("performance", "is_prewarm_on"),
            self.tr("Prepare while you type"),
            self.tr("The model reads the chat and your unsent text, so that the answer begins sooner."),
        )
        self.add_switch(
            ("performance", "is_prewarm_on_battery"),
            self.tr("Also on battery"),
            self.tr("Preparing what is then not sent costs energy."),
        )
        self.add_number(
            (*LOAD, "snapshot_memory_bytes"),
            self.tr("Snapshots in memory"),
            0,
            512,
            self.tr("A chat whose KV cache is kept is opened in milliseconds instead of being read again."),
            step=0.5,
            decimals=1,
            suffix=self.tr(" GB"),
            special=self.tr("None"),
            scale=_GB,
            as_whole=True,
        )
        self.add_number(
            (*LOAD, "snapshot_disk_bytes"),
            self.tr("Snapshots on disk"),
            0,
            4096,
            self.tr("They outlive a restart. Deleting a chat deletes its snapshots."),
            step=1,
            decimals=1,
            suffix=self.tr(" GB"),
            special=self.tr("None"),
            scale=_GB,
            as_whole=True,
        )

    def _add_loading(self) -> None:
        self.add_heading(self.tr("How models are loaded"))
        self.scope = QComboBox()
        self.scope.addItems([self.tr("All models"), ""])
        self.scope.activated.connect(self._choose_scope)
        self.add_row(
            self.tr("For"), self.scope, self.tr("A model with settings of its own no longer follows those of all.")
        )
        automatic = self.tr("Automatic")
        self.add_whole(
            (*LOAD, "n_ctx"),
            self.tr("Context"),
            0,
            1 << 20,
            self.tr("Tokens that one chat can hold. Automatic takes what fits, up to what the model was trained for."),
            step=1024,
            special=automatic,
            in_force="n_ctx",
        )
        self.add_choice(
            ((*LOAD, "type_k"), (*LOAD, "type_v")),
            self.tr("KV cache type"),
            {kind: kind.value for kind in _KV_TYPES},
            self.tr(
                "q8_0 halves the memory of a context and is hard to tell from f16; q4_0 quarters it and can be told."
            ),
            in_force="type_k",
        )
        self.add_choice(
            (*LOAD, "flash_attn"),
            self.tr("Flash attention"),
            {Switch.AUTO: automatic, Switch.ON: self.tr("On"), Switch.OFF: self.tr("Off")},
            self.tr("Less memory and a faster prefill; a quantized KV cache needs it."),
            in_force="flash_attn",
        )
        self.add_whole(
            (*LOAD, "n_gpu_layers"),
            self.tr("Layers on the GPU"),
            -1,
            999,
            special=self.tr("What fits"),
            in_force="n_gpu_layers",
        )
        self.add_whole((*LOAD, "n_threads"), self.tr("CPU threads"), 0, 256, special=automatic, in_force="n_threads")
        self.add_whole(
            (*LOAD, "n_parallel"),
            self.tr("Parallel sequences"),
            1,
            64,
            self.tr("Answers that can run at once; they share one cache."),
            in_force="n_parallel",
        )
        self.add_choice(
            (*LOAD, "speculative"),
            self.tr("Speculative decoding"),
            {
                Speculative.OFF: self.tr("Off"),
                Speculative.LOOKUP: self.tr("From the text so far"),
                Speculative.DRAFT: self.tr("With a small model"),
            },
            self.tr(
                "Guesses several tokens and checks them in one step. It pays where text is repeated, and never changes "
                "what is answered."
            ),
            in_force="speculative",
        )
        self.reload_button = QPushButton(self.tr("Load the model again"))
        self.reload_button.clicked.connect(self.reload_requested)
        self.add_row("", self.reload_button, self.tr("Settings of this part count when a model is loaded."))
        self.state.changed.connect(self._compare)

    def locate(self, path: Path) -> Path:
        is_own = path[: len(LOAD)] == LOAD and self._model_id in self.state.settings.models.per_model
        return (*PER_MODEL, self._model_id, *path[len(LOAD) :]) if is_own else path

    def refresh(self) -> None:
        super().refresh()
        self._show_scope()

    def set_effective(self, effective: EffectiveSettings | None, model_id: str = "") -> None:
        """What the loaded model runs with; None when none is loaded."""
        self._effective, self._model_id = effective, model_id
        self.reload_button.setEnabled(effective is not None)
        self.refresh()
        self._compare()

    def _show_scope(self) -> None:
        name = self._effective.model_name if self._effective is not None else ""
        self.scope.setItemText(1, self.tr("Only {name}").format(name=name or self._model_id))
        self.scope.setEnabled(bool(self._model_id))
        self.scope.setCurrentIndex(int(self._model_id in self.state.settings.models.per_model))

    def _choose_scope(self, index: int) -> None:
        """Give the loaded model settings of its own, which begin as those of all, or take them from it."""
        own = dict(self.state.value(PER_MODEL))
        if index:
            own.setdefault(self._model_id, self.state.value(LOAD))
        else:
            own.pop(self._model_id, None)
        self.state.set_value(own, PER_MODEL)

    def _compare(self) -> None:
        asked: ModelSettings = self.state.value(self.locate(LOAD))
        found = self._effective
        if found is None:
            for key in self._in_force:
                self.show_in_force(key, "")
            return
        kinds = found.type_k.value if found.type_k is found.type_v else f"{found.type_k.value}, {found.type_v.value}"
        is_flash = self.tr("on") if found.flash_attn else self.tr("off")
        layers = self.tr("{n} of {total}").format(n=found.n_gpu_layers, total=found.n_layers)
        words = {
            Speculative.OFF: self.tr("off"),
            Speculative.LOOKUP: self.tr("from the text so far"),
            Speculative.DRAFT: self.tr("with a small model"),
        }
        is_flash_asked = asked.flash_attn is (Switch.ON if found.flash_attn else Switch.OFF)
        for key, text, is_same in (
            ("n_ctx", format_count(found.n_ctx), asked.n_ctx == found.n_ctx),
            ("type_k", kinds, asked.type_k is found.type_k and asked.type_v is found.type_v),
            ("flash_attn", is_flash, is_flash_asked),
            ("n_gpu_layers", layers, asked.n_gpu_layers == found.n_gpu_layers),
            ("n_threads", str(found.n_threads), asked.n_threads == found.n_threads),
            ("n_parallel", str(found.n_parallel), asked.n_parallel == found.n_parallel),
            ("speculative", words[found.speculative], asked.speculative is found.speculative),
        ):
            self.show_in_force(key, "" if is_same else text)
