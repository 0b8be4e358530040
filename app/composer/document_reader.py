"""Reads PDF and Word files in a process of its own, which is ended when it takes too long or is no longer wanted."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
from PySide6.QtCore import QCoreApplication, QObject, QProcess

from app.composer.attachments import FileKind, refusal
from app.composer.documents.reader_messages import Answer, Extracted, PagesRead, Problem
from engine.errors import Code, EngineError, RequestError

PATIENCE_S = 30.0
"""For one page, or for a whole Word file."""
_ROOT = Path(__file__).resolve().parents[2]
translate = QCoreApplication.translate


async def read_document(
    path: Path, kind: FileKind, report: Callable[[PagesRead], None], *, patience_s: float = PATIENCE_S
) -> Extracted:
    """The document's text; `report` is called after each page. Cancelling it ends the process.

    Raises RequestError with a sentence for what cannot be read, EngineError when the process does not start.
    """
    reader = _ReaderProcess(path, kind)
    try:
        while True:
            try:
                answer = await asyncio.wait_for(reader.next(), patience_s)
            except TimeoutError:
                raise _took_too_long(path) from None
            if isinstance(answer, Extracted):
                return answer
            if isinstance(answer, PagesRead):
                report(answer)
            else:
                raise told(path, answer.problem if answer is not None else Problem.TOO_BIG)
    finally:
        reader.end()


class _ReaderProcess(QObject):
    """One run of the process."""

    def __init__(self, path: Path, kind: FileKind) -> None:
        super().__init__()
        self._decoder: msgspec.json.Decoder[Answer] = msgspec.json.Decoder(Answer)
        self._answers: asyncio.Queue[Answer | EngineError | None] = asyncio.Queue()
        self._process = QProcess(self)
        self._process.setProgram(sys.executable)
        self._process.setArguments(["-m", "app.composer.documents", kind.value, str(path.absolute())])
        self._process.setWorkingDirectory(str(_ROOT))
        self._process.setStandardErrorFile(QProcess.nullDevice())  # A file that is out of memory writes a traceback.
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(self._on_error)
        self._process.start()

    async def next(self) -> Answer | None:
        """The next answer; None when the process ended without one."""
        answer = await self._answers.get()
        if isinstance(answer, EngineError):
            raise answer
        return answer

    def end(self) -> None:
        self._process.blockSignals(True)
        if self._process.state() is not QProcess.ProcessState.NotRunning:
            self._process.kill()
            self._process.waitForFinished(1_000)
        self.deleteLater()

    def _read(self) -> None:
        while self._process.canReadLine():
            self._answers.put_nowait(self._decoder.decode(self._process.readLine().data()))

    def _on_finished(self) -> None:
        self._read()
        self._answers.put_nowait(None)

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            message = translate("attachments", "The program that reads documents could not be started.")
            self._answers.put_nowait(EngineError(Code.ENGINE_MISSING, message))


def told(path: Path, problem: Problem) -> RequestError:
    """Why a document cannot be read, and what to do about it, in the user's language."""
    message, advice = {
        Problem.DAMAGED: (
            translate("attachments", "{name} is damaged and cannot be read."),
            translate("attachments", "Open it in its own program and save it anew."),
        ),
        Problem.ENCRYPTED: (
            translate("attachments", "{name} is protected with a password."),
            translate("attachments", "Save a copy without the password, and attach that."),
        ),
        Problem.OLD_FORMAT: (
            translate("attachments", "{name} is in Word's old format."),
            translate("attachments", "Save it as .docx, and attach that."),
        ),
        Problem.NO_TEXT: (
            translate("attachments", "{name} holds no text, only pictures of pages or nothing."),
            translate("attachments", "Run a text recognition (OCR) over it first, and attach its result."),
        ),
        Problem.TOO_BIG: (
            translate("attachments", "{name} is too large to be read."),
            translate("attachments", "Attach the pages of it that matter."),
        ),
    }[problem]
    return refusal(message.format(name=path.name), advice)


def _took_too_long(path: Path) -> RequestError:
    return refusal(
        translate("attachments", "Reading {name} took too long and was ended.").format(name=path.name),
        translate("attachments", "Attach the pages of it that matter, or save it anew."),
    )
