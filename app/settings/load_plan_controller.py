"""Asks the host what a load with the settings as they stand would come to, and for the devices there are."""

from __future__ import annotations

from app.core.engine_texts import failure_text
from app.core.host_client import HostClient
from app.core.request_runner import RequestRunner
from app.settings.about_page import AboutPage
from app.settings.loading_page import LoadingPage
from engine.protocol import DevicesListed, ListDevices, LoadPlanned, ModelSettings, PlanLoad, RequestFailed


class LoadPlanController(RequestRunner):
    """Fills the pages of the settings that show devices; the newest question counts."""

    def __init__(self, client: HostClient, loading: LoadingPage, about: AboutPage) -> None:
        super().__init__(client, loading)
        self._loading, self._about = loading, about
        loading.plan_requested.connect(self._plan)

    def read_devices(self) -> None:
        """Look at them anew: what is free on them changes."""
        self.run("devices", self._read_devices())

    async def _read_devices(self) -> None:
        event = await self.request(ListDevices(), quiet=True)
        if isinstance(event, DevicesListed):
            self._about.set_engine(event.backend, event.backend_reason, event.devices)
            self._loading.set_devices(event.devices, event.backend)
        elif isinstance(event, RequestFailed):
            self._about.set_problem(failure_text(event.failure))
            self._loading.set_devices_problem(failure_text(event.failure))

    def _plan(self, model_id: str, settings: ModelSettings) -> None:
        self.run("plan", self._ask_plan(model_id, settings))

    async def _ask_plan(self, model_id: str, settings: ModelSettings) -> None:
        event = await self.request(PlanLoad(model_id=model_id, settings=settings), quiet=True)
        if isinstance(event, LoadPlanned):
            self._loading.set_plan(event)
        elif isinstance(event, RequestFailed):
            self._loading.set_plan_problem(failure_text(event.failure))
