"""Opens an attachment, and counts the tokens of the part that is being chosen."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, QTimer

from app.composer.composer import Composer
from app.composer.prompt_size import PromptSize
from app.core.host_client import HostClient
from app.core.tasks import is_possible, spawn
from engine.protocol import CountTokens, TokensCounted

if TYPE_CHECKING:
    from app.composer.part_dialog import PartDialog
    from engine.store.chat_values import Attachment

MARGIN = 16
"""Tokens that a text may have more in its place than counted alone."""
_PAUSE_MS = 150
_CHARACTERS_PER_TOKEN = 3.5
"""Until the model has counted."""


class PartController(QObject):
    """One dialog at a time, over the composer's window. `model_id()` is the model that will answer."""

    def __init__(self, composer: Composer, client: HostClient, model_id: Callable[[], str], parent: QObject) -> None:
        super().__init__(parent)
        self._composer, self._client, self._model_id = composer, client, model_id
        self.dialog: PartDialog | None = None
        self._work: asyncio.Task[None] | None = None
        self._exact: asyncio.Task[None] | None = None
        composer.part_requested.connect(self.open)
        composer.text_part_requested.connect(self._open_text)

    def open(self, attachment: Attachment) -> None:
        """Show the attachment, and let a part of it be chosen."""
        from app.composer.part_dialog import PartDialog

        if self.dialog is not None:
            self.dialog.reject()
        n_total = self._composer.tokens_of(attachment, is_whole=True) or len(attachment.text) / _CHARACTERS_PER_TOKEN
        self.dialog = dialog = PartDialog(
            self._composer.theme, attachment, n_total, self._room(attachment), self._composer.window()
        )
        pause = QTimer(dialog, singleShot=True, interval=_PAUSE_MS)
        pause.timeout.connect(lambda: self._count_part(dialog))
        dialog.range_changed.connect(lambda _start, _end: pause.start())
        dialog.part_chosen.connect(
            lambda part: self._composer.files.replace(
                attachment, msgspec.structs.replace(attachment, part=part, n_tokens=0)
            )
        )
        dialog.insert_requested.connect(lambda text: self._composer.insert_attachment(attachment, text))
        dialog.finished.connect(self._on_finished)
        dialog.open()
        pause.start()
        self._work = spawn(self._count_pieces(dialog), owner=self, name="count pieces")

    def _open_text(self) -> None:
        """What is written is too long: it becomes an attachment first."""
        from app.composer.attachments import pasted

        attachment = pasted(self._composer.text, self.tr("Written text"))
        self._composer.edit.clear()
        self._composer.files.add(attachment)
        self.open(attachment)

    def _room(self, attachment: Attachment) -> float:
        """Tokens that this attachment may have beside the rest of the message; infinite while that is unknown."""
        size = self._composer.size_of_draft
        if size == PromptSize():
            return math.inf
        own = self._composer.tokens_of(attachment, is_whole=False) or 0
        return size.room - (size.n_own - own) - MARGIN

    async def _count_pieces(self, dialog: PartDialog) -> None:
        from app.composer.text_part import pieces

        text = dialog.attachment.text
        ends: list[int] = []
        counts: list[int] = []
        for start, end in pieces(text):
            n_tokens = await self._count(text[start:end])
            if n_tokens is None:
                return
            ends.append(end)
            counts.append(n_tokens)
            dialog.curve.set_pieces(ends, counts)
            dialog.curve_refined()

    def _count_part(self, dialog: PartDialog) -> None:
        if self._exact is not None:
            self._exact.cancel()
        if not is_possible():
            return
        self._exact = spawn(self._count_exactly(dialog, dialog.part), owner=self, name="count part")

    async def _count_exactly(self, dialog: PartDialog, part: tuple[int, int]) -> None:
        n_tokens = await self._count(dialog.attachment.text[slice(*part)])
        if n_tokens is not None:
            dialog.set_exact(part, n_tokens)

    async def _count(self, text: str) -> int | None:
        event = await self._client.request(CountTokens(model_id=self._model_id(), prompt=text))
        return event.n_tokens if isinstance(event, TokensCounted) else None

    def _on_finished(self) -> None:
        for task in (self._work, self._exact):
            if task is not None:
                task.cancel()
        self.dialog = self._work = self._exact = None
        self._composer.setFocus()
