"""A fake worker: a real process that speaks the protocol and misbehaves as its script says.

The script is JSON in FIRSTLIGHT_FAKE. Run as `python tests/fakes.py`; tests set FIRSTLIGHT_WORKER to `fake_command()`.
"""

from __future__ import annotations

import os
import queue
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from engine.errors import Code, Failure
from engine.metrics import FinishReason, RequestMetrics
from engine.protocol import (
    PROTOCOL_VERSION,
    Cancel,
    Command,
    CountTokens,
    Done,
    DropCache,
    EffectiveSettings,
    Embed,
    Embedded,
    Event,
    Generate,
    GenerationFinished,
    GenerationStarted,
    LoadModel,
    LoadProgress,
    MemoryUse,
    ModelLoaded,
    Prewarm,
    PrewarmFinished,
    PromptRendered,
    Ready,
    RenderPrompt,
    RequestFailed,
    Section,
    Shutdown,
    TokenDelta,
    TokensCounted,
    decode_command,
    encode,
)


class Script(msgspec.Struct, kw_only=True):
    """What the fake does. `fault` names a point, and `act` what happens there."""

    tokens: tuple[str, ...] = ("Hello", " from", " the", " fake", ".")
    hold: str = ""
    """A folder: at each point, and before token n of a request at `ID.n`, the fake waits while POINT.hold is there."""
    fault: str = ""
    """start, ready, load, prefill, decode, cancel or "" for none."""
    act: str = ""
    """kill, exit, lose, garbage, huge, stall, refuse or version."""
    fault_once: str = ""
    """A file that is made when the fault happens: with it, the fault happens no more."""
    n_parallel: int = 2
    size_bytes: int = 1000
    device: str = "CPU"
    """Which holds all of it."""
    is_reasoning: bool = False


class FakeWorker:
    """One thread reads commands, one carries out generations in order of arrival, round-robin by token."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._commands: queue.Queue[Command | None] = queue.Queue()
        self._cancelled: set[str] = set()
        self._running: dict[str, tuple[Generate, int]] = {}
        self._waited: dict[str, float] = {}

    def run(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()
        self._reach("start")
        version = PROTOCOL_VERSION + 1 if self._script.act == "version" else PROTOCOL_VERSION
        self._emit(Ready(protocol_version=version, process="worker", pid=os.getpid()))
        while True:
            command = self._next(block=not self._running)
            if isinstance(command, Shutdown):
                return
            if command is not None:
                self._carry_out(command)
            self._step()

    def _next(self, *, block: bool) -> Command | None:
        try:
            return self._commands.get(block=block)
        except queue.Empty:
            return None

    def _read(self) -> None:
        for line in sys.stdin.buffer:
            command = decode_command(line)
            if isinstance(command, Cancel):
                self._cancelled.add(command.target_id)
            self._commands.put(command)
        os._exit(0)

    def _carry_out(self, command: Command) -> None:
        rid = command.request_id
        match command:
            case LoadModel():
                self._load(command)
            case Generate():
                self._waited[rid] = time.monotonic() - command.accepted
                self._emit(GenerationStarted(request_id=rid, n_prompt_tokens=len(command.messages)))
                self._reach("prefill", rid)
                self._running[rid] = (command, 0)
            case Prewarm():
                self._emit(PrewarmFinished(request_id=rid, n_prepared=3, is_complete=True))
            case CountTokens():
                self._emit(TokensCounted(request_id=rid, n_tokens=len(command.draft.split())))
            case RenderPrompt():
                self._emit(PromptRendered(request_id=rid, text="|".join(m.content for m in command.messages)))
            case Embed():
                self._emit(Embedded(request_id=rid, vectors=tuple((1.0, 0.5) for _ in command.texts), n_tokens=2))
            case DropCache():
                self._emit(Done(request_id=rid))

    def _load(self, command: LoadModel) -> None:
        self._emit(LoadProgress(request_id=command.request_id, model_id=command.model_id, fraction=0.5, step="weights"))
        self._reach("load", command.request_id)
        effective = EffectiveSettings(
            model_path=command.path,
            model_name=Path(command.path).stem,
            quantization="Q4_1",
            n_ctx=command.settings.n_ctx or 4096,
            n_parallel=self._script.n_parallel,
            n_threads=command.settings.n_threads,
            memory=(MemoryUse(device=self._script.device, weights_bytes=self._script.size_bytes),),
        )
        self._emit(ModelLoaded(request_id=command.request_id, model_id=command.model_id, effective=effective))

    def _step(self) -> None:
        for rid, (command, n_done) in tuple(self._running.items()):
            tokens = self._script.tokens[: command.max_tokens or None]
            if rid in self._cancelled:
                self._reach("cancel", rid)
                self._finish(command, FinishReason.CANCELLED, n_done)
            elif n_done == len(tokens):
                self._finish(command, FinishReason.STOP, n_done)
            else:
                if n_done == 1:
                    self._reach("decode", rid)
                self._wait_for(f"{rid}.{n_done}", rid)
                section = Section.REASONING if self._script.is_reasoning and n_done == 0 else Section.ANSWER
                self._emit(TokenDelta(request_id=rid, text=tokens[n_done], section=section))
                self._running[rid] = (command, n_done + 1)

    def _finish(self, command: Generate, reason: FinishReason, n_decoded: int) -> None:
        del self._running[command.request_id]
        waited = self._waited.pop(command.request_id)
        metrics = RequestMetrics(
            queued_time=waited - command.load_time,
            load_time=command.load_time,
            ttft=waited,
            n_decoded=n_decoded,
            n_prompt_tokens=7,
            n_cached_tokens=4,
        )
        self._emit(GenerationFinished(request_id=command.request_id, finish_reason=reason, metrics=metrics))

    def _reach(self, point: str, rid: str = "") -> None:
        """Come to a point of the script: wait there if asked to, then act."""
        self._wait_for(point, rid)
        once = Path(self._script.fault_once) if self._script.fault_once else None
        if point != self._script.fault or (once and once.exists()):
            return
        if once:
            once.touch()
        self._acts()[self._script.act](rid)

    def _acts(self) -> dict[str, Callable[[str], None]]:
        return {
            "kill": lambda _: os.kill(os.getpid(), signal.SIGKILL),
            "exit": lambda _: self._exit_with_words("ggml error: the device has failed"),
            "lose": lambda _: self._exit_with_words("what():  vk::Queue::submit: ErrorDeviceLost"),
            "garbage": lambda _: self._write(b"\xff\xfe{not json\n"),
            "unknown": lambda rid: self._write(f'{{"type":"Riddle","request_id":"{rid}"}}\n'.encode()),
            "huge": lambda rid: self._emit(TokenDelta(request_id=rid, text="x" * (8 << 20))),
            "stall": lambda _: threading.Event().wait(),
            "refuse": self._refuse,
        }

    def _exit_with_words(self, words: str) -> None:
        sys.stderr.write(f"{words}\n")
        sys.stderr.flush()
        os._exit(3)

    def _refuse(self, rid: str) -> None:
        failure = Failure(code=Code.OUT_OF_MEMORY, message="There is no memory for it.", advice="Use less.")
        self._emit(RequestFailed(request_id=rid, failure=failure))
        threading.Event().wait()

    def _wait_for(self, point: str, rid: str) -> None:
        if not self._script.hold or rid in self._cancelled:
            return
        gate = Path(self._script.hold) / point
        tick = threading.Event()
        while gate.with_suffix(gate.suffix + ".hold").exists() and rid not in self._cancelled:
            tick.wait(0.005)

    def _emit(self, event: Event) -> None:
        self._write(encode(event))

    def _write(self, line: bytes) -> None:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()


def fake_command() -> str:
    """The command line for FIRSTLIGHT_WORKER."""
    return shlex.join([sys.executable, str(Path(__file__).resolve())])


def script_json(**fields: object) -> str:
    """A script for FIRSTLIGHT_FAKE."""
    return msgspec.json.encode(msgspec.convert(fields, Script)).decode()


if __name__ == "__main__":
    FakeWorker(msgspec.json.decode(os.environ.get("FIRSTLIGHT_FAKE", "{}"), type=Script)).run()
