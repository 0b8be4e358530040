"""Work for a process of its own: asking for it never makes the window wait, and what was answered is kept."""

from __future__ import annotations

import sys
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec
from PySide6.QtCore import QByteArray, QElapsedTimer, QObject, QProcess, QTimer, Signal

MAX_WAITING = 60
"""When more are asked for, those asked for first have been scrolled past; they are asked for again when seen again."""
START_PATIENCE_MS = 60_000
"""For a helper's first answer: Python and its libraries may come from a cold disk, beside a model that computes."""
_REPORT_MS = 60

RequestT = TypeVar("RequestT", bound=msgspec.Struct)
AnswerT = TypeVar("AnswerT")


class HelperProcess(QObject, Generic[RequestT, AnswerT]):
    """Answers of a helper process by their requests. The process, `module`, starts with the first of them.

    `read` makes an answer of a line of the helper's, or of None when it took longer than `patience_ms` or died.

    Signals:
        answered(): some of what was asked for is there now.
    """

    answered = Signal()

    def __init__(
        self,
        module: str,
        read: Callable[[bytes | None], AnswerT],
        *,
        max_kept: int,
        patience_ms: int,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._read_answer, self._max_kept, self._patience_ms = read, max_kept, patience_ms
        self._answers: OrderedDict[RequestT, AnswerT] = OrderedDict()
        self._waiting: OrderedDict[RequestT, None] = OrderedDict()
        self._current: RequestT | None = None
        self._since_answered = QElapsedTimer()
        self._is_broken = False
        self._process = QProcess()
        self._process.setProgram(sys.executable)
        self._process.setArguments(["-m", module])
        self._process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.errorOccurred.connect(self._on_error)
        self._process.finished.connect(self._on_finished)
        self._patience = QTimer(self, singleShot=True)
        self._patience.timeout.connect(self._process.kill)
        weakref.finalize(self, _end, self._process)

    def answer(self, request: RequestT) -> AnswerT | None:
        """The answer, or None while it is awaited or when no helper can be had."""
        if request in self._answers:
            self._answers.move_to_end(request)
            return self._answers[request]
        if not self._is_broken and request != self._current:
            self._waiting[request] = None
            if len(self._waiting) > MAX_WAITING:
                self._waiting.popitem(last=False)
            self._send()
        return None

    def is_answered(self, request: RequestT) -> bool:
        """Whether the answer is there; asks for nothing."""
        return request in self._answers

    def is_awaited(self, request: RequestT) -> bool:
        """True while the answer is still to come."""
        return request in self._waiting or request == self._current

    def finish(self) -> None:
        """Wait until everything that was asked for is answered."""
        while self._current is not None and self._process.waitForReadyRead(self._patience.interval()):
            pass

    def _send(self) -> None:
        if self._current is not None or not self._waiting:
            return
        if self._process.state() == QProcess.ProcessState.NotRunning:
            self._process.start()
            self._patience.setInterval(START_PATIENCE_MS)
        self._current, _ = self._waiting.popitem()  # What was asked for last is what is looked at now.
        self._process.write(QByteArray(msgspec.json.encode(self._current) + b"\n"))
        self._patience.start()

    def _read(self) -> None:
        while self._process.canReadLine():
            line = bytes(self._process.readLine().data())
            self._patience.setInterval(self._patience_ms)
            self._keep(line)

    def _keep(self, line: bytes | None) -> None:
        """Take the answer to the current request, and go on with the next one."""
        self._patience.stop()
        if self._current is not None:
            request, self._current = self._current, None
            self._answers[request] = self._read_answer(line)
            while len(self._answers) > self._max_kept:
                self._answers.popitem(last=False)
            if not self._waiting or not self._since_answered.isValid() or self._since_answered.elapsed() > _REPORT_MS:
                self._since_answered.start()
                self.answered.emit()
        self._send()

    def _on_finished(self) -> None:
        self._keep(None)

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._is_broken = True
            self._current = None
            self._waiting.clear()
            self._patience.stop()


def _end(process: QProcess) -> None:
    """End the helper with its cache, or with Python: Qt complains about a process that is destroyed while it runs."""
    process.blockSignals(True)  # Whoever listened is half gone.
    if process.state() is not QProcess.ProcessState.NotRunning:
        process.kill()
        process.waitForFinished(1_000)
