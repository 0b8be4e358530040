"""Takes files and long pastes into the composer: from a dialog, a drop, or the clipboard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from app.composer.attachment_chip import ReadingChip
from app.composer.attachments import FileKind, file_size, kind_of, pasted, pasted_picture, picture, read_text
from app.composer.composer import Composer
from app.composer.composer_edit import PASTE_LIMIT
from app.composer.document_reader import read_document
from app.composer.documents.reader_messages import PagesRead
from app.core.tasks import run_blocking, spawn
from app.ui.file_dialog import ask_for_files
from app.ui.quantities import format_count
from app.ui.theme import Theme
from engine.errors import FirstlightError
from engine.store.chat_values import Attachment

_MIME = {
    FileKind.PDF: "application/pdf",
    FileKind.WORD: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
_MAX_RUNS = 8
"""Of page numbers in a sentence."""


class AttachmentController(QObject):
    """Signals: `failed(Failure)` for what cannot be attached, `noted(text)` for what the user has to know about it."""

    failed = Signal(object)
    noted = Signal(str)

    def __init__(self, theme: Theme, composer: Composer, parent: QObject) -> None:
        super().__init__(parent)
        self._theme, self._composer = theme, composer
        composer.edit.paste_limit = PASTE_LIMIT
        composer.attach_requested.connect(self.choose)
        composer.files_offered.connect(self.take)
        composer.paste_offered.connect(self._take_paste)
        composer.picture_offered.connect(self._take_picture)

    def choose(self) -> None:
        """Ask for files."""
        ask_for_files(self._theme, self._composer.window(), self.tr("Attach files"), self.take)

    def take(self, paths: list[Path]) -> None:
        """Read files in the background; each is shown at once, with how far its reading is."""
        for path in paths:
            chip = self._composer.files.begin_reading(path.name)
            task = spawn(self._take(path, chip), owner=self, name="attach")
            chip.cancelled.connect(task.cancel)
            task.add_done_callback(partial(self._end_reading, chip))

    def _end_reading(self, chip: ReadingChip, _task: asyncio.Task[None]) -> None:
        self._composer.files.end_reading(chip)

    async def _take(self, path: Path, chip: ReadingChip) -> None:
        try:
            kind = await run_blocking(kind_of, path)
            if kind is FileKind.TEXT:
                made = await run_blocking(read_text, path)
            elif kind is FileKind.PICTURE:
                made = await run_blocking(picture, path)
            else:
                made = await self._read_document(path, kind, chip.set_progress)
        except FirstlightError as error:
            self.failed.emit(error.failure)
        else:
            self._composer.files.add(made, chip)

    async def _read_document(self, path: Path, kind: FileKind, report: Callable[[PagesRead], None]) -> Attachment:
        found = await read_document(path, kind, report)
        if found.broken_pages:
            self.noted.emit(self._left_out(path.name, found.broken_pages))
        if found.is_cut:
            self.noted.emit(self._cut(path.name, len(found.pages), found.n_pages))
        elif found.n_blank_pages:
            self.noted.emit(self._without_text(path.name, found.n_blank_pages, found.n_pages))
        size = await run_blocking(file_size, path)
        return Attachment(
            name=path.name, mime=_MIME[kind], text=found.text, pages=found.pages, n_bytes=size, path=str(path)
        )

    def _cut(self, name: str, n: int, total: int) -> str:
        if not n:
            text = self.tr("{name} is too long to be read as a whole: only its beginning is attached.")
        else:
            text = self.tr(
                "{name} is too long to be read as a whole: the first {n} of {total} pages are attached.", None, n
            )
        return text.format(name=name, n=format_count(n), total=format_count(total))

    def _without_text(self, name: str, n: int, total: int) -> str:
        text = self.tr(
            "{n} of {total} pages of {name} hold no text but pictures, which the model does not get.", None, n
        )
        return text.format(name=name, n=format_count(n), total=format_count(total))

    def _left_out(self, name: str, pages: Sequence[int]) -> str:
        if len(pages) == 1:
            return self.tr("Page {page} of {name} is damaged and was left out.").format(page=pages[0], name=name)
        text = self.tr("Pages {pages} of {name} are damaged and were left out.")
        return text.format(pages=page_ranges(pages), name=name)

    def _take_paste(self, text: str) -> None:
        self._composer.files.add(pasted(text, self.tr("Pasted text")))

    def _take_picture(self, image: QImage) -> None:
        self._composer.files.add(pasted_picture(image, self.tr("Pasted picture")))


def page_ranges(pages: Sequence[int]) -> str:
    """Rising page numbers, runs joined: (2, 5, 6, 7) → 2, 5–7; of very many the first ones."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    said = [f"{first}–{last}" if last > first else f"{first}" for first, last in runs[:_MAX_RUNS]]
    return ", ".join([*said, "…"] if len(runs) > _MAX_RUNS else said)
