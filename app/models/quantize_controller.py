"""Asks the host for what the dialog of another quantization shows: exact sizes, and the file being made."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal

from app.core.engine_texts import failure_text
from app.core.host_client import HostClient
from app.core.request_runner import RequestRunner
from app.models.quantize_dialog import QuantizeDialog
from engine.errors import Code
from engine.protocol import ModelEntry, QuantizeFinished, QuantizeModel, QuantizeProgress, RequestFailed


class QuantizeController(RequestRunner):
    """Opens a dialog for `model`, and lives as long as that. `made` when a new file is there."""

    made = Signal()

    def __init__(self, dialog: QuantizeDialog, model: ModelEntry, client: HostClient) -> None:
        super().__init__(client, dialog)
        self._dialog, self._model = dialog, model
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.size_requested.connect(lambda kind: self.run("size", self._ask_size(kind)))
        dialog.start_requested.connect(lambda kind, allows: self.run("make", self._make(kind, allows)))
        dialog.stop_requested.connect(self._stop)
        dialog.open()
        dialog.begin()

    def _stop(self) -> None:
        self.stop("make")
        self._dialog.set_failure("")

    async def _ask_size(self, kind: str) -> None:
        command = QuantizeModel(path=self._model.path, quantization=kind, allow_requantize=True, is_dry_run=True)
        event = await self.request(command, quiet=True)
        if isinstance(event, QuantizeFinished):
            self._dialog.set_size(kind, event.size_bytes)

    async def _make(self, kind: str, allows: bool) -> None:
        command = QuantizeModel(path=self._model.path, quantization=kind, allow_requantize=allows)
        async for event in self._client.stream(command):
            if isinstance(event, QuantizeProgress):
                self._dialog.set_progress(event.fraction)
            elif isinstance(event, QuantizeFinished):
                self._dialog.set_finished(event.size_bytes, event.tensor_mix)
                self.made.emit()
            elif isinstance(event, RequestFailed):
                is_stopped = event.failure.code is Code.CANCELLED
                self._dialog.set_failure("" if is_stopped else failure_text(event.failure))
