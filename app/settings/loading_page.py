"""Settings: how models are loaded, all or a single one; beside it what is in force, below it what it comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QPushButton

from app.core.settings_store import LOAD, PER_MODEL, SettingPath, SettingsStore, with_value
from app.models.model_status import display_name, written_by
from app.settings.device_form import DeviceForm
from app.settings.load_plan_view import LoadPlanView
from app.settings.settings_form import EDITOR_WIDTH, SettingsPage
from app.ui.quantities import format_count
from app.ui.theme import Theme
from engine.protocol.events import LoadPlanned
from engine.protocol.values import Device, EffectiveSettings, KvType, ModelSettings, Speculative, Switch

_KV_TYPES = (KvType.F16, KvType.BF16, KvType.Q8_0, KvType.Q4_0)
"""Those that run with flash attention on every device when K and V are equal."""
_GB = 1e-9
_PAUSE_MS = 150
"""After the last change: a number that is being turned is planned once."""


class LoadingPage(SettingsPage):
    """`load_requested(model_id, name)` with the settings as they are now; `plan_requested(model_id, ModelSettings)`.

    A single model follows the settings of all until one of its own is changed.
    """

    load_requested = Signal(str, str)
    plan_requested = Signal(str, object)

    def __init__(self, store: SettingsStore, theme: Theme) -> None:
        super().__init__(store, theme)
        self.set_title(self.tr("Loading"))
        self._effective: EffectiveSettings | None = None
        self._loaded_id = ""
        self._names: dict[str, str] = {}
        self._model_id = ""
        """The model whose settings are shown; empty for those of all."""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self._ask_plan)
        self._add_scope()
        self._add_context()
        self.devices = DeviceForm(self, asked=lambda: self.asked, write=self.write_all)
        self._add_plan()
        self._add_running()
        self._add_snapshots()
        self.store.changed.connect(self._compare)
        self.refresh()
        self._compare()

    def _add_scope(self) -> None:
        self.scope = QComboBox()
        self.scope.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.scope.setMinimumWidth(EDITOR_WIDTH)
        self.scope.activated.connect(lambda _index: self._show_model(self.scope.currentData()))
        self.add_row(self.tr("For"), self.scope, self.tr("For every model without settings of its own."))
        self.follow_button = QPushButton(self.tr("Follow the settings of all models again"))
        self.follow_button.setObjectName("link")
        self.follow_button.clicked.connect(self._follow)
        self.add_row("", self.follow_button)

    def _add_context(self) -> None:
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
                "q8_0 halves the memory of a context and is hard to tell from f16; q4_0 quarters it, and it shows."
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

    def _add_plan(self) -> None:
        self.add_heading(self.tr("What it comes to"))
        self.plan = LoadPlanView(self.theme)
        self.add_wide(self.plan)
        self.load_button = QPushButton()
        self.load_button.clicked.connect(self._load)
        self.add_row("", self.load_button, self.tr("Settings of this page count when a model is loaded."))

    def _add_running(self) -> None:
        self.add_heading(self.tr("While it runs"))
        self.add_whole(
            (*LOAD, "n_threads"), self.tr("CPU threads"), 0, 256, special=self.tr("Automatic"), in_force="n_threads"
        )
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

    def _add_snapshots(self) -> None:
        self.add_heading(self.tr("Kept for chats"))
        for name, label, top, step, hint in (
            (
                "snapshot_memory_bytes", self.tr("Snapshots in memory"), 512, 0.5,
                self.tr("A chat whose KV cache is kept is opened in milliseconds instead of being read again."),
            ),
            (
                "snapshot_disk_bytes", self.tr("Snapshots on disk"), 4096, 1.0,
                self.tr("They outlive a restart. Deleting a chat deletes its snapshots."),
            ),
        ):  # fmt: skip
            self.add_number(
                (*LOAD, name), label, 0, top, hint, step=step, decimals=1, suffix=self.tr(" GB"),
                special=self.tr("None"), scale=_GB, as_whole=True,
            )  # fmt: skip

    # What the page is told.

    def set_effective(self, effective: EffectiveSettings | None, model_id: str = "") -> None:
        """What the loaded model runs with; None when none is loaded, `model_id` then is the one that was."""
        if (effective, model_id) == (self._effective, self._loaded_id):
            return  # A load tells how far it is many times a second.
        if model_id not in (self._loaded_id, self._model_id):
            self._model_id = model_id if model_id in self.store.settings.models.per_model else ""
        self._effective, self._loaded_id = effective, model_id
        if effective is not None:
            self._names[model_id] = written_by(model_id, effective)
        self.refresh()
        self._compare()

    def set_devices(self, devices: Sequence[Device], build: str) -> None:
        """What the engine sees."""
        self.devices.set_devices(devices, build)
        self.refresh()

    def set_devices_problem(self, sentence: str) -> None:
        """Why the engine could not be asked for its devices."""
        self.devices.set_problem(sentence)
        self.refresh()

    def set_plan(self, plan: LoadPlanned) -> None:
        """What a load with the settings shown would do."""
        self.plan.set_plan(plan, self._name(plan.model_id), self.devices.known)
        self.devices.set_plan(plan)
        self._describe_load()

    def set_plan_problem(self, sentence: str) -> None:
        """Why no such load can be foretold."""
        self.plan.set_problem(sentence)
        self._describe_load()

    def _describe_load(self) -> None:
        """What Tab does not come by is said where it decides."""
        self.load_button.setAccessibleDescription("\n".join((self.hint(self.load_button), *self.plan.texts)))

    def show_model(self, model_id: str, name: str) -> None:
        """Show the settings of one model, loaded or not."""
        self._names[model_id] = name
        self._show_model(model_id)

    # Whose settings they are.

    @property
    def has_own(self) -> bool:
        """Whether the model that is shown has settings of its own."""
        return self._model_id in self.store.settings.models.per_model

    @property
    def asked(self) -> ModelSettings:
        """The settings that are shown."""
        asked: ModelSettings = self.store.value(self.locate(LOAD))
        return asked

    def locate(self, path: SettingPath) -> SettingPath:
        return (*PER_MODEL, self._model_id, *path[len(LOAD) :]) if self.has_own else path

    def write(self, value: object, *paths: SettingPath) -> None:
        self.write_all({path: value for path in paths})

    def write_all(self, values: Mapping[SettingPath, object]) -> None:
        """Several settings at once. The first change to a model that follows all gives it settings of its own."""
        settings = self.store.settings
        if self._model_id and not self.has_own:
            settings = with_value(settings, (*PER_MODEL, self._model_id), settings.performance.load)
        for path, value in values.items():
            own = (*PER_MODEL, self._model_id, *path[len(LOAD) :]) if self._model_id else path
            settings = with_value(settings, own, value)
        self.store.replace(settings)

    def reset(self) -> None:
        """The defaults; a model that follows all has none to bring back."""
        if self.has_own or not self._model_id:
            super().reset()

    def refresh(self) -> None:
        super().refresh()
        self._show_scope()
        self.devices.refresh()
        self._pause.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._pause.start()

    def _show_model(self, model_id: str) -> None:
        self.flush()
        self._model_id = model_id
        self.refresh()
        self._compare()

    def _follow(self) -> None:
        own = {key: value for key, value in self.store.value(PER_MODEL).items() if key != self._model_id}
        self.store.set_value(own, PER_MODEL)

    def _load(self) -> None:
        self.flush()
        model_id = self._model_id or self._loaded_id
        self.load_requested.emit(model_id, self._name(model_id))

    def _show_scope(self) -> None:
        per_model = self.store.settings.models.per_model
        ids = dict.fromkeys(model_id for model_id in (self._loaded_id, self._model_id, *per_model) if model_id)
        self.scope.clear()
        self.scope.addItem(self.tr("All models"), "")
        for model_id in ids:
            self.scope.addItem(self.tr("Only {name}").format(name=self._name(model_id)), model_id)
        self.scope.setCurrentIndex(self.scope.findData(self._model_id))
        self.set_hint(
            self.scope,
            self.tr("It has settings of its own and no longer follows those of all models.")
            if self.has_own
            else self.tr("It follows the settings of all models. A change here gives it its own.")
            if self._model_id
            else self.tr("For every model without settings of its own."),
        )
        self.show_row(self.follow_button, self.has_own)
        self.reset_button.setVisible(self.has_own or not self._model_id)

    def _name(self, model_id: str) -> str:
        return self._names.get(model_id) or display_name(model_id)

    # What it comes to, and what is in force.

    def _ask_plan(self) -> None:
        """For the model that is shown, or the one that is loaded or was last; nothing is asked behind the scenes."""
        if not self.isVisible():
            return
        if model_id := self._model_id or self._loaded_id or self.store.settings.models.last_model:
            self.plan_requested.emit(model_id, self.asked)
        else:
            self.plan.set_problem(self.tr("Choose a model to see what these settings come to with it."))

    def _compare(self) -> None:
        found = self._effective
        follows_all = not self._model_id and self._loaded_id not in self.store.settings.models.per_model
        is_shown = found is not None and (self._model_id == self._loaded_id or follows_all)
        self.load_button.setText(self.tr("Load the model again") if is_shown else self.tr("Load the model"))
        self.load_button.setEnabled(bool(self._model_id or (self._loaded_id and follows_all)))
        if found is None or not is_shown:
            for key in self._in_force:
                self.show_in_force(key, "")
            return
        asked = self.asked
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
            ("n_cpu_moe", str(found.n_cpu_moe), asked.n_cpu_moe == found.n_cpu_moe),
            ("n_threads", str(found.n_threads), asked.n_threads == found.n_threads),
            ("n_parallel", str(found.n_parallel), asked.n_parallel == found.n_parallel),
            ("speculative", words[found.speculative], asked.speculative is found.speculative),
        ):
            self.show_in_force(key, "" if is_same else text)
