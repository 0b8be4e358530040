"""Loads and unloads the window's model, and keeps what the engine reports about it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.core.host_client import HostClient, HostState
from app.core.request_runner import RequestRunner
from app.core.settings_store import SettingsStore
from app.models.model_status import ModelState, ModelStatus, display_name
from engine.protocol import (
    ListModels,
    LoadModel,
    LoadProgress,
    ModelLoaded,
    ModelSettings,
    ModelsListed,
    ModelUnloaded,
    RequestFailed,
    UnloadModel,
    WorkerCrashed,
)


class ModelController(RequestRunner):
    """Signals: `status_changed(ModelStatus)`, `models_listed(tuple[ModelEntry])`,
    `given_up(model id)` when a load was stopped: what waits for it is given up too.
    """

    status_changed = Signal(object)
    given_up = Signal(str)
    models_listed = Signal(object)
    settings_wanted = Signal(str, str)
    """Somebody wants to see how a model is loaded, by its id and name."""

    def __init__(self, client: HostClient, settings_store: SettingsStore, parent: QObject) -> None:
        super().__init__(client, parent)
        self._settings_store = settings_store
        self._status = ModelStatus()
        self._answering: frozenset[str] = frozenset()
        client.subscribe(LoadProgress, self._on_progress)
        client.subscribe(ModelLoaded, self._on_loaded)
        client.subscribe(ModelUnloaded, self._on_unloaded)
        client.subscribe(WorkerCrashed, self._on_crashed)
        client.restarted.connect(self._on_restarted)
        client.state_changed.connect(self._on_host_state)

    @property
    def status(self) -> ModelStatus:
        return self._status

    @property
    def model_id(self) -> str:
        """The model that answers are asked of, loaded or not."""
        return self._status.model_id

    def load(self, model_id: str, *, name: str = "", settings: ModelSettings | None = None) -> None:
        """Load a model in the background; one that is still loading is given up."""
        self._set_status(ModelStatus(ModelState.LOADING, model_id, name or display_name(model_id)))
        self.run("load", self._load(model_id, settings or self.settings_of(model_id)))

    def cancel_load(self) -> None:
        """Give up what is being loaded, whoever wanted it; its name stays, to be loaded another time."""
        self.stop("load")
        if self._status.state is ModelState.LOADING:
            self._set_status(self._status._replace(state=ModelState.COLD, fraction=0.0, step="", effective=None))
            self.given_up.emit(self.model_id)
            self.unload()

    def unload(self, model_id: str = "") -> None:
        """Give a model's memory back; without a name, that of the chosen one."""
        self.tell(UnloadModel(model_id=model_id or self.model_id))

    def refresh(self) -> None:
        """Ask for the list of models; it comes with models_listed."""
        self.run("list", self._list())

    def set_answering(self, model_ids: frozenset[str]) -> None:
        """The models that write answers now."""
        self._answering = model_ids
        if self._status.state in (ModelState.WARM, ModelState.BUSY):
            self._set_status(self._status._replace(state=self._ready_state()))

    def settings_of(self, model_id: str) -> ModelSettings:
        """How a model is asked to load."""
        settings = self._settings_store.settings
        return settings.models.per_model.get(model_id, settings.performance.load)

    async def _load(self, model_id: str, settings: ModelSettings) -> None:
        async for event in self._client.stream(LoadModel(model_id=model_id, settings=settings)):
            if isinstance(event, ModelLoaded):
                self._take_loaded(event)
                self._settings_store.change("models", last_model=model_id)
            elif isinstance(event, RequestFailed):
                self._set_status(self._status._replace(state=ModelState.FAILED, failure=event.failure))
                self.failed.emit(event.failure)
            elif isinstance(event, LoadProgress):
                self._set_status(self._status._replace(fraction=event.fraction, step=event.step))

    async def _list(self) -> None:
        event = await self.request(ListModels())
        if isinstance(event, ModelsListed):
            self.models_listed.emit(tuple(model for model in event.models if model.kind == "chat"))

    # What happens to the model without our asking: by the pool, a crash, or a request that loaded it.

    def _on_progress(self, event: LoadProgress) -> None:
        if self._is_others_doing(event.model_id):
            state, fraction = ModelState.LOADING, event.fraction
            self._set_status(self._status._replace(state=state, fraction=fraction, step=event.step, effective=None))

    def _on_loaded(self, event: ModelLoaded) -> None:
        if self._is_others_doing(event.model_id):
            self._take_loaded(event)

    def _on_unloaded(self, event: ModelUnloaded) -> None:
        if self._is_others_doing(event.model_id):
            self._set_status(self._status._replace(state=ModelState.COLD, effective=None, failure=None))

    def _on_crashed(self, event: WorkerCrashed) -> None:
        if event.model_id == self.model_id:
            state = ModelState.LOADING if event.is_restarting else ModelState.FAILED
            self._set_status(self._status._replace(state=state, fraction=0.0, effective=None, failure=event.failure))
            self.failed.emit(event.failure)

    def _is_others_doing(self, model_id: str) -> bool:
        """Whether it is the chosen model that something happens to, and no load of ours that says so itself."""
        return model_id == self.model_id and not self.is_running("load")

    def _on_host_state(self, state: HostState) -> None:
        """A host that is given up takes its model along: what was said about starting it again is over."""
        if state is HostState.FAILED and self.model_id:
            failure = self._client.failure
            status = self._status._replace(state=ModelState.FAILED, fraction=0.0, effective=None, failure=failure)
            self._set_status(status)

    def _on_restarted(self) -> None:
        if self.model_id:
            self.load(self.model_id, name=self._status.name)

    def _take_loaded(self, event: ModelLoaded) -> None:
        name = self._status.name or event.effective.model_name
        self._set_status(ModelStatus(self._ready_state(), self.model_id, name, 1.0, event.effective))

    def _ready_state(self) -> ModelState:
        return ModelState.BUSY if self.model_id in self._answering else ModelState.WARM

    def _set_status(self, status: ModelStatus) -> None:
        if status != self._status:
            self._status = status
            self.status_changed.emit(status)
