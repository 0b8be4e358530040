"""Runs the dialog that makes another quantization: asks the host for sizes, for the file, and for its end."""

from __future__ import annotations

import asyncio
import contextlib

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from app.core.engine_texts import failure_text
from app.core.host_client import HostClient
from app.core.tasks import spawn
from app.models.quantize_dialog import QuantizeDialog
from app.ui.theme import Theme
from engine.errors import Code
from engine.protocol import ModelEntry, QuantizeFinished, QuantizeModel, QuantizeProgress, RequestFailed


class QuantizeController(QObject):
    """`made` when a new file is there."""

    made = Signal()

    def __init__(self, client: HostClient, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._client, self._theme, self._parent = client, theme, parent
        self._running: asyncio.Task[None] | None = None
        self._sizing: asyncio.Task[None] | None = None
        self.dialog: QuantizeDialog | None = None

    def open(self, model: ModelEntry) -> None:
        """Show the dialog for a model."""
        self.dialog = dialog = QuantizeDialog(self._theme, model, self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.size_requested.connect(lambda kind: self._size(dialog, model, kind))
        dialog.start_requested.connect(lambda kind, allows: self._start(dialog, model, kind, allows))
        dialog.stop_requested.connect(self.stop)
        dialog.finished.connect(self._on_closed)
        dialog.open()
        dialog.begin()

    def stop(self) -> None:
        """Give up what is being made."""
        if self._running is not None:
            self._running.cancel()

    def _on_closed(self) -> None:
        self.dialog = None
        if self._sizing is not None:
            self._sizing.cancel()

    def _size(self, dialog: QuantizeDialog, model: ModelEntry, kind: str) -> None:
        if self._sizing is not None:
            self._sizing.cancel()
        self._sizing = spawn(self._ask_size(dialog, model, kind), owner=self, name="quantization size")

    def _start(self, dialog: QuantizeDialog, model: ModelEntry, kind: str, allows: bool) -> None:
        self._running = spawn(self._make(dialog, model, kind, allows), owner=self, name="quantize")

    async def _ask_size(self, dialog: QuantizeDialog, model: ModelEntry, kind: str) -> None:
        event = await self._client.request(
            QuantizeModel(
                path=model.path,
                quantization=kind,
                allow_requantize=True,
                is_dry_run=True,
            )
        )
        if isinstance(event, QuantizeFinished) and self.dialog is dialog:
            dialog.set_size(kind, event.size_bytes)

    async def _make(self, dialog: QuantizeDialog, model: ModelEntry, kind: str, allows: bool) -> None:
        command = QuantizeModel(path=model.path, quantization=kind, allow_requantize=allows)
        try:
            async with contextlib.aclosing(self._client.stream(command)) as events:
                async for event in events:
                    if self.dialog is not dialog:
                        continue
                    if isinstance(event, QuantizeProgress):
                        dialog.set_progress(event.fraction)
                    elif isinstance(event, QuantizeFinished):
                        dialog.set_finished(event.size_bytes, event.tensor_mix)
                        self.made.emit()
                    elif isinstance(event, RequestFailed):
                        is_stopped = event.failure.code is Code.CANCELLED
                        dialog.set_failure("" if is_stopped else failure_text(event.failure))
        except asyncio.CancelledError:
            if self.dialog is dialog:
                dialog.set_failure("")
            raise
