"""Opens the ablation, and runs its benchmark in a process of its own, whose progress and figures it reads."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, QProcess, Signal

from app.core.engine_texts import failure_text
from app.latency.ablation_dialog import AblationDialog
from app.ui.theme import Theme
from engine.errors import Failure
from engine.protocol.records import AblationFigures

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


class AblationController(QObject):
    """One dialog, made when it is first wanted; closing it ends what runs."""

    def __init__(self, parent: QWidget, theme: Theme) -> None:
        """The dialog is opened over `parent`."""
        super().__init__(parent)
        self._parent, self._theme = parent, theme
        self.dialog: AblationDialog | None = None

    def open(self, model_id: str, name: str) -> None:
        """Show what each technique brings to this model on this machine, or measure it."""
        if self.dialog is None:
            self.dialog = self._make()
        self.dialog.set_model(model_id, name)
        self.dialog.open()

    def _make(self) -> AblationDialog:
        dialog, runner = AblationDialog(self._theme, self._parent), AblationRunner(self)
        dialog.started.connect(runner.start)
        runner.progressed.connect(dialog.set_progress)
        runner.finished.connect(dialog.set_figures)
        runner.failed.connect(lambda text: dialog.set_ended(text, is_warning=True))

        def cancel() -> None:
            if runner.is_running:
                runner.cancel()
                dialog.set_ended(self.tr("Cancelled."))

        dialog.cancel_requested.connect(cancel)
        return dialog


class AblationRunner(QObject):
    """Signals: `progressed(done, total, name)`, `finished(AblationFigures)`, `failed(str)`; nothing after `cancel`."""

    progressed = Signal(int, int, str)
    finished = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None, *, command: tuple[str, ...] = ()) -> None:
        super().__init__(parent)
        self._command = command or (sys.executable, "-m", "engine")
        self._process: QProcess | None = None
        self._words = ""
        self._said = ""

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def start(self, model_id: str) -> None:
        """Measure this model; its own copy is loaded, beside the one that answers."""
        if self._process is not None:
            return
        program, *arguments = self._command
        process = QProcess(self)
        process.readyReadStandardError.connect(self._on_words)
        process.errorOccurred.connect(self._on_error)
        process.finished.connect(self._on_finished)
        self._process, self._words, self._said = process, "", ""
        process.start(program, [*arguments, "bench", "--suite", "ablation", "--model", model_id, "--json", "-"])

    def cancel(self) -> None:
        """End it; its worker ends with it."""
        if (process := self._forget()) is not None:
            process.finished.connect(process.deleteLater)
            # Windows has no way to ask a program without a window to end.
            process.kill() if sys.platform == "win32" else process.terminate()

    def _on_words(self) -> None:
        if self._process is None:
            return
        *lines, self._words = (self._words + bytes(self._process.readAllStandardError().data()).decode()).split("\n")
        for line in lines:
            counts, _, name = line.partition(" ")
            done, slash, total = counts.partition("/")
            if slash and done.isdecimal() and total.isdecimal():
                self.progressed.emit(int(done), int(total), name)
            elif line.strip():
                self._said = line.strip()

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and (process := self._forget()) is not None:
            self.failed.emit(
                self.tr("The measurement could not be started: {reason}").format(reason=process.errorString())
            )
            process.deleteLater()

    def _on_finished(self, code: int, _status: QProcess.ExitStatus) -> None:
        self._on_words()
        if (process := self._forget()) is None:
            return
        output = bytes(process.readAllStandardOutput().data())
        process.deleteLater()
        if code != 0:
            self.failed.emit(self._reason(output, code))
            return
        try:
            self.finished.emit(msgspec.json.decode(output, type=AblationFigures))
        except msgspec.DecodeError as error:
            self.failed.emit(self.tr("The measurement's figures could not be read: {reason}").format(reason=error))

    def _reason(self, output: bytes, code: int) -> str:
        """The engine's failure in the user's language; of what is none, what was said last."""
        with contextlib.suppress(msgspec.DecodeError):
            return failure_text(msgspec.json.decode(output, type=Failure))
        return self._said or self.tr("exit code {code}").format(code=code)

    def _forget(self) -> QProcess | None:
        process, self._process = self._process, None
        return process
