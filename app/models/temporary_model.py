"""Loads a model beside the chosen one, for one answer: told over the chat, cancelled there, and offered afterwards."""

from __future__ import annotations

import asyncio
import contextlib

from PySide6.QtCore import QObject

from app.core.engine_texts import failure_text
from app.core.host_client import HostClient
from app.core.tasks import spawn
from app.models.model_controller import ModelController
from app.ui.notice_bar import NoticeBar
from app.ui.quantities import format_share
from engine.protocol import LoadModel, LoadProgress, ModelLoaded, RequestFailed

_NOTICE = "beside"
TOLD_MS = 20_000


class TemporaryModel(QObject):
    """One load at a time, as with the chosen model, which stays chosen."""

    def __init__(self, notices: NoticeBar, client: HostClient, models: ModelController) -> None:
        super().__init__(notices)
        self._notices, self._client, self._models = notices, client, models
        self._loading: asyncio.Task[bool] | None = None
        self._chat_id, self._is_told = "", False

    def chat_opened(self, chat_id: str) -> None:
        """What was told of another chat's answer says nothing about this one."""
        if chat_id != self._chat_id and self._is_told:
            self._notices.dismiss(_NOTICE)
        self._chat_id = chat_id

    async def bring(self, model_id: str, name: str, text: str) -> bool:
        """Load it with its own settings; True when it is there. `text` has places for the {name} and the {percent}."""
        self.stop()
        loading = self._loading = spawn(self._load(model_id, name, text), owner=self, name="load another model")
        is_there = False
        with contextlib.suppress(asyncio.CancelledError):
            is_there = await loading
        if self._loading is loading:
            self._notices.dismiss(_NOTICE)
        return is_there

    def stop(self) -> None:
        """Give up what is being loaded."""
        if self._loading is not None:
            self._loading.cancel()

    def tell(self, text: str, model_id: str, name: str) -> None:
        """Say whose turn it is, and offer to go on with that model."""
        self._is_told = True
        self._notices.show_notice(
            text,
            key=_NOTICE,
            action=self.tr("Go on with {name}").format(name=name),
            on_action=lambda: self._models.load(model_id, name=name),
            lasts_ms=TOLD_MS,
        )

    async def _load(self, model_id: str, name: str, text: str) -> bool:
        self._show_progress(name, text, 0.0)
        settings = self._models.settings_of(model_id)
        command = LoadModel(model_id=model_id, settings=settings)
        async with contextlib.aclosing(self._client.stream(command)) as events:
            async for event in events:
                if isinstance(event, LoadProgress):
                    self._show_progress(name, text, event.fraction)
                elif isinstance(event, ModelLoaded):
                    return True
                elif isinstance(event, RequestFailed):
                    self._notices.show_notice(failure_text(event.failure), is_warning=True)
        return False

    def _show_progress(self, name: str, text: str, fraction: float) -> None:
        said = text.format(name=name, percent=format_share(fraction))
        if fraction == 0.0:
            self._is_told = False
            self._notices.show_notice(said, key=_NOTICE, action=self.tr("Cancel"), on_action=self.stop)
        else:
            self._notices.change_text(_NOTICE, said)
