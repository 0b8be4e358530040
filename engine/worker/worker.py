"""The worker process: reads commands, runs the loop, answers every request exactly once."""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import threading
import time
from pathlib import Path
from typing import BinaryIO

import msgspec

from engine.errors import Code, EngineError, FirstlightError, ProtocolError, RequestError
from engine.protocol import commands as c
from engine.protocol import events as e
from engine.protocol.codec import PROTOCOL_VERSION, check_version, decode_command, request_id_of
from engine.worker.decode.prewarm import PreparedPrewarm, is_replaced, serves
from engine.worker.engine_core import EngineCore
from engine.worker.llama import LoadCancelled, backend
from engine.worker.loading.loader import load
from engine.worker.outbox import Outbox
from engine.worker.tokenizer_thread import TokenizerThread

IDLE_SAVE_SECONDS = 2.0
"""Without work for this long, chats that have changed are saved."""
_LOAD_PROGRESS_INTERVAL = 0.1


Job = c.Command | PreparedPrewarm


class Worker:
    """One process, one model. The reader thread takes commands in; the loop thread does everything with the model."""

    def __init__(self, source: BinaryIO, outbox: Outbox) -> None:
        self._source = source
        self._outbox = outbox
        self._inbox: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._core: EngineCore | None = None
        self._loading = ""
        self._cancelled: set[str] = set()
        self._is_closing = False
        self._newest: c.Prewarm | None = None
        """The draft that is being written: older prewarms are out of date."""
        self._tokenizer = TokenizerThread(outbox, self._inbox.put)

    def run(self) -> None:
        """Serve until Shutdown or the end of the input."""
        self._outbox.put(self._ready())
        reader = threading.Thread(target=self._read, name="reader", daemon=True)
        reader.start()
        try:
            while not self._is_closing and not self._outbox.is_broken:
                self._run_once()
        finally:
            self._end()

    # The reader thread.

    def _read(self) -> None:
        while line := self._source.readline():
            if line.strip():
                self._receive(line)
        self._close()

    def _receive(self, line: bytes) -> None:
        try:
            command = decode_command(line)
        except ProtocolError as error:
            request_id = request_id_of(line)
            sys.stderr.write(f"{error}\n")
            if request_id and self._outbox.open(request_id):
                self._outbox.fail(request_id, error)
            return
        match command:
            case c.Hello():
                self._greet(command)
            case c.Cancel():
                self._cancel(command)
            case c.Shutdown():
                self._close()
            case _ if not command.request_id or not self._outbox.open(command.request_id):
                sys.stderr.write(f"{type(command).__name__} without an id of its own is ignored.\n")
            case c.CountTokens() | c.RenderPrompt():
                self._tokenizer.submit(command)
            case c.Prewarm():
                former, self._newest = self._newest, command
                if former is not None and not serves(former, command):
                    self._inbox.put(c.Cancel(request_id="", target_id=former.request_id))
                self._yield_prewarm(command)
                self._tokenizer.submit(command)
            case c.Generate():
                if self._newest is not None and is_replaced(self._newest, command):
                    self._newest = None
                if not command.accepted:
                    # Here, not where the loop sees it: what a request waits for the running step belongs to its TTFT.
                    command = msgspec.structs.replace(command, accepted=time.monotonic())
                self._inbox.put(command)
                self._yield_prewarm(command)
            case _:
                self._inbox.put(command)
                self._yield_prewarm(command)

    def _yield_prewarm(self, command: c.Command) -> None:
        if self._core is not None:
            self._core.interrupt.yield_prewarm(command)

    def _greet(self, hello: c.Hello) -> None:
        try:
            check_version(hello.protocol_version)
        except ProtocolError as error:
            if self._outbox.open(hello.request_id):
                self._outbox.fail(hello.request_id, error)
            return
        self._outbox.put(self._ready())

    def _cancel(self, command: c.Cancel) -> None:
        if not self._outbox.is_open(command.target_id):
            return
        self._cancelled.add(command.target_id)
        if self._core is not None:
            self._core.interrupt.cancel(command.target_id)
        self._inbox.put(command)

    def _close(self) -> None:
        self._is_closing = True
        if self._core is not None:
            self._core.interrupt.close()
        self._inbox.put(None)

    def _ready(self) -> e.Ready:
        return e.Ready(
            protocol_version=PROTOCOL_VERSION, process="worker", pid=os.getpid(), versions=backend.versions()
        )

    # The loop thread.

    def _run_once(self) -> None:
        """Take in what has arrived, then run one step."""
        core = self._core
        if core is None or not core.is_busy:
            timeout = None if core is None or not core.has_unsaved else IDLE_SAVE_SECONDS
            with contextlib.suppress(queue.Empty):
                self._handle(self._inbox.get(timeout=timeout))
        while not (self._is_closing or self._inbox.empty()):
            self._handle(self._inbox.get())
        if core is not None and self._core is core and not self._is_closing:
            if core.is_busy:
                core.step()
            else:
                core.save_idle()

    def _handle(self, job: Job | None) -> None:
        """Carry out one command; whatever goes wrong ends that command and nothing else. None only wakes the loop."""
        if job is None:
            return
        command = self._command(job)
        try:
            if command.request_id in self._cancelled:
                self._cancelled.discard(command.request_id)
                self._answer_cancelled(command)
            elif isinstance(job, PreparedPrewarm):
                self._prewarm(job)
            else:
                self._carry_out(command)
        except Exception as error:  # noqa: BLE001 - the process serves other requests too
            self._outbox.fail(command.request_id, error)

    @staticmethod
    def _command(job: Job) -> c.Command:
        return job.command if isinstance(job, PreparedPrewarm) else job

    def _carry_out(self, command: c.Command) -> None:
        if isinstance(command, c.Cancel):
            is_done = self._core is not None and self._core.cancel(command.target_id)
            if is_done or not self._outbox.is_open(command.target_id):
                self._cancelled.discard(command.target_id)
        elif isinstance(command, c.LoadModel):
            self._load(command)
        elif isinstance(command, c.UnloadModel):
            self._unload(command)
        elif self._core is None:
            raise RequestError(Code.MODEL_NOT_LOADED, "No model is loaded.", "Load a model first.")
        else:
            self._core.handle(command)

    def _prewarm(self, prepared: PreparedPrewarm) -> None:
        command = prepared.command
        if self._core is None or self._newest is not command:
            self._answer_cancelled(command)
        else:
            self._core.prewarm(prepared)

    def _answer_cancelled(self, command: c.Command) -> None:
        """The terminal event of a request that was cancelled before the loop saw it."""
        if isinstance(command, c.Generate):
            self._outbox.put(EngineCore.cancelled_early(command))
        elif isinstance(command, c.Prewarm):
            self._outbox.put(e.PrewarmFinished(request_id=command.request_id))
        else:
            raise RequestError(Code.CANCELLED, "The request was cancelled.")

    def _load(self, command: c.LoadModel) -> None:
        if self._core is not None:
            raise RequestError(Code.BAD_REQUEST, "This worker has a model already.", "Start another worker.")
        started = time.monotonic()
        reported = 0.0

        def progress(fraction: float, step: str) -> bool:
            nonlocal reported
            now = time.monotonic()
            if now - reported >= _LOAD_PROGRESS_INTERVAL or fraction in (0.0, 1.0):
                reported = now
                self._outbox.put(
                    e.LoadProgress(
                        request_id=command.request_id, model_id=command.model_id, fraction=fraction, step=step
                    )
                )
            return command.request_id not in self._cancelled and not self._is_closing

        try:
            loaded = load(Path(command.path or command.model_id), command.settings, progress)
        except LoadCancelled:
            raise RequestError(Code.CANCELLED, "Loading the model was cancelled.") from None
        finally:
            self._cancelled.discard(command.request_id)
        self._core = EngineCore(loaded, self._outbox)
        self._tokenizer.serve(self._core.prompts, loaded.context.n_ctx, can_cut=self._core.can_cut)
        if self._is_closing:
            self._core.interrupt.close()
        self._outbox.put(
            e.ModelLoaded(
                request_id=command.request_id,
                model_id=command.model_id,
                effective=loaded.effective,
                load_time=time.monotonic() - started,
                times=loaded.times,
                requested=command.settings,
            )
        )

    def _unload(self, command: c.UnloadModel) -> None:
        self._drop_core()
        self._outbox.put(e.ModelUnloaded(request_id=command.request_id, model_id=command.model_id))

    def _drop_core(self) -> None:
        core, self._core = self._core, None
        self._tokenizer.serve(None, 0)
        if core is not None:
            core.close()

    def _end(self) -> None:
        """Give every open request its end, save the chats, free the model."""
        self._tokenizer.close()
        self._drop_core()
        with contextlib.suppress(queue.Empty):
            while True:
                job = self._inbox.get_nowait()
                if job is not None and not isinstance(job, c.Cancel):
                    with contextlib.suppress(FirstlightError):
                        self._answer_cancelled(self._command(job))
        for request_id in self._outbox.open_ids():
            self._outbox.fail(request_id, EngineError(Code.CANCELLED, "The engine was shut down."))
        self._outbox.close()
