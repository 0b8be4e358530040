"""Takes files and long pastes into the composer: from a dialog, a drop, or the clipboard."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog

from app.attachments import paste_attachment, read_attachment
from app.tasks import run_blocking, spawn
from app.widgets.composer import Composer
from engine.errors import FirstlightError


class FileIntake(QObject):
    """`failed(Failure)` for what cannot be attached."""

    failed = Signal(object)

    def __init__(self, composer: Composer, parent: QObject) -> None:
        super().__init__(parent)
        self._composer = composer
        composer.attach_requested.connect(self.choose)
        composer.files_offered.connect(self.take)
        composer.paste_offered.connect(self._take_paste)

    def choose(self) -> None:
        """Ask for files."""
        dialog = QFileDialog(self._composer.window(), self.tr("Attach files"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda names: self.take([Path(name) for name in names]))
        dialog.open()

    def take(self, paths: list[Path]) -> None:
        """Read files in the background; each appears when it is read."""
        for path in paths:
            spawn(self._take(path), owner=self, name="attach")

    async def _take(self, path: Path) -> None:
        try:
            self._composer.add_attachment(await run_blocking(read_attachment, path))
        except FirstlightError as error:
            self.failed.emit(error.failure)

    def _take_paste(self, text: str) -> None:
        self._composer.add_attachment(paste_attachment(text, self.tr("Pasted text")))
